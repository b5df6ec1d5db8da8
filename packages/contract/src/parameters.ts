// The query parameters: the rule of each, its default and its message, once. Parsing is pure; nothing raw goes on.

import { ApiError } from './errors.ts'
import { KEY_PREFIX, LIMITS } from './limits.ts'
import type { Resource } from './resource.ts'
import { hasSpaceForPlus, type Microseconds, parseTimestamp, TIMESTAMP_RULE } from './timestamp.ts'

/** Value of a parsed parameter. */
export type ParameterValue = number | string | Microseconds

/** A query parameter as declared. */
export interface Parameter {
  readonly note: string
  /** JSON Schema of it for a resource. */
  readonly schema: (resource: Resource) => Record<string, unknown>
  /** What is accepted, in the words of messages, after 'must be'. */
  readonly rule: (resource: Resource) => string
  /** The value, or an `ApiError` that names the parameter and what is accepted. */
  readonly parse: (text: string, resource: Resource) => ParameterValue
  /** What it keeps of the rows, where it is a filter: those whose `field` compares so with the value. */
  readonly filter?: { readonly field: string; readonly operator: '>=' | '=' }
}

const LIMIT_RULE = `a whole number from ${LIMITS.pageRowsMin} to ${LIMITS.pageRowsMax}`
const TIMESTAMP_SCHEMA = { type: 'string', format: 'date-time' }

/** What the id in a path must be, in the words of messages. */
export const ID_RULE = 'a UUID like 3f0d2c1a-8b5e-4c7d-9e6f-0a1b2c3d4e5f'

/** Every query parameter by name. */
export const PARAMETERS = {
  limit: {
    note: `Page size, ${LIMITS.pageRowsMin} to ${LIMITS.pageRowsMax}.`,
    schema: () => ({
      type: 'integer',
      minimum: LIMITS.pageRowsMin,
      maximum: LIMITS.pageRowsMax,
      default: LIMITS.pageRowsDefault,
    }),
    rule: () => LIMIT_RULE,
    parse: (text) => parseLimit(text),
  },
  cursor: {
    note: 'Opaque: meta.next_cursor of the previous page, passed back unchanged. Not to be parsed, edited or kept.',
    schema: () => ({ type: 'string' }),
    rule: () => 'meta.next_cursor of the previous page',
    parse: (text) => text,
  },
  updated_since: {
    note: 'Only rows updated at or after this instant.',
    schema: () => TIMESTAMP_SCHEMA,
    rule: () => TIMESTAMP_RULE,
    parse: (text) => timestampOf('updated_since', text),
    filter: { field: 'updated_at', operator: '>=' },
  },
  created_since: {
    note: 'Only rows created at or after this instant; works on all stores.',
    schema: () => TIMESTAMP_SCHEMA,
    rule: () => TIMESTAMP_RULE,
    parse: (text) => timestampOf('created_since', text),
    filter: { field: 'created_at', operator: '>=' },
  },
  status: {
    note: 'Only rows with this status.',
    schema: (resource) => ({ type: 'string', enum: statusesOf(resource) }),
    rule: statusRule,
    parse: (text, resource) => parseStatus(text, resource),
    filter: { field: 'status', operator: '=' },
  },
} as const satisfies Record<string, Parameter>

/** Name of a query parameter. */
export type ParameterName = keyof typeof PARAMETERS

/** A refusal of a parameter: names it, what is accepted, and what was got. */
export function invalidParameter(name: string, rule: string, got: string): ApiError {
  return new ApiError('INVALID_PARAM', `${name}: must be ${rule}; got ${quotedInput(got)}`)
}

/** A refusal of a parameter that was given twice. */
export function repeatedParameter(name: string, rule: string, [first, second]: readonly [string, string]): ApiError {
  const got = `${quotedInput(first)} and ${quotedInput(second)}`
  return new ApiError('INVALID_PARAM', `${name}: must be given once, as ${rule}; got ${got}`)
}

const QUOTED_CHARACTERS_MAX = 64

/** `text` as it can be shown in a message: escaped, cut at 64 characters, a key in it masked. */
export function quotedInput(text: string): string {
  const shown = maskKeys(text)
  const cut = shown.length > QUOTED_CHARACTERS_MAX ? `${shown.slice(0, QUOTED_CHARACTERS_MAX)}…` : shown
  return JSON.stringify(cut.toWellFormed())
}

const KEY = new RegExp(`${KEY_PREFIX}[0-9A-Za-z]+`, 'g')

/** `text` with what looks like a key masked: one that was pasted into the wrong place comes back in no answer. */
export function maskKeys(text: string): string {
  return text.replace(KEY, `${KEY_PREFIX}…`)
}

/** Digits only: `Number()` and schema coercion would take `1e2`, `0x10` and `+5` (R11). */
function parseLimit(text: string): number {
  const limit = /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : 0
  if (limit >= LIMITS.pageRowsMin && limit <= LIMITS.pageRowsMax) return limit
  throw invalidParameter('limit', LIMIT_RULE, text)
}

function timestampOf(name: string, text: string): Microseconds {
  const instant = parseTimestamp(text)
  if (instant !== null) return instant
  const rule = hasSpaceForPlus(text) ? `${TIMESTAMP_RULE}; write the + of an offset as %2B in a URL` : TIMESTAMP_RULE
  throw invalidParameter(name, rule, text)
}

function parseStatus(text: string, resource: Resource): string {
  if (statusesOf(resource).includes(text)) return text
  throw invalidParameter('status', statusRule(resource), text)
}

function statusRule(resource: Resource): string {
  return `one of ${statusesOf(resource).join(', ')}`
}

function statusesOf({ fields }: Resource): readonly string[] {
  const type = fields.status?.type
  return type?.kind === 'oneOf' ? type.values : []
}
