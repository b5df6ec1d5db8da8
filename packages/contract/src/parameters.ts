// The single declaration of each query parameter: what it accepts, how the service parses it, and which rows it
// selects. The text after "must be" in an error message, the documentation, and the parser are next to each other, so
// that they agree.

import { ApiError } from './errors.ts'
import { maskKeys } from './key-format.ts'
import { LIMITS } from './limits.ts'
import type { Resource } from './resource.ts'
import { hasSpaceForPlus, type Microseconds, parseDatetime, TIMESTAMP_RULE } from './timestamp.ts'

/**
 * A parsed value: a number for `limit`, microseconds for a datetime, and a string for other parameters. `NOW` stands
 * for the latest end time, which is the watermark (the header `x-sync-watermark`).
 */
export type ParameterValue = number | string | Microseconds

/** The value that sets the end time of a list to its watermark. */
export const NOW = 'now'

/** The documentation, the parser, and the filter of a query parameter. */
export interface Parameter {
  readonly note: string
  /** Returns the JSON Schema for a resource. */
  readonly schema: (resource: Resource) => Record<string, unknown>
  /** Returns what the parameter accepts, as the words after "must be" in a message. */
  readonly rule: (resource: Resource) => string
  /**
   * Returns the value. Throws `INVALID_PARAM` with the rule for a value that the parameter doesn't accept. Accepts
   * every cursor, because the service checks cursors later.
   */
  readonly parse: (text: string, resource: Resource) => ParameterValue
  /** Set if the parameter is a filter: it selects rows by comparing `field` with the value. */
  readonly filter?: { readonly field: string; readonly operator: '>=' | '<' | '=' }
}

const LIMIT_RULE = `a whole number from ${LIMITS.pageRowsMin} to ${LIMITS.pageRowsMax}`
const TIMESTAMP_SCHEMA = { type: 'string', format: 'date-time' }
const WINDOW_END_SCHEMA = { anyOf: [TIMESTAMP_SCHEMA, { type: 'string', const: NOW }] }
const WINDOW_END_RULE = `${NOW}, or ${TIMESTAMP_RULE}`

/** The rule for an ID in a path, as the words after "must be" in a message. */
export const ID_RULE = 'a UUID like 3f0d2c1a-8b5e-4c7d-9e6f-0a1b2c3d4e5f'

/** Every query parameter of the API by name. */
export const PARAMETERS = {
  limit: {
    note: `Maximum number of rows per page, ${LIMITS.pageRowsMin} to ${LIMITS.pageRowsMax}.`,
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
    note: 'The unchanged meta.next_cursor of the previous page. Do not parse or edit it. You can save it to resume an interrupted read. If the service then returns INVALID_CURSOR, start the list again.',
    schema: () => ({ type: 'string' }),
    rule: () => 'meta.next_cursor of the previous page',
    parse: (text) => text,
  },
  updated_since: {
    note: 'Returns only rows whose `updated_at` is this time or later.',
    schema: () => TIMESTAMP_SCHEMA,
    rule: () => TIMESTAMP_RULE,
    parse: (text) => timestampOf('updated_since', text),
    filter: { field: 'updated_at', operator: '>=' },
  },
  updated_until: {
    note: 'Returns only rows whose `updated_at` is before this time, or before the value of the header `x-sync-watermark` if that is earlier. `now` stands for the value of that header. Repeat this parameter on each page. If your tool cannot read headers, send `now`, and use the greatest `updated_at` in the list as the `updated_since` of your next sync.',
    schema: () => WINDOW_END_SCHEMA,
    rule: () => WINDOW_END_RULE,
    parse: (text) => windowEndOf('updated_until', text),
    filter: { field: 'updated_at', operator: '<' },
  },
  created_since: {
    note: 'Returns only rows whose `created_at` is this time or later. Works on all stores.',
    schema: () => TIMESTAMP_SCHEMA,
    rule: () => TIMESTAMP_RULE,
    parse: (text) => timestampOf('created_since', text),
    filter: { field: 'created_at', operator: '>=' },
  },
  created_until: {
    note: 'Returns only rows whose `created_at` is before this time, or before the value of the header `x-sync-watermark` if that is earlier. `now` stands for the value of that header. Repeat this parameter on each page. Works on all stores.',
    schema: () => WINDOW_END_SCHEMA,
    rule: () => WINDOW_END_RULE,
    parse: (text) => windowEndOf('created_until', text),
    filter: { field: 'created_at', operator: '<' },
  },
  status: {
    note: 'Returns only rows with this status.',
    schema: (resource) => ({ type: 'string', enum: statusesOf(resource) }),
    rule: statusRule,
    parse: (text, resource) => parseStatus(text, resource),
    filter: { field: 'status', operator: '=' },
  },
} as const satisfies Record<string, Parameter>

/** Name of a query parameter, such as `updated_since`. */
export type ParameterName = keyof typeof PARAMETERS

/** Creates an error that names the parameter, what it accepts, and what the client sent. */
export function invalidParameter(name: string, rule: string, got: string): ApiError {
  const reason = `${name}: must be ${rule}`
  return new ApiError('INVALID_PARAM', `${reason}; got ${quotedInput(got)}`, { reason })
}

/** Creates the error for a parameter that the client sent more than once, with its first two values. */
export function repeatedParameter(name: string, rule: string, [first, second]: readonly [string, string]): ApiError {
  const got = `${quotedInput(first)} and ${quotedInput(second)}`
  const reason = `${name}: must be given once, as ${rule}`
  return new ApiError('INVALID_PARAM', `${reason}; got ${got}`, { reason })
}

const QUOTED_CHARACTERS_MAX = 64

/** Quotes client input for a message: escaped, cut at 64 characters, and with API keys masked. */
export function quotedInput(text: string): string {
  // Keys are masked before the cut, because a part of a key can be too short to be recognized.
  const shown = maskKeys(text)
  const cut = shown.length > QUOTED_CHARACTERS_MAX ? `${shown.slice(0, QUOTED_CHARACTERS_MAX)}…` : shown
  // The cut can split a surrogate pair.
  return JSON.stringify(cut.toWellFormed())
}

/**
 * Accepts only digits without a leading zero (R11 in docs/spec/readings.md). `Number()` would also accept `1e2`,
 * `0x10`, and `+5`.
 */
function parseLimit(text: string): number {
  const limit = /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : 0
  if (limit >= LIMITS.pageRowsMin && limit <= LIMITS.pageRowsMax) return limit
  throw invalidParameter('limit', LIMIT_RULE, text)
}

function timestampOf(name: string, text: string, rule: string = TIMESTAMP_RULE): Microseconds {
  const timestamp = parseDatetime(text)
  if (timestamp !== null) return timestamp
  throw invalidParameter(name, hasSpaceForPlus(text) ? `${rule}; write the + of an offset as %2B in a URL` : rule, text)
}

function windowEndOf(name: string, text: string): Microseconds | typeof NOW {
  return text === NOW ? NOW : timestampOf(name, text, WINDOW_END_RULE)
}

function parseStatus(text: string, resource: Resource): string {
  if (statusesOf(resource).includes(text)) return text
  throw invalidParameter('status', statusRule(resource), text)
}

function statusRule(resource: Resource): string {
  return `one of ${statusesOf(resource).join(', ')}`
}

/** Returns the statuses of a resource; none if it has no field `status` with listed values. */
function statusesOf({ fields }: Resource): readonly string[] {
  const type = fields.status?.type
  return type?.kind === 'oneOf' ? type.values : []
}
