// The HTTP server around the pipeline: limits on connections, headers, time and bodies, and what every answer carries.

import { randomUUID } from 'node:crypto'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, type ErrorCode } from '@store-export/contract'
import { ControlDatabaseFault, type RecordedRequest, type UsageOutcome } from '@store-export/control'
import { StoreDatabaseFault } from '@store-export/engine'
import { type Answer, errorAnswer } from './answer.ts'
import { boundedAnswer, ClientLeft } from './bounded-answer.ts'
import { chooseEncoding } from './compress.ts'
import { DocumentBodies } from './document-bodies.ts'
import { ignoreUpgrade } from './ignore-upgrade.ts'
import { OpenAnswers, type UnsentLimits } from './open-answers.ts'
import type { Pipeline, Trace } from './pipeline.ts'
import { askedOrigin } from './reference/asked-origin.ts'
import { SERVICE_LINK } from './reference/documents.ts'
import type { ReferenceRoute } from './reference/route.ts'
import { framingError, hasBody, readRequest } from './request.ts'
import type { Observe } from './request-event.ts'
import { stopServer } from './stop.ts'
import { endBehindBody } from './unread-body.ts'

/** Limits of the listener; settings. */
export interface ServerLimits extends UnsentLimits {
  readonly connectionsMax: number
  readonly headerBytesMax: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
  readonly answerTimeoutMs: number
}

/** What the server works with. */
export interface ServerOptions {
  readonly pipeline: Pipeline
  /** Pages that need no key, by path. */
  readonly documents: ReadonlyMap<string, ReferenceRoute>
  readonly limits: ServerLimits
  readonly observe: Observe
  readonly recordUsage: (request: RecordedRequest) => void
  /** Aborted when the node is about to leave: from then on each response ends its connection. */
  readonly ending?: AbortSignal
}

/** On every answer of the API (R27); documents bring their own rule for caches. */
const API_HEADERS = {
  'cache-control': 'private, no-store',
  vary: 'x-api-key, accept-encoding',
  'x-content-type-options': 'nosniff',
  link: SERVICE_LINK,
}
const CHECK_INTERVAL_MS = 1000
/** A client that neither reads nor writes for so long is let go. */
const SILENCE_MS = 30_000
/** Time for a client to read the last response of its connection before the service closes it. */
const FAREWELL_MS = 1000

/** For the log and the figures alone: nobody is there to get it. */
const UNHEARD: Answer = { status: 499, headers: {}, body: Buffer.alloc(0), rows: 0 }

/** The server and its end. */
export interface ApiServer {
  /** The caller makes it listen. */
  readonly server: http.Server
  /** Accepts nothing new, lets answers under way leave whole for `drainMs`, and closes every connection. */
  readonly stop: (drainMs: number) => Promise<void>
}

/** The server, not listening yet. */
export function createApiServer(options: ServerOptions): ApiServer {
  const { limits } = options
  const server = http.createServer(
    {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      // A whole request takes no less than its headers; Node refuses to start with less.
      requestTimeout: Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, limits.headersTimeoutMs),
      insecureHTTPParser: false,
      // Checked by us, since Node's own refusal has no body.
      requireHostHeader: false,
      noDelay: true,
    },
    (message, response) => receive(message, response),
  )
  // The last request of each connection: what follows it cannot be answered before it.
  const latest = new WeakMap<Duplex, ServerResponse>()
  const answers = new OpenAnswers(limits)
  const shared = {
    options,
    answers,
    bodies: new DocumentBodies(),
    isDraining: () => options.ending?.aborted === true || !server.listening,
  }
  const receive = (message: IncomingMessage, response: ServerResponse) => {
    const before = latest.get(message.socket)
    latest.set(message.socket, response)
    answers.add(response)
    serve({ message, response, before, ...shared }).catch((cause: unknown) => {
      options.observe({ event: 'own fault', requestId: null, cause })
      response.destroy()
    })
  }
  server.maxConnections = limits.connectionsMax
  // Bounded by their size; Node would else drop those beyond a count in silence.
  server.maxHeadersCount = 0
  server.setTimeout(Math.max(SILENCE_MS, limits.keepAliveMs + 1000))
  server.on('checkExpectation', receive)
  server.on('clientError', (error, socket) => {
    const pending = latest.get(socket)
    if (pending === undefined || pending.writableFinished) return refuseFraming(error, socket, options)
    // Garbage behind it, or a body that is none: what is asked gets its answer, and the connection ends with it.
    pending.once('finish', () => endSoon(socket))
  })
  server.on('connect', (_message, socket) => refuseConnect(socket, options))
  ignoreUpgrade(server, (socket) => leaving(latest.get(socket)))
  return { server, stop: (drainMs) => stopServer(server, answers, drainMs) }
}

interface Exchange {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** The answer that stands before this one on the connection. */
  readonly before: ServerResponse | undefined
  readonly options: ServerOptions
  readonly answers: OpenAnswers
  readonly bodies: DocumentBodies
  /** Whether the server is about to stop, or no longer listens: the connection ends with this response. */
  readonly isDraining: () => boolean
}

async function serve(exchange: Exchange): Promise<void> {
  const { message, response, before, options, answers, bodies, isDraining } = exchange
  response.on('error', () => undefined)
  await leaving(before)
  if (!message.socket.writable) return
  const startedAt = performance.now()
  const requestId = randomUUID()
  const trace: Trace = {
    keyId: null,
    storeId: null,
    endpoint: 'unknown',
    keyRefused: null,
    minuteRequests: 0,
    walk: null,
    headers: { 'x-request-id': requestId },
  }
  const answer = await answerSafely(exchange, requestId, trace)
  const acceptEncoding = String(message.headers['accept-encoding'] ?? '')
  const encoding = chooseEncoding(acceptEncoding, answer.body.length)
  const body = encoding === null ? answer.body : await bodies.encode(answer.body, encoding)
  if (isDraining() || hasBody(message)) trace.headers.connection = 'close'
  if (hasBody(message)) endBehindBody(message, options.limits.requestTimeoutMs)
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
  note({ message, answer, trace, requestId, durationMs: performance.now() - startedAt, options })
}

/** Requests of one connection are served one after another: a client that sends many and reads none holds one page. */
function leaving(before: ServerResponse | undefined): Promise<void> {
  if (before === undefined || before.writableFinished) return Promise.resolve()
  return new Promise((resolve) => before.once('close', resolve))
}

/** From now on the client has to read; what it has not read in time is cut, which its `content-length` shows. */
function limitTime({ message: { socket }, response, options, answers }: Exchange): void {
  socket.setTimeout(SILENCE_MS)
  const timer = setTimeout(() => socket.destroy(), options.limits.answerTimeoutMs)
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
    const isObserved = error instanceof StoreDatabaseFault || error instanceof ControlDatabaseFault
    if (!isObserved) options.observe({ event: 'own fault', requestId, cause: error })
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

interface AnsweredRequest {
  readonly message: IncomingMessage
  readonly answer: Answer & { readonly code?: ErrorCode }
  readonly trace: Trace
  readonly requestId: string
  readonly durationMs: number
  readonly options: ServerOptions
}

function note({ message, answer, trace, requestId, durationMs, options }: AnsweredRequest): void {
  const { keyId, storeId, endpoint, keyRefused } = trace
  const { status, rows, code } = answer
  if (keyRefused !== null) options.observe({ event: 'key refused', requestId, reason: keyRefused })
  if (keyId !== null) {
    const { minuteRequests, walk } = trace
    const outcome = outcomeOf(status)
    options.recordUsage({
      keyId,
      outcome,
      endpoint,
      status,
      code: code ?? null,
      rows,
      durationMs,
      minuteRequests,
      walk,
    })
  }
  options.observe({
    event: 'request answered',
    ...{ requestId, endpoint, method: message.method ?? 'GET', status, durationMs, rows, keyId, storeId },
    ...(code === undefined ? {} : { code }),
    bytes: answer.body.length,
  })
}

function outcomeOf(status: number): UsageOutcome {
  if (status < 400) return 'answered'
  if (status >= 500) return 'failed'
  return status === 429 || status === 403 || status === 409 ? 'refused' : 'clientErrors'
}

const FRAMING: Readonly<Record<string, { readonly status: number; readonly what: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, what: 'its headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, what: 'it did not arrive in time' },
}

function refuseFraming(error: NodeJS.ErrnoException, socket: Duplex, { observe }: ServerOptions): void {
  const code = error.code ?? 'unknown'
  const { status, what } = FRAMING[code] ?? { status: 400, what: 'it cannot be parsed' }
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  refuseRaw(socket, framingError(what, status), code, observe)
}

function refuseConnect(socket: Duplex, { observe }: ServerOptions): void {
  // Node takes its own listener away here: without one, a client that resets the connection would end the process.
  socket.on('error', () => socket.destroy())
  refuseRaw(socket, framingError('CONNECT is not served'), 'CONNECT', observe)
}

function refuseRaw(socket: Duplex, error: ApiError, code: string, observe: Observe): void {
  const requestId = randomUUID()
  const answer = errorAnswer(error)
  observe({ event: 'framing refused', requestId, status: answer.status, code })
  writeRaw(socket, { ...answer, headers: { ...answer.headers, 'x-request-id': requestId } })
}

/** Writes an answer where there is no response object, and closes the connection. */
function writeRaw(socket: Duplex, { status, headers, body }: Answer): void {
  const lines = Object.entries({
    ...API_HEADERS,
    ...headers,
    'content-length': String(body.length),
    connection: 'close',
  })
  const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  endSoon(socket, Buffer.concat([Buffer.from(head), body]))
}

/** Ends a connection with these bytes. A client that keeps its own side open would hold its slot until the idle timeout. */
function endSoon(socket: Duplex, bytes?: Buffer): void {
  socket.end(bytes)
  const timer = setTimeout(() => socket.destroy(), FAREWELL_MS)
  socket.once('close', () => clearTimeout(timer))
}
