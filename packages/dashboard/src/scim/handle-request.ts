// Checks each request of a directory before its handler: the token, its rate limit, and the body. It also applies the
// time limit, and creates the errors and the event of a request. Cookies and sessions have no effect here.

import { randomUUID } from 'node:crypto'
import { admitDirectory, countAttempt, type DirectoryAccess, parseDirectoryToken } from '@store-export/control'
import { within } from '@store-export/postgres'
import type { Context, Handler } from 'hono'
import { connectionAddress } from '../routes/connection-address.ts'
import { isControlDatabaseError } from '../routes/control-database-error.ts'
import type { Environment } from '../routes/create-handlers.ts'
import { clientNetwork } from '../security/client-network.ts'
import { readText } from '../security/read-text.ts'
import type { Services } from '../services.ts'
import { SCIM_PATH } from './documents.ts'
import { errorResponse, SCIM_TYPE, ScimError, type ScimResponse } from './scim-error.ts'

/** A request with an active token. */
export interface ScimRequest extends DirectoryAccess {
  readonly context: Context<Environment>
  readonly services: Services
  /** URL of the endpoint. */
  readonly base: string
  /** The JSON of the body; undefined for a handler that reads none. */
  readonly body: unknown
}

export type ScimHandler = (request: ScimRequest) => ScimResponse | Promise<ScimResponse>

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
  return {
    handle: (handler) => (context) => handleRequest(context, services, handler),
    handleBody: (handler) => (context) =>
      handleRequest(context, services, async (request) =>
        handler({ ...request, body: await readJson(request.context.req.raw) }),
      ),
  }
}

async function handleRequest(
  context: Context<Environment>,
  services: Services,
  handler: ScimHandler,
): Promise<Response> {
  const requestId = randomUUID()
  const startedAt = performance.now()
  const run = async () => {
    const { storeId, tokenId } = await authenticate(context, services)
    return handler({ context, services, storeId, tokenId, base: services.origins.url + SCIM_PATH, body: undefined })
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

/**
 * Returns the token and its store. A request with a wrong token counts toward the limit of its network. A request with a
 * valid token doesn't, because the directories of many companies share addresses. A guess can't succeed, so a valid token
 * works even from a limited network.
 */
async function authenticate(context: Context<Environment>, services: Services): Promise<DirectoryAccess> {
  const [, text] = /^bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '') ?? []
  if (text === undefined) throw unauthorized()
  const token = parseDirectoryToken(text)
  const admission = token === null ? null : await admitDirectory(services.database, token)
  if (admission === null) {
    const forwardedFor = context.req.header('x-forwarded-for') ?? null
    const network = clientNetwork(connectionAddress(context), forwardedFor, services.proxies)
    const verdict = await countAttempt(services.database, [`directory ${network}`])
    throw verdict.allowed ? unauthorized() : tooMany('too many requests with a wrong token', verdict.waitSeconds)
  }
  if (admission.waitSeconds > 0) throw tooMany('too many requests with this token', admission.waitSeconds)
  return admission
}

/** Returns the error of a request without an active token. */
export function unauthorized(): ScimError {
  const message = 'the token is missing, wrong, or revoked; create one under Settings > Members > Directory'
  return new ScimError(401, message, { headers: { 'www-authenticate': 'Bearer realm="scim"' } })
}

function tooMany(reason: string, waitSeconds: number): ScimError {
  const message = `${reason}; try again in ${waitSeconds} s`
  return new ScimError(429, message, { headers: { 'retry-after': String(waitSeconds) } })
}

async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!TYPES.includes(type)) throw new ScimError(415, `content-type: must be ${TYPES.join(' or ')}`)
  const text = await readText(request, BODY_BYTES_MAX).catch(() => '')
  if (text === null) throw new ScimError(413, `the body has more than ${BODY_BYTES_MAX} bytes`)
  try {
    return JSON.parse(text)
  } catch {
    throw new ScimError(400, 'the body: must be JSON', { type: 'invalidSyntax' })
  }
}
