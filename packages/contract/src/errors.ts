// The errors a client can meet: each code once, with its status, its condition and what to do.

/** Every error code, in the order of the specification's table. A page for each is generated into `docs/api/errors`. */
export const ERRORS = {
  INVALID_API_KEY: {
    status: 401,
    returnedBy: 'every',
    condition: 'The header x-api-key is missing, malformed or revoked.',
    retry: 'No.',
    fix: 'Send the whole key, once, in the header x-api-key. If it is lost or revoked, create a new one in the store dashboard under Settings, API.',
    mistakes: [
      'The key was sent as Authorization: Bearer or in the query string; it is read from x-api-key alone.',
      'A blank, a line break or quotes were copied with the key.',
      'The header was sent twice.',
      'The key was revoked when it was replaced, and this tool still has the old one.',
    ],
  },
  STORE_NOT_SUPPORTED: {
    status: 403,
    returnedBy: 'every',
    condition: 'The key belongs to an imported store, which is hosted elsewhere.',
    retry: 'No.',
    fix: 'Use the export of the platform that hosts the store. Only stores generated here are served.',
    mistakes: ['The key of the imported copy was used instead of that of the generated store.'],
  },
  STORE_NOT_READY: {
    status: 409,
    returnedBy: 'every',
    condition: 'The store exists, but its database is not provisioned yet: the initial generation is running.',
    retry: 'Yes, after the 30 seconds in the header Retry-After.',
    retryAfterSeconds: { min: 30, max: 30 },
    fix: 'Wait the seconds in the header Retry-After, then try again.',
    mistakes: ['The client treats the response as an empty store.'],
  },
  INVALID_PARAM: {
    status: 400,
    returnedBy: ['page', 'ids', 'one', 'allOf'],
    condition:
      'A parameter failed validation: limit outside 1 to 250, unknown status, malformed datetime, non-UUID id.',
    retry: 'No.',
    fix: 'Read the message: it names the parameter, what was got and what is accepted.',
    mistakes: [
      'The + of an offset like +02:00 was not written %2B in the URL, and arrived as a blank.',
      'A datetime was sent without an offset. Write Z, or the offset.',
      'updated_since was sent for customers of a store that does not track customer updates. Use created_since.',
      'A parameter was sent empty, or twice.',
    ],
  },
  INVALID_CURSOR: {
    status: 400,
    returnedBy: ['page', 'ids'],
    condition: 'The cursor could not be decoded.',
    retry: 'No; start again from the first page.',
    fix: 'Pass meta.next_cursor of the previous page unchanged, to the same list of the same store.',
    mistakes: [
      'The cursor of one list was passed to another.',
      'The cursor was cut by a column width or a log.',
      'The cursor was kept for long, and the service’s sealing secret has changed since.',
    ],
  },
  NOT_FOUND: {
    status: 404,
    returnedBy: ['one', 'allOf'],
    condition: 'No such path, or a valid id without a row in this store.',
    retry: 'No.',
    fix: 'Check the path against the reference. If it is an id, the row was deleted or belongs to another store.',
    mistakes: [
      'A key of another store was used.',
      'The path was written with a trailing slash, without /api/v1, or with _ for -. The message suggests the right one.',
      'Another method than GET was used (status 405): the service is read-only.',
    ],
  },
  RATE_LIMITED: {
    status: 429,
    returnedBy: 'every',
    condition:
      'The key has made more than 120 requests in this clock minute. Or it has asked for many large answers and reads none of them.',
    retry: 'Yes, after the seconds in the header Retry-After.',
    fix: 'Wait Retry-After seconds. Ask for pages of 250 rows instead of asking more often: 120 of them are 30,000 rows a minute.',
    mistakes: [
      'Several tools share one key. Give each its own: a store can have five.',
      'The wait was guessed instead of read from Retry-After; each request made too early counts as well.',
    ],
  },
  STORE_DB_ERROR: {
    status: 502,
    returnedBy: 'every',
    condition: 'A transient failure reading the store database. The message says if the service’s own database failed.',
    retry: 'Yes, after the 1 to 5 seconds in the header Retry-After, with exponential backoff.',
    retryAfterSeconds: { min: 1, max: 5 },
    fix: 'Wait the seconds in the header Retry-After, then twice as long after each further failure. Pass the same cursor; no row is lost.',
    mistakes: ['The client treats the failed page as the last one. A list ends only when meta.has_more is false.'],
  },
} as const satisfies Record<string, ErrorDeclaration>

/** Kind of what an endpoint answers. */
export type ResponseKind = 'only' | 'one' | 'page' | 'ids' | 'allOf'

/** What is declared of an error code. */
export interface ErrorDeclaration {
  /** HTTP status. */
  readonly status: number
  /** Kinds of answer in whose place it can come. */
  readonly returnedBy: 'every' | readonly ResponseKind[]
  readonly condition: string
  readonly retry: string
  /** Bounds of the header `Retry-After`, unless the error brings its own (R41). */
  readonly retryAfterSeconds?: { readonly min: number; readonly max: number }
  readonly fix: string
  readonly mistakes: readonly string[]
}

/** Codes that can come in place of an answer of this kind, in the order of `errors`. */
export function errorsFor(kind: ResponseKind, errors: Readonly<Record<string, ErrorDeclaration>> = ERRORS): string[] {
  return Object.entries(errors)
    .filter(([, { returnedBy }]) => returnedBy === 'every' || returnedBy.includes(kind))
    .map(([code]) => code)
}

/** One of the eight codes. */
export type ErrorCode = keyof typeof ERRORS

/**
 * An answer that is an error. `message` is for people and public; the cause is for the log alone.
 * `status` departs from the code's own for 404 as 405 (R3) and for framing errors (R36).
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = options.status ?? ERRORS[code].status
    this.headers = options.headers ?? {}
  }
}

/** What an `ApiError` can carry beyond code and message. */
export interface ApiErrorOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}
