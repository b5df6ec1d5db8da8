// Responses to requests that Node cannot parse. There is no response object for them, so the bytes go to the socket.

import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '@store-export/contract'
import { type Answer, API_HEADERS, errorAnswer } from './answer.ts'
import { framingError } from './request.ts'
import type { RequestEventHandler } from './request-event.ts'
import type { ServerOptions } from './server.ts'

/** Time for a client to read the last response of its connection before the service closes it. */
const FAREWELL_MS = 1000

const FRAMING: Readonly<Record<string, { readonly status: number; readonly what: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, what: 'its headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, what: 'it did not arrive in time' },
}

/** Refuses a request that Node cannot parse. */
export function refuseFraming(error: NodeJS.ErrnoException, socket: Duplex, { emit }: ServerOptions): void {
  const code = error.code ?? 'unknown'
  const { status, what } = FRAMING[code] ?? { status: 400, what: 'it cannot be parsed' }
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  refuseRaw(socket, framingError(what, status), code, emit)
}

/** Refuses the method CONNECT. */
export function refuseConnect(socket: Duplex, { emit }: ServerOptions): void {
  // Node has removed its own listener: without one, a client that resets the connection would end the process.
  socket.on('error', () => socket.destroy())
  refuseRaw(socket, framingError('CONNECT is not served'), 'CONNECT', emit)
}

function refuseRaw(socket: Duplex, error: ApiError, code: string, emit: RequestEventHandler): void {
  const requestId = randomUUID()
  const answer = errorAnswer(error)
  emit({ event: 'request.malformed', requestId, status: answer.status, code })
  writeRaw(socket, { ...answer, headers: { ...answer.headers, 'x-request-id': requestId } })
}

/** Writes a response without a response object, and closes the connection. */
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
export function endSoon(socket: Duplex, bytes?: Buffer): void {
  socket.end(bytes)
  const timer = setTimeout(() => socket.destroy(), FAREWELL_MS)
  socket.once('close', () => clearTimeout(timer))
}
