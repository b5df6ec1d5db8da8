// Declares the errors of the SCIM endpoint, and their response (RFC 7644, section 3.12).

/** Media type of every response. */
export const SCIM_TYPE = 'application/scim+json'

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** The statuses of errors. */
export type ScimStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 501 | 503

/** The `scimType` of an error, one of those that the RFC defines for status 400 and 409. */
export type ScimErrorType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'uniqueness'

/** Thrown for a request that the endpoint refuses. The directory shows the message to its administrators. */
export class ScimError extends Error {
  override readonly name = 'ScimError'
  readonly status: ScimStatus
  readonly type: ScimErrorType | null
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: ScimStatus,
    message: string,
    options: { readonly type?: ScimErrorType; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.status = status
    this.type = options.type ?? null
    this.headers = options.headers ?? {}
  }
}

/** Returns the error with status 429 of a request that the directory can repeat after `waitSeconds`. */
export function tooMany(reason: string, waitSeconds: number): ScimError {
  const message = `${reason}; try again in ${waitSeconds} s`
  return new ScimError(429, message, { headers: { 'retry-after': String(waitSeconds) } })
}

/** Returns the response with an error. */
export function errorResponse({ status, message, type, headers }: ScimError): ScimResponse {
  return {
    status,
    body: {
      schemas: [ERROR_SCHEMA],
      status: String(status),
      ...(type === null ? {} : { scimType: type }),
      detail: message,
    },
    headers,
  }
}

/** A response of the endpoint. `body` is null for a response without content. */
export interface ScimResponse {
  readonly status: ScimStatus | 200 | 201 | 204
  readonly body: Readonly<Record<string, unknown>> | null
  readonly headers?: Readonly<Record<string, string>>
}
