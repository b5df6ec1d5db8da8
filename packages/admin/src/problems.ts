// Declares every problem of the admin API. Responses have the form of RFC 9457, and docs/operate/admin-api.md lists the
// problems from this declaration.

/** What a problem means. */
interface ProblemDeclaration {
  readonly status: number
  /** Short summary, the same for every occurrence. */
  readonly title: string
  /** What the client should do, in Markdown. */
  readonly fix: string
}

/** Every problem by the last part of its `type`. */
export const PROBLEMS = {
  'invalid-request': {
    status: 400,
    title: 'The request is not valid',
    fix: 'Correct every field that `errors` lists. The request changed nothing.',
  },
  unauthorized: {
    status: 401,
    title: 'A valid admin token is required',
    fix: 'Send `Authorization: Bearer` with a token of `store-export admin-tokens create`. Revoked and expired tokens are rejected too.',
  },
  'not-found': {
    status: 404,
    title: 'The path does not exist',
    fix: 'Check the path. `/openapi.json` lists all paths.',
  },
  'unknown-store': {
    status: 404,
    title: 'No store has this ID',
    fix: 'Check the ID or the external ID. A removed store has neither.',
  },
  'unknown-key': {
    status: 404,
    title: 'No key has this ID',
    fix: 'Check the ID. `GET /v1/stores/{store}/keys` lists the keys of a store.',
  },
  'unknown-merchant': {
    status: 404,
    title: 'No account has this email address',
    fix: 'Add the person with `PUT /v1/stores/{store}/members/{email}` first.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The path does not accept this method',
    fix: 'Use a method that the header `Allow` lists.',
  },
  'key-ended': {
    status: 409,
    title: 'The key is revoked or has expired',
    fix: 'Create a new key. A revoked key cannot be changed.',
  },
  'key-limit-reached': {
    status: 409,
    title: 'The store has the maximum number of active keys',
    fix: 'Revoke a key first. `detail` names the key that was used least recently.',
  },
  'key-not-replaceable': {
    status: 409,
    title: 'The key was replaced already, or is not active',
    fix: 'Replace the newer key, or create a new key.',
  },
  'last-admin': {
    status: 409,
    title: 'The store would have no admin',
    fix: 'Make a different member an admin first.',
  },
  'request-running': {
    status: 409,
    title: 'A request with this Idempotency-Key is still running',
    fix: 'Wait a second, and send the same request again.',
  },
  'response-unreadable': {
    status: 409,
    title: 'The stored response cannot be decrypted',
    fix: 'The secret of the service was replaced after the first request. Read the store to see what the first request changed, and use a new Idempotency-Key.',
  },
  refused: {
    status: 409,
    title: 'The state of the store does not allow the operation',
    fix: '`detail` says what to do, for example which command of `store-export` to run.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    fix: 'Send at most 1 MB, or 4 MB and 1,000 lines in a batch.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body has the wrong media type',
    fix: 'Send `Content-Type: application/json`, or `application/x-ndjson` for a batch.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key belongs to a different request',
    fix: 'Use a new Idempotency-Key for each request. Reuse it only to repeat a request with the same method, path, and body.',
  },
  'internal-error': {
    status: 500,
    title: 'An internal error happened',
    fix: 'Send the request again. If it fails again, search the log of the node for the ID in the header `X-Request-Id`.',
  },
  'database-error': {
    status: 502,
    title: 'A database refused a statement',
    fix: '`detail` has the message of the database. Fix its cause, and send the request again.',
  },
  'database-unreachable': {
    status: 503,
    title: 'A database cannot be reached',
    fix: 'Send the request again later.',
  },
  'secrets-differ': {
    status: 503,
    title: 'Nodes have different secrets',
    fix: 'Give all nodes the same `STORE_EXPORT_SECRET`. See [Replace the secret](rotate-secrets.md).',
  },
  'node-stopping': {
    status: 503,
    title: 'The node is shutting down and did not process this line of the batch',
    fix: 'Send the batch again, to another node or later.',
  },
  'too-many-operations': {
    status: 503,
    title: 'Too many operations on databases are waiting',
    fix: 'Wait as many seconds as the header `Retry-After` says, and send the request again.',
  },
} as const satisfies Readonly<Record<string, ProblemDeclaration>>

/** The last part of a problem's `type`. */
export type ProblemName = keyof typeof PROBLEMS

/** What is wrong with a part of the request. */
export interface FieldError {
  /** Path of the field, such as `keys[0].name`. */
  readonly field: string
  readonly message: string
}

/** A problem as the client gets it. */
export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly errors?: readonly FieldError[]
}

/** Media type of a problem. */
export const PROBLEM_TYPE = 'application/problem+json'

/** Page of the documentation with a section for each problem, as a path of the website. */
const PAGE = '/operate/admin-api.html'

/** Thrown for a request that can't be completed. The message is the `detail` of the response. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly problem: ProblemName
  readonly errors: readonly FieldError[] | null
  readonly headers: Readonly<Record<string, string>>

  constructor(
    problem: ProblemName,
    detail: string,
    options: {
      readonly errors?: readonly FieldError[]
      readonly headers?: Readonly<Record<string, string>>
      readonly cause?: unknown
    } = {},
  ) {
    super(detail, { cause: options.cause })
    this.problem = problem
    this.errors = options.errors ?? null
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return PROBLEMS[this.problem].status
  }

  get document(): ProblemDocument {
    const { status, title } = PROBLEMS[this.problem]
    const fields = this.errors === null ? {} : { errors: this.errors }
    return { type: `${PAGE}#${this.problem}`, title, status, detail: this.message, ...fields }
  }
}

/** Returns a section for each problem of docs/operate/admin-api.md. */
export function problemSections(): string {
  return Object.entries(PROBLEMS)
    .map(([name, { status, title, fix }]) => `### ${name}\n\nStatus ${status}. ${title}. ${fix}`)
    .join('\n\n')
}
