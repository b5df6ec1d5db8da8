// Checks each request of a directory before its handler: the token, its rate limit, and the body if the handler needs
// one. It also applies the time limit, and creates the errors and the events of a request. Cookies and sessions have no
// effect here.

import { randomUUID } from 'node:crypto'
import {
  admitDirectory,
  countAttempt,
  type DirectoryAccess,
  hashApiKey,
  type PlainKey,
  parseDirectoryToken,
} from '@store-export/control'
import { within } from '@store-export/postgres'
import type { Context, Handler } from 'hono'
import { connectionAddress } from '../routes/connection-address.ts'
import { isControlDatabaseError } from '../routes/control-database-error.ts'
import type { Environment } from '../routes/create-handlers.ts'
import { clientNetwork } from '../security/client-network.ts'
import { readText } from '../security/read-text.ts'
import type { Services } from '../services.ts'
import { SCIM_PATH } from './documents.ts'
import { RequestsInProgress } from './requests-in-progress.ts'
import { errorResponse, SCIM_TYPE, ScimError, type ScimResponse, tooMany } from './scim-error.ts'

/** A request with an active token. */
export interface ScimRequest extends DirectoryAccess {
  readonly context: Context<Environment>
  readonly services: Services
  /** URL of the endpoint. */
  readonly base: string
  /** The JSON of the body; undefined for a handler that reads none. */
  readonly body: unknown
}

/** Responds to a request. Can throw `ScimError`. */
export type ScimHandler = (request: ScimRequest) => ScimResponse | Promise<ScimResponse>

/** Time limit of a request, in ms. The work then continues in the background, but its result is lost. */
const TIMEOUT_MS = 15_000
const BODY_BYTES_MAX = 65_536
const TYPES: readonly string[] = [SCIM_TYPE, 'application/json']

/** Functions that wrap a handler of the endpoint in a Hono handler. */
export interface ScimHandlers {
  readonly handle: (handler: ScimHandler) => Handler<Environment>
  /** For handlers that need the JSON of the body. */
  readonly handleBody: (handler: ScimHandler) => Handler<Environment>
}

/** Returns the wrappers for one dashboard. */
export function scimHandlers(services: Services): ScimHandlers {
  const requests = new RequestsInProgress()
  return {
    handle: (handler) => (context) => handleRequest(context, { services, requests }, handler),
    handleBody: (handler) => (context) =>
      handleRequest(context, { services, requests }, async (request) =>
        handler({ ...request, body: await readJson(request.context.req.raw) }),
      ),
  }
}

interface Endpoint {
  readonly services: Services
  readonly requests: RequestsInProgress
}

async function handleRequest(
  context: Context<Environment>,
  { services, requests }: Endpoint,
  handler: ScimHandler,
): Promise<Response> {
  const requestId = randomUUID()
  const startedAt = performance.now()
  const base = services.origins.url + SCIM_PATH
  const run = async () => {
    const token = tokenOf(context)
    if (token === null) throw await rejection(context, services)
    // The check of a token can wait for another request with the same token. So these requests have a limit, too.
    return requests.limit(hashApiKey(token).bytes.toString('hex'), async () => {
      const { storeId, tokenId } = await authenticate(context, services, token)
      return requests.limit(storeId, async () =>
        handler({ context, services, storeId, tokenId, base, body: undefined }),
      )
    })
  }
  const result = await within(TIMEOUT_MS, run(), () => undefined).catch((cause: unknown) => {
    if (cause instanceof ScimError) return errorResponse(cause)
    const isTemporary = isControlDatabaseError(cause)
    services.emit({ event: isTemporary ? 'control.query_failed' : 'page.failed', requestId, cause })
    return errorResponse(isTemporary ? UNAVAILABLE : FAILED)
  })
  const { method, routePath: route } = context.req
  const durationMs = performance.now() - startedAt
  services.emit({ event: 'page.completed', requestId, route, method, status: result.status, durationMs })
  return responseOf(result, requestId)
}

const UNAVAILABLE = new ScimError(503, 'the service is not available; try again', { headers: { 'retry-after': '5' } })
const FAILED = new ScimError(500, 'something went wrong on our side')

function responseOf({ status, body, headers = {} }: ScimResponse, requestId: string): Response {
  const all = { 'cache-control': 'no-store', 'x-request-id': requestId, ...headers }
  if (body === null) return new Response(null, { status, headers: all })
  return new Response(JSON.stringify(body), { status, headers: { ...all, 'content-type': SCIM_TYPE } })
}

/** Returns the token of the header; null if it is not a token of a directory. Throws `ScimError` without a token. */
function tokenOf({ req }: Context<Environment>): PlainKey | null {
  const [, text] = /^bearer +(\S+)$/i.exec(req.header('authorization') ?? '') ?? []
  if (text === undefined) throw unauthorized()
  return parseDirectoryToken(text)
}

async function authenticate(
  context: Context<Environment>,
  services: Services,
  token: PlainKey,
): Promise<DirectoryAccess> {
  const admission = await admitDirectory(services.database, token)
  if (admission === null) throw await rejection(context, services)
  if (admission.waitSeconds > 0) throw tooMany('too many requests with this token', admission.waitSeconds)
  return admission
}

/**
 * Returns the error of a request with a wrong token, and counts the request toward the limit of its network. A request
 * with a valid token doesn't count, because the directories of many companies share addresses. Tokens are too long to
 * guess, so a valid token works even from a limited network.
 */
async function rejection(context: Context<Environment>, services: Services): Promise<ScimError> {
  const forwardedFor = context.req.header('x-forwarded-for') ?? null
  const network = clientNetwork(connectionAddress(context), forwardedFor, services.proxies)
  const verdict = await countAttempt(services.database, [`directory ${network}`])
  return verdict.allowed ? unauthorized() : tooMany('too many requests with a wrong token', verdict.waitSeconds)
}

/** Returns the error of a request without an active token. */
export function unauthorized(): ScimError {
  const message = 'the token is missing, wrong, or revoked; create one under Settings > Members > Directory'
  return new ScimError(401, message, { headers: { 'www-authenticate': 'Bearer realm="scim"' } })
}

/** Returns the JSON of the body. Throws `ScimError` for another media type, a long body, and a slow or invalid one. */
async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!TYPES.includes(type)) throw new ScimError(415, `content-type: must be ${TYPES.join(' or ')}`)
  // A body that never ends would otherwise count as a request in progress forever.
  const text = await within(TIMEOUT_MS, readText(request, BODY_BYTES_MAX)).catch(() => '')
  if (text === null) throw new ScimError(413, `the body has more than ${BODY_BYTES_MAX} bytes`)
  try {
    return JSON.parse(text)
  } catch {
    throw new ScimError(400, 'the body: must be JSON', { type: 'invalidSyntax' })
  }
}
