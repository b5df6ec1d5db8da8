// The single declaration of each error code: its statuses, when it is returned, whether to retry, and what to do.
// Responses, OpenAPI, and the pages in docs/api/errors are derived from it.

/** Every error code, in the order of the specification. Each has a generated page in `docs/api/errors`. */
export const ERRORS = {
  INVALID_API_KEY: {
    status: 401,
    returnedBy: 'every',
    condition:
      'The key in the header x-api-key is missing, repeated, malformed, unknown, revoked, expired, or turned off, or it does not work from this network address.',
    retry: 'No.',
    fix: 'Send the whole key once, in the header x-api-key. If it is turned off, turn it on in the store dashboard under Settings, API. If the key is lost, revoked, or expired, create a new one there. Do the same if the key does not allow your network.',
    mistakes: [
      'The client sends the key as Authorization: Bearer or in the query string. The service reads only the header x-api-key.',
      'The key was copied with a space, a line break, or quotes.',
      'The client sends the header twice.',
      'A merchant has replaced the key, but this tool still sends the old key.',
      'The key has an allow list, and the tool now runs in another network.',
    ],
  },
  STORE_NOT_SUPPORTED: {
    status: 403,
    returnedBy: 'every',
    condition: 'The key belongs to an imported store, which another platform hosts.',
    retry: 'No.',
    fix: 'Use the export of the platform that hosts the store. This service does not serve imported stores.',
    mistakes: ['The client uses the key of the imported copy instead of the key of the generated store.'],
  },
  STORE_NOT_READY: {
    status: 409,
    returnedBy: 'every',
    condition: 'The store exists, but the platform is still creating its database.',
    retry: 'Yes, after 30 seconds (the header Retry-After).',
    retryAfterSeconds: { min: 30, max: 30 },
    fix: 'Wait until the platform has created the store.',
    mistakes: ['The client treats the response as an empty store.'],
  },
  INVALID_PARAM: {
    status: 400,
    returnedBy: ['page', 'ids', 'one', 'allOf'],
    condition:
      'The service does not accept the value of a parameter. Examples are a limit outside 1 to 250, an unknown status, a malformed datetime, and an ID that is not a UUID.',
    retry: 'No.',
    fix: 'Read the message. It names the parameter, the values that it accepts, and the value that you sent.',
    mistakes: [
      'The URL has the + of an offset such as +02:00 instead of %2B, so it arrives as a space.',
      'A datetime has no offset. Add Z or the offset.',
      'The client sends updated_since for customers of a store that does not track customer updates. Use created_since.',
      'The client sends a parameter twice, or without a value.',
    ],
    otherStatuses: [
      { status: 408, condition: 'The request did not arrive in time.', retry: 'Yes.' },
      { status: 431, condition: 'The headers of the request are too large.', retry: 'No.' },
    ],
  },
  INVALID_CURSOR: {
    status: 400,
    returnedBy: ['page', 'ids'],
    condition:
      'The service could not decode the cursor. The client changed it, or it is from another list or another store.',
    retry: 'No; start again from the first page.',
    fix: 'Pass the unchanged meta.next_cursor of the previous page to the same list of the same store.',
    mistakes: [
      'The client passes the cursor of one list to another list.',
      'A database column or a log cut the cursor off.',
      'The operator set up a new control database after the service returned the cursor.',
    ],
  },
  NOT_FOUND: {
    status: 404,
    returnedBy: ['page', 'ids', 'one', 'allOf'],
    condition: 'The path does not exist, the key may not read this resource, or this store has no row with this ID.',
    retry: 'No.',
    fix: 'Read the message. Compare the path with the reference, or use a key with the scope that the message names. If the path and the scope are right, this store has no row with this ID.',
    mistakes: [
      'The client uses the key of another store.',
      'The path has a trailing slash, no /api/v1, or _ in place of -. The message suggests the right path.',
      'The method is not GET or HEAD (status 405). The service is read-only: use GET.',
    ],
    otherStatuses: [{ status: 405, condition: 'The method is not GET or HEAD.', retry: 'No.' }],
  },
  RATE_LIMITED: {
    status: 429,
    returnedBy: 'every',
    condition:
      'The key has made more than 120 requests in this one-minute window, or its client does not read the responses.',
    retry: 'Yes, after the number of seconds in the header Retry-After.',
    fix: 'Wait for the number of seconds in the header Retry-After. Request fewer, larger pages: with limit=250, the 120 requests of a minute return up to 30,000 rows. If the message says that the response buffer is full, read the responses before you send more requests.',
    mistakes: [
      'Several tools share one key. Give each tool its own key: a store can have five.',
      'The client guesses the wait instead of reading Retry-After. A request that comes too early also counts toward the limit.',
    ],
  },
  STORE_DB_ERROR: {
    status: 502,
    returnedBy: 'every',
    condition:
      'The service could not read the store database, or it had an error of its own. The message says which. Most failures are temporary.',
    retry: 'Yes, after 1 to 5 seconds (the header Retry-After), with exponential backoff.',
    retryAfterSeconds: { min: 1, max: 5 },
    fix: 'Wait for the number of seconds in the header Retry-After, and double the wait after each further failure. Pass the same cursor: no row is lost.',
    mistakes: ['The client treats the failed page as the last one. A list ends only when meta.has_more is false.'],
  },
} as const satisfies Record<string, ErrorDeclaration>

/** Kind of an endpoint's response. `ResponseShape` describes each kind. */
export type ResponseKind = 'only' | 'one' | 'page' | 'ids' | 'allOf'

/** An error code: its HTTP status, when the service returns it, and what the client can do. */
export interface ErrorDeclaration {
  /** HTTP status. */
  readonly status: number
  /** The endpoints that can return the error to a well-formed request, by the kind of their response. */
  readonly returnedBy: 'every' | readonly ResponseKind[]
  readonly condition: string
  readonly retry: string
  /** Range of the header `Retry-After`, unless the `ApiError` sets the header itself. */
  readonly retryAfterSeconds?: { readonly min: number; readonly max: number }
  readonly fix: string
  readonly mistakes: readonly string[]
  /** Further statuses of responses with this code, except those of leak reports. */
  readonly otherStatuses?: readonly ErrorStatus[]
}

/** A status of an error code, and when the service returns it. */
export type ErrorStatus = Pick<ErrorDeclaration, 'status' | 'condition' | 'retry'>

/** Returns the documented statuses of an error code; the status of the specification is the first. */
export function errorStatusesOf(error: ErrorDeclaration): readonly ErrorStatus[] {
  return [error, ...(error.otherStatuses ?? [])]
}

/** Returns the codes that endpoints with this kind of response can return, in the order of `errors`. */
export function errorsFor(kind: ResponseKind, errors: Readonly<Record<string, ErrorDeclaration>> = ERRORS): string[] {
  return Object.entries(errors)
    .filter(([, { returnedBy }]) => returnedBy === 'every' || returnedBy.includes(kind))
    .map(([code]) => code)
}

/** An error code of the API, such as `NOT_FOUND`. */
export type ErrorCode = keyof typeof ERRORS

/**
 * An error that the service returns to the client. Clients see `message`; only the log contains the cause. `status`
 * differs from the declared status for method errors (reading R3), malformed requests (reading R36), and leak reports.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What the client has to change, without the values that it sent; null unless the status is 400, 404, or 405. */
  readonly reason: string | null

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = options.status ?? ERRORS[code].status
    this.headers = options.headers ?? {}
    this.reason = CHANGEABLE.has(this.status) ? (options.reason ?? message) : null
  }
}

/** The statuses of errors with a `reason`: the client can fix them by changing its request. */
const CHANGEABLE: ReadonlySet<number> = new Set([400, 404, 405])

/** What an `ApiError` adds to the declaration of its code. `status` replaces the declared status. */
export interface ApiErrorOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
  /** Replaces the message in the merchant's request log. Required if the message has text that the client sent. */
  readonly reason?: string
}
