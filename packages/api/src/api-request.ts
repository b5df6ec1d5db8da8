// Parses an HTTP request into plain values. A malformed request gets status 400 before the service looks at its key, so
// it doesn't count for the key. A request that a proxy could end at another byte is malformed too. Otherwise, a client
// could hide a second request behind the first.

import type { IncomingMessage } from 'node:http'
import { ApiError } from '@store-export/contract'
import { clientAddress, type PlainKey, parseApiKey } from '@store-export/control'
import type { KeyRejected } from './request-event.ts'

/** A well-formed HTTP request as plain values. */
export interface ApiRequest {
  readonly requestId: string
  readonly method: string
  /** Path as the client sent it, without the origin and the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** All values of the header `x-api-key`, in their order; empty without the header. */
  readonly keys: readonly string[]
  /** Address of the client; null if the connection is already closed, or if a trusted proxy sent no valid address. */
  readonly clientAddress: string | null
}

/**
 * Headers that must not be repeated. A proxy could use another value than the service, and so see another host or
 * another end of the request.
 */
const SINGLE_HEADERS = ['host', 'content-length', 'transfer-encoding']

const VERSIONS = ['1.0', '1.1']

/**
 * Returns the parsed request. `proxies` is the number of trusted proxies in front of the service. Throws an `ApiError`
 * with status 400 for a malformed request (R36 in docs/spec/readings.md).
 */
export function readRequest(message: IncomingMessage, requestId: string, proxies: number): ApiRequest {
  const values = (name: string) => headerValues(message.rawHeaders, name)
  // Node parses a request line without a version as HTTP/0.9, whose responses have no headers.
  if (!VERSIONS.includes(message.httpVersion)) throw malformedRequest('it must use HTTP/1.1 or HTTP/1.0')
  for (const name of SINGLE_HEADERS)
    if (values(name).length > 1) throw malformedRequest(`the header ${name} is repeated`)
  if (message.httpVersion === '1.1' && values('host').length === 0) throw malformedRequest('the header host is missing')
  const [encoding] = values('transfer-encoding')
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'chunked')
    throw malformedRequest('the header transfer-encoding must be chunked')
  const [path, query] = splitTarget(message.url ?? '/')
  return {
    requestId,
    method: message.method ?? 'GET',
    path,
    query: new URLSearchParams(query),
    keys: values('x-api-key'),
    clientAddress: addressOf(message, values('x-forwarded-for').join(','), proxies),
  }
}

/**
 * Whether a request has a body. After the response to such a request, the service closes the connection. It ignores the
 * body unless the request is a leak report.
 */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Returns the error for a malformed request. `status` can also be 408 or 431. The header `connection` closes the
 * connection after the response. `what` completes "not a well-formed HTTP request: …".
 */
export function malformedRequest(what: string, status = 400): ApiError {
  return new ApiError('INVALID_PARAM', `not a well-formed HTTP request: ${what}`, {
    status,
    headers: { connection: 'close' },
  })
}

/**
 * Returns the key, or the reason why the request has no well-formed key. Two keys are invalid even if one of them is
 * valid (R25 in docs/spec/readings.md).
 */
export function readKey({ keys }: ApiRequest): PlainKey | KeyRejected['reason'] {
  const [text, second] = keys
  if (text === undefined) return 'missing'
  if (second !== undefined) return 'repeated'
  return parseApiKey(text) ?? 'malformed'
}

function addressOf({ socket }: IncomingMessage, forwardedFor: string, proxies: number): string | null {
  return socket.remoteAddress === undefined ? null : clientAddress(socket.remoteAddress, forwardedFor, proxies)
}

function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? '')
  return values
}

/**
 * Returns the path and the query of a request target, without a fragment. Some proxies send the absolute form, which
 * starts with the origin.
 */
function splitTarget(target: string): [string, string] {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? ''
  const [beforeFragment = ''] = target.slice(origin.length).split('#', 1)
  const mark = beforeFragment.indexOf('?')
  if (mark < 0) return [beforeFragment || '/', '']
  return [beforeFragment.slice(0, mark) || '/', beforeFragment.slice(mark + 1)]
}
