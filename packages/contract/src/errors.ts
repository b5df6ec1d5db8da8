// The single declaration of each error code: its statuses, when it is returned, whether to retry, and what to do.
// Responses, OpenAPI, and the pages in docs/api/errors are derived from it.

/** Every error code, in the order of the specification. Each has a generated page in `docs/api/errors`. */
export const ERRORS = {
  INVALID_API_KEY: {
    status: 401,
    returnedBy: 'every',
    condition:
      'The header x-api-key has no valid key. The header is missing or was sent twice, or its key is incomplete or unknown. Or the key is revoked, expired, turned off, or not allowed from this network address.',
    retry: 'No.',
    fix: 'Send the whole key once, in the header x-api-key. If that does not help, ask the merchant to look at the key in the store dashboard, under Settings, API. If the key is turned off, the merchant can turn it on. If its allow list does not contain your network, the merchant can add the network. If the key is revoked, expired, or lost, the merchant can create a new key.',
    mistakes: [
      'The client sends the key as Authorization: Bearer, or in the query string. The service reads only the header x-api-key.',
      'The key was copied with a space, a line break, or quotes.',
      'The client sends the header twice.',
      'The merchant has replaced the key, but the client still sends the old key.',
      'The client sends the key to a different installation of the service, for example to a test system.',
      'The key has an allow list, and the client has moved to a different network.',
    ],
  },
  STORE_NOT_SUPPORTED: {
    status: 403,
    returnedBy: 'every',
    condition: 'The key belongs to an imported store: a store that a different platform hosts.',
    retry: 'No.',
    fix: 'Use the export of the platform that hosts the store. This service does not serve imported stores.',
    mistakes: [
      'The merchant has an imported store and a store of this platform, and the client uses the key of the imported store.',
    ],
  },
  STORE_NOT_READY: {
    status: 409,
    returnedBy: 'every',
    condition: 'The store exists, but the platform is still creating its database.',
    retry: 'Yes, after the number of seconds in the header Retry-After (30).',
    retryAfterSeconds: { min: 30, max: 30 },
    fix: 'Send the same request again every 30 seconds, until the platform has created the database. If this takes longer than you expect, ask the operator.',
    mistakes: ['The client treats the response as an empty store.'],
  },
  INVALID_PARAM: {
    status: 400,
    returnedBy: ['page', 'ids', 'one', 'allOf'],
    condition:
      'The service does not accept the value of a parameter. Examples are a limit above 250, an unknown status, a malformed datetime, and an ID that is not a UUID. Or the request is not well-formed HTTP.',
    retry: 'No.',
    fix: 'With status 400, read the message. It names the parameter, the values that it accepts, and the value that you sent. With status 408, send the request again. With status 431, shorten the URL, or send fewer or shorter headers.',
    mistakes: [
      'A datetime in the URL has an offset such as +02:00. In a URL, a + means a space, so write %2B02:00.',
      'A datetime has neither Z nor an offset. Add Z or an offset.',
      'The client sends updated_since or updated_until for customers, but the store does not track updates of customers. Use created_since or created_until, and read all customers once a day.',
      'The client sends a parameter twice, or without a value. For a cursor without a value, the code is INVALID_CURSOR.',
    ],
    otherStatuses: [
      { status: 408, condition: 'The request did not arrive completely in time.', retry: 'Yes.' },
      { status: 431, condition: 'Together, the URL and the headers of the request are too large.', retry: 'No.' },
    ],
  },
  INVALID_CURSOR: {
    status: 400,
    returnedBy: ['page', 'ids'],
    condition:
      'The service does not accept the cursor. The cursor is empty, was changed, or belongs to a different list or store. Or the operator updated the service or set it up again after the client got the cursor.',
    retry: 'No. Start again from the first page.',
    fix: 'Start the list again, without a cursor. To avoid the error, pass the unchanged meta.next_cursor of the previous page to the same list, with a key of the same store.',
    mistakes: [
      'The client passes the cursor of one list to a different list, such as that of /api/v1/orders to /api/v1/ids/orders.',
      'The client stores the cursor in a database column that is too short, which cuts it off.',
      'The client requests the first page with an empty cursor. Leave the parameter out.',
      'The client stores a cursor for a long time. Meanwhile, the operator updates the service or sets it up again.',
    ],
  },
  NOT_FOUND: {
    status: 404,
    returnedBy: ['page', 'ids', 'one', 'allOf'],
    condition: 'The path does not exist, the key may not read this resource, or the store has no row with this ID.',
    retry: 'No.',
    fix: 'Read the message. If it says that the path does not exist, compare the path with the reference. If it names a scope, such as orders:read, the key lacks this scope. The merchant can add the scope to the key. If the message says that the store has no such row, check the ID, and whether the key belongs to the right store. If both are right, the store has deleted the row.',
    mistakes: [
      'The client uses the key of a different store.',
      'The path ends with a slash, does not begin with /api/v1, or has _ in place of -. The message suggests the right path.',
      'The method is not GET or HEAD (status 405). The service is read-only: use GET.',
    ],
    otherStatuses: [{ status: 405, condition: 'The method is not GET or HEAD.', retry: 'No.' }],
  },
  RATE_LIMITED: {
    status: 429,
    returnedBy: 'every',
    condition:
      'The key has used up its requests for this minute: 120, unless the operator set a different limit. Or clients with this key left so many responses unread that the response buffer of the key is full.',
    retry:
      'Yes, after the number of seconds in the header Retry-After. An earlier request can get this error again, but does not make the wait longer.',
    fix: 'If the key has used up its requests, wait for the number of seconds in the header Retry-After. To need fewer requests, use limit=250. If the message says that the response buffer is full, read the open responses to their end, or close their connections. Then send the request again.',
    mistakes: [
      'Several tools share one key. Give each tool its own key. A store can have five keys at a time.',
      'The client does not wait for the time in Retry-After.',
    ],
  },
  STORE_DB_ERROR: {
    status: 502,
    returnedBy: 'every',
    condition:
      'The service could not read the store database or its own database. Other causes are an internal error, more requests than the service can handle, and a full response buffer, because clients read their responses too slowly. The message names the cause. Most of these errors are temporary.',
    retry: 'Yes, after the number of seconds in the header Retry-After (1 to 5).',
    retryAfterSeconds: { min: 1, max: 5 },
    fix: 'Wait for the number of seconds in the header Retry-After. Then send the same request again, with the same cursor. The list then continues without a gap. After each further failure, wait twice as long as before, up to 30 seconds. If the error continues for two minutes, stop, and try again later. If the error comes back, send the operator the value of the header x-request-id.',
    mistakes: ['The client treats the failed page as the last page. A list ends only when meta.has_more is false.'],
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
  /** What happened. Like `fix` and `mistakes`, it has whole sentences for the documentation. */
  readonly condition: string
  /** Whether and when to retry. Begins with "Yes" if clients should retry: openapi-extensions.ts reads this word. */
  readonly retry: string
  /** Range of the header `Retry-After` in seconds, unless the `ApiError` sets the header itself. */
  readonly retryAfterSeconds?: { readonly min: number; readonly max: number }
  readonly fix: string
  readonly mistakes: readonly string[]
  /** Further statuses of responses with this code, except those of leak reports. */
  readonly otherStatuses?: readonly ErrorStatus[]
}

/** A status of an error code, and when the service returns it. */
export type ErrorStatus = Pick<ErrorDeclaration, 'status' | 'condition' | 'retry'>

/** Returns the documented statuses of an error code. The first is the status of the specification. */
export function errorStatusesOf(error: ErrorDeclaration): readonly ErrorStatus[] {
  return [error, ...(error.otherStatuses ?? [])]
}

/** Returns each status of each error code, sorted by status, for tables. */
export function errorsByStatus(
  errors: Readonly<Record<string, ErrorDeclaration>>,
): readonly (ErrorStatus & { readonly code: string })[] {
  const rows = Object.entries(errors).flatMap(([code, error]) =>
    errorStatusesOf(error).map(({ status, condition, retry }) => ({ code, status, condition, retry })),
  )
  return rows.sort((a, b) => a.status - b.status)
}

/** Returns the retry rule of an error code, and a sentence for each further status whose rule is different. */
export function retryRules({ retry, otherStatuses = [] }: ErrorDeclaration): string {
  const others = otherStatuses.filter((other) => other.retry !== retry)
  return [retry, ...others.map((other) => `With status ${other.status}: ${other.retry.toLowerCase()}`)].join(' ')
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
 * An error that the service returns to the client. Clients see `message`; only the log contains the cause. `status` can
 * differ from the declared status: for other methods than GET and HEAD (405), malformed requests (408 and 431), and
 * leak reports. See R3 and R36 in docs/spec/readings.md.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /**
   * What the client has to change, without the values that it sent; null unless the status is 400, 404, or 405. It is
   * the message, unless the options have another reason.
   */
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

/** Members of an `ApiError` that its code does not determine. `status` replaces the declared status. */
export interface ApiErrorOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
  /** Replaces the message in the merchant's request log. Required if the message has text that the client sent. */
  readonly reason?: string
}
