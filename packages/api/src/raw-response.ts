// Responds to requests that Node's parser rejects, and to CONNECT. Node provides no response object for these requests,
// so the service writes the response to the socket.

import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '@store-export/contract'
import { malformedRequest } from './api-request.ts'
import { API_HEADERS, type ApiResponse, errorResponse } from './api-response.ts'
import type { RequestEventHandler } from './request-event.ts'
import type { ServerOptions } from './server.ts'

/** Time in ms that a client gets to read the last response before the service closes the connection. */
const CLOSE_TIMEOUT_MS = 1000

const PARSER_ERRORS: Readonly<Record<string, { readonly status: number; readonly what: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, what: 'its headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, what: 'it did not arrive in time' },
}

/**
 * Responds with status 400, 408, or 431 to a request that Node cannot parse, emits `request.malformed`, and closes the
 * connection within a second. If the connection is already closed, sends and emits nothing.
 */
export function rejectMalformed(error: NodeJS.ErrnoException, socket: Duplex, { emit }: ServerOptions): void {
  const code = error.code ?? 'unknown'
  const { status, what } = PARSER_ERRORS[code] ?? { status: 400, what: 'it cannot be parsed' }
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  rejectRaw(socket, malformedRequest(what, status), code, emit)
}

/** Responds with status 400 to the method CONNECT, emits `request.malformed`, and closes the connection. */
export function rejectConnect(socket: Duplex, { emit }: ServerOptions): void {
  // Node has removed its own listener for errors. Without a listener, a client that resets the connection would end the
  // process.
  socket.on('error', () => socket.destroy())
  rejectRaw(socket, malformedRequest('the service does not support CONNECT'), 'CONNECT', emit)
}

function rejectRaw(socket: Duplex, error: ApiError, code: string, emit: RequestEventHandler): void {
  const requestId = randomUUID()
  const result = errorResponse(error)
  emit({ event: 'request.malformed', requestId, status: result.status, code })
  writeRaw(socket, { ...result, headers: { ...result.headers, 'x-request-id': requestId } })
}

/** Writes a response without a response object, and closes the connection. */
function writeRaw(socket: Duplex, { status, headers, body }: ApiResponse): void {
  const lines = Object.entries({
    ...API_HEADERS,
    ...headers,
    'content-length': String(body.length),
    connection: 'close',
  })
  const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  endSoon(socket, Buffer.concat([Buffer.from(head), body]))
}

/**
 * Sends `bytes` and ends the connection. If the client keeps its side open, closes the connection after a second.
 * Otherwise the connection would stay open until the idle timeout.
 */
export function endSoon(socket: Duplex, bytes?: Buffer): void {
  socket.end(bytes)
  const timer = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS)
  socket.once('close', () => clearTimeout(timer))
}
