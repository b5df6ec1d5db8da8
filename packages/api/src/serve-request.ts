// Serves one request: an API response or a document, its headers, its time limit, and its record.

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, type ErrorCode } from '@store-export/contract'
import { ControlDatabaseError } from '@store-export/control'
import { StoreDatabaseError } from '@store-export/engine'
import { type Answer, API_HEADERS, errorAnswer } from './answer.ts'
import { boundedAnswer, ClientLeft } from './bounded-answer.ts'
import { chooseEncoding } from './compress.ts'
import type { DocumentBodies } from './document-bodies.ts'
import type { OpenAnswers } from './open-answers.ts'
import type { Trace } from './pipeline.ts'
import { recordRequest } from './record-request.ts'
import { askedOrigin } from './reference/asked-origin.ts'
import type { ReferenceRoute } from './reference/route.ts'
import { hasBody, readRequest } from './request.ts'
import type { ServerOptions } from './server.ts'
import { closeAfterBody } from './unread-body.ts'

/** A connection closes if its client neither reads nor writes for so long. */
export const SILENCE_MS = 30_000
/** Status 499, recorded if the client left before its response. */
const UNHEARD: Answer = { status: 499, headers: {}, body: Buffer.alloc(0), rows: 0 }

/** A request, and what it is served with. */
interface Exchange {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** The response before this one on the connection. */
  readonly before: ServerResponse | undefined
  readonly options: ServerOptions
  readonly answers: OpenAnswers
  readonly bodies: DocumentBodies
  /** Whether the server is about to stop, or no longer listens: the connection ends with this response. */
  readonly isDraining: () => boolean
}

/** Serves one request. */
export async function serve(exchange: Exchange): Promise<void> {
  const { message, response, before, options, answers, bodies, isDraining } = exchange
  response.on('error', () => undefined)
  await whenLeft(before)
  if (!message.socket.writable) return
  const startedAt = performance.now()
  const requestId = randomUUID()
  const trace: Trace = {
    keyId: null,
    storeId: null,
    endpoint: 'unknown',
    keyRejected: null,
    minuteRequests: 0,
    walk: null,
    headers: { 'x-request-id': requestId },
  }
  const answer = await answerSafely(exchange, requestId, trace)
  const acceptEncoding = String(message.headers['accept-encoding'] ?? '')
  const encoding = chooseEncoding(acceptEncoding, answer.body.length)
  const body = encoding === null ? answer.body : await bodies.encode(answer.body, encoding)
  if (isDraining() || hasBody(message)) trace.headers.connection = 'close'
  if (hasBody(message)) closeAfterBody(message, options.limits.requestTimeoutMs)
  response.writeHead(answer.status, {
    ...API_HEADERS,
    ...answer.headers,
    ...trace.headers,
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
    'content-length': body.length,
  })
  if (answer.release !== undefined) answers.whenClosed(response, answer.release)
  limitTime(exchange)
  response.end(message.method === 'HEAD' ? undefined : body)
  recordRequest({ message, answer, trace, requestId, durationMs: performance.now() - startedAt, options })
}

/**
 * Resolves when the response has left. Requests of one connection are served one after another, so a client that sends many
 * and reads no response holds the memory of one page.
 */
export function whenLeft(before: ServerResponse | undefined): Promise<void> {
  if (before === undefined || before.writableFinished) return Promise.resolve()
  return new Promise((resolve) => before.once('close', resolve))
}

/** Bounds the time in which the client reads the response. The service closes the connection of a client that is too slow. */
function limitTime({ message: { socket }, response, options, answers }: Exchange): void {
  socket.setTimeout(SILENCE_MS)
  const timer = setTimeout(() => socket.destroy(), options.limits.responseTimeoutMs)
  answers.whenClosed(response, () => clearTimeout(timer))
}

async function answerSafely(
  { message, response, options, answers, bodies }: Exchange,
  requestId: string,
  trace: Trace,
): Promise<Answer & { code?: ErrorCode }> {
  try {
    const request = readRequest(message, requestId)
    const known = options.documents.get(request.path)
    const document = known?.at?.(askedOrigin(message.headers)) ?? known
    if (document === undefined)
      return await boundedAnswer(request, { response, trace, pipeline: options.pipeline, answers })
    trace.endpoint = request.path
    return await documentAnswer(document, request.method, bodies)
  } catch (error) {
    if (error instanceof ApiError) return { ...errorAnswer(error), code: error.code }
    if (error instanceof ClientLeft) return UNHEARD
    const isReported = error instanceof StoreDatabaseError || error instanceof ControlDatabaseError
    if (!isReported) options.emit({ event: 'request.failed', requestId, cause: error })
    return { ...errorAnswer(error), code: 'STORE_DB_ERROR' }
  }
}

async function documentAnswer(document: ReferenceRoute, method: string, bodies: DocumentBodies): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD')
    throw new ApiError('NOT_FOUND', 'read-only: use GET', { status: 405, headers: { allow: 'GET, HEAD' } })
  const { contentType, cacheControl, headers } = document
  return {
    status: 200,
    headers: { ...headers, 'content-type': contentType, 'cache-control': cacheControl, vary: 'accept-encoding' },
    body: await bodies.of(document),
    rows: 0,
  }
}
