// Reads one page repeatedly with HTTP clients while the service is killed. A response that a client accepts as complete
// must be correct. Failures are counted.

import http from 'node:http'
import net from 'node:net'

/** A response that a client accepted as complete. */
export interface AcceptedResponse {
  readonly status: number
  readonly text: string
}

/** Reads a URL. Rejects if there is no response, or if the client notices that the response is incomplete. */
export type Reader = (url: string, key: string) => Promise<AcceptedResponse>

/** Results of one client. */
export interface Tally {
  readonly name: string
  /** Number of responses without a wrong byte. */
  correct: number
  /** Number of responses with an error status of a proxy. */
  rejected: number
  /** Number of requests without a response, or with a response that the client noticed to be incomplete. */
  incomplete: number
}

/** Statuses of a proxy whose node sent no response. */
const PROXY_ERRORS = [502, 503, 504]

/** Reads until `isOver` returns true. Rejects if the client accepts a response that is not `expected`. */
export async function readRepeatedly(options: {
  readonly tally: Tally
  readonly read: () => Promise<AcceptedResponse>
  readonly expected: string
  readonly isOver: () => boolean
}): Promise<void> {
  const { tally, read, expected, isOver } = options
  while (!isOver()) {
    const response = await read().catch(() => null)
    if (response === null) tally.incomplete += 1
    else if (response.status === 200 && response.text === expected) tally.correct += 1
    else if (PROXY_ERRORS.includes(response.status)) tally.rejected += 1
    else
      throw new Error(
        `${tally.name} accepted ${response.status} with ${response.text.length} of ${expected.length} characters as complete: ${response.text.slice(-80)}`,
      )
    // Without a pause, refused connections would take the processor time that the service needs to start.
    if (response?.status !== 200) await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Reads with fetch, which decompresses responses. */
export const fetchReader: Reader = async (url, key) => {
  const response = await fetch(url, { headers: { 'x-api-key': key } })
  return { status: response.status, text: await response.text() }
}

/** Returns a reader that uses the HTTP client of Node.js and reuses its connections. */
export function keepAliveReader(): Reader & { close(): void } {
  const agent = new http.Agent({ keepAlive: true })
  const read: Reader = (url, key) =>
    new Promise((resolve, reject) => {
      const request = http.get(url, { agent, headers: { 'x-api-key': key } }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          response.complete
            ? resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
            : reject(new Error('incomplete')),
        )
      })
      request.on('error', reject)
    })
  return Object.assign(read, { close: () => agent.destroy() })
}

/** Reads with HTTP/1.0. Without a `content-length`, the response ends with the connection. */
export const http10Reader: Reader = async (url, key) => {
  const received = (await readToEnd(url, key)).toString('latin1')
  const end = received.indexOf('\r\n\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(received)?.[1])
  if (end < 0 || Number.isNaN(status)) throw new Error('no response')
  const body = received.slice(end + 4)
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, end))?.[1]
  if (length !== undefined && body.length < Number(length)) throw new Error('incomplete')
  return { status, text: Buffer.from(body, 'latin1').toString() }
}

/** Sends a request, and resolves when the response has started. The caller resumes the socket to read it. */
export async function requestAndPause(url: string, key: string): Promise<net.Socket> {
  const { hostname, port, pathname, search } = new URL(url)
  const socket = net.connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: test\r\nx-api-key: ${key}\r\n\r\n`)
  await new Promise((resolve) => socket.once('readable', resolve))
  return socket
}

function readToEnd(url: string, key: string): Promise<Buffer> {
  const { hostname, port, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: hostname, port: Number(port) })
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('end', () => resolve(Buffer.concat(chunks)))
    socket.write(`GET ${pathname}${search} HTTP/1.0\r\nx-api-key: ${key}\r\n\r\n`)
  })
}
