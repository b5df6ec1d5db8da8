// Validates the parts of a request, and lists everything that is wrong at once.

import type * as z from 'zod'
import { type FieldError, Problem } from './problems.ts'
import type { Route } from './route.ts'

/** Maximum number of errors in a response, because a request of 1 MB can have 100,000 unknown fields. */
const ERRORS_MAX = 100

/** The parts of a request before validation. `body` is null without one. */
export interface RawRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
}

/** Returns the valid parts. Throws `Problem` with an error for each field that is not valid, at most `ERRORS_MAX`. */
export function validate(
  { params, query, body }: Pick<Route, 'params' | 'query' | 'body'>,
  raw: RawRequest,
): { params: unknown; query: unknown; body: unknown } {
  const errors: FieldError[] = []
  const parts = {
    params: parse(params, raw.params, errors),
    query: parse(query, raw.query, errors),
    body: parseBody(body, raw.body, errors),
  }
  if (errors.length > 0) throw invalidRequest(errors)
  return parts
}

/** Returns the parsed JSON. Throws `Problem` with an error for each field that is not valid. */
export function validateJson<S extends z.ZodType>(schema: S, bytes: Uint8Array): z.output<S> {
  const errors: FieldError[] = []
  const value = parseBody(schema, bytes, errors)
  if (errors.length > 0) throw invalidRequest(errors)
  return value as z.output<S>
}

/** Returns the problem for these errors. It has the first 100 of them. */
export function invalidRequest(errors: readonly FieldError[]): Problem {
  const shown = errors.slice(0, ERRORS_MAX)
  const fields = shown.map(({ field }) => field).join(', ')
  const others = errors.length - shown.length
  const rest = others === 0 ? '' : `, and ${others} more`
  return new Problem('invalid-request', `not valid: ${fields}${rest}`, { errors: shown })
}

function parseBody(schema: z.ZodType, bytes: Uint8Array | null, errors: FieldError[]): unknown {
  if (bytes === null) return parse(schema, undefined, errors)
  const text = decode(bytes)
  if (text === null) {
    errors.push({ field: 'body', message: 'must be UTF-8' })
    return undefined
  }
  try {
    return parse(schema, JSON.parse(text), errors)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    errors.push({ field: 'body', message: `must be JSON; ${error.message}` })
    return undefined
  }
}

/** Returns the text without a byte order mark; null if the bytes are not UTF-8. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return null
  }
}

function parse(schema: z.ZodType, value: unknown, errors: FieldError[]): unknown {
  const result = schema.safeParse(value, { error: messageOf })
  if (result.success) return result.data
  // One by one, because a call with too many arguments fails.
  for (const issue of result.error.issues) for (const error of fieldErrors(issue)) errors.push(error)
  return undefined
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const field = fieldOf(issue.path)
  if (issue.code !== 'unrecognized_keys') return [{ field, message: issue.message }]
  return issue.keys.map((key) => ({ field: fieldOf([...issue.path, key]), message: 'unknown; remove it' }))
}

/** Returns a path such as `keys[0].name`; `body` for the whole body. */
function fieldOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'body'
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${cut(String(part))}`))
    .join('')
    .replace(/^\./, '')
}

/** Returns the message for an issue; undefined to use the message of zod. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'missing'
        : `must be ${withArticle(issue.expected)}; got ${typeOf(issue.input)}`
    case 'invalid_value':
      return issue.input === undefined
        ? 'missing'
        : `must be one of ${issue.values.map(String).join(', ')}; got ${quote(issue.input)}`
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? `a valid ${issue.format}`}; got ${quote(issue.input)}`
    case 'too_small':
    case 'too_big':
      return boundsMessage(issue)
    default:
      return undefined
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'a time such as 2027-01-31T00:00:00Z',
  guid: 'a UUID',
}

function boundsMessage(issue: z.core.$ZodRawIssue): string | undefined {
  const { origin, minimum, maximum, input } = issue as {
    origin?: string
    minimum?: unknown
    maximum?: unknown
    input?: unknown
  }
  const bound = minimum === undefined ? `at most ${String(maximum)}` : `at least ${String(minimum)}`
  if (origin === 'array') return `must have ${bound} elements; got ${Array.isArray(input) ? input.length : '?'}`
  return origin === 'string' ? `must have ${bound} characters` : `must be ${bound}; got ${quote(input)}`
}

const QUOTED_LENGTH_MAX = 60

function quote(value: unknown): string {
  return cut(JSON.stringify(value) ?? String(value))
}

function cut(text: string): string {
  return text.length <= QUOTED_LENGTH_MAX ? text : `${text.slice(0, QUOTED_LENGTH_MAX)}…`
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : withArticle(typeof value)
}
