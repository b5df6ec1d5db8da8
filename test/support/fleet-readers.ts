// Clients of every kind that read one page again and again while the service is being killed: what each takes for a
// whole answer is judged, whatever else happens to it is counted.

import http from 'node:http'
import net from 'node:net'

/** What a client took for a whole answer. */
export interface Whole {
  readonly status: number
  readonly text: string
}

/** One way to ask; rejects where it could tell that the answer is none, or not whole. */
export type Ask = (url: string, key: string) => Promise<Whole>

/** How it went with one kind of client. */
export interface Tally {
  readonly name: string
  /** Answers that were right in every byte. */
  right: number
  /** Answers that said by their status that they are none. */
  refused: number
  /** No answer, or one that was seen to be cut. */
  cut: number
}

/** Statuses with which a proxy says that its node gave no answer. */
const OF_PROXIES = [502, 503, 504]

/** Asks until `isOver`; throws at once for an answer that is taken for whole and is not `expected`. */
export async function readAgain(options: {
  readonly tally: Tally
  readonly ask: () => Promise<Whole>
  readonly expected: string
  readonly isOver: () => boolean
}): Promise<void> {
  const { tally, ask, expected, isOver } = options
  while (!isOver()) {
    const answer = await ask().catch(() => null)
    if (answer === null) tally.cut += 1
    else if (answer.status === 200 && answer.text === expected) tally.right += 1
    else if (OF_PROXIES.includes(answer.status)) tally.refused += 1
    else
      throw new Error(
        `${tally.name} took ${answer.status} with ${answer.text.length} of ${expected.length} characters for whole: ${answer.text.slice(-80)}`,
      )
    // a connection that is refused at once would else keep the processor from whoever starts the service
    if (answer?.status !== 200) await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** fetch, which unpacks compressed answers. */
export const byFetch: Ask = async (url, key) => {
  const response = await fetch(url, { headers: { 'x-api-key': key } })
  return { status: response.status, text: await response.text() }
}

/** Node's own client on connections that are kept. */
export function byAgent(): Ask & { close(): void } {
  const agent = new http.Agent({ keepAlive: true })
  const ask: Ask = (url, key) =>
    new Promise((resolve, reject) => {
      const request = http.get(url, { agent, headers: { 'x-api-key': key } }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          response.complete
            ? resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
            : reject(new Error('cut')),
        )
      })
      request.on('error', reject)
    })
  return Object.assign(ask, { close: () => agent.destroy() })
}

/** An old client of HTTP/1.0 that believes a `content-length`, and without one the end of the connection. */
export const byOldClient: Ask = async (url, key) => {
  const said = (await readToEnd(url, key)).toString('latin1')
  const end = said.indexOf('\r\n\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(said)?.[1])
  if (end < 0 || Number.isNaN(status)) throw new Error('no answer')
  const body = said.slice(end + 4)
  const length = /\r\ncontent-length: (\d+)/i.exec(said.slice(0, end))?.[1]
  if (length !== undefined && body.length < Number(length)) throw new Error('cut')
  return { status, text: Buffer.from(body, 'latin1').toString() }
}

/** Asks and reads nothing until the socket is resumed; resolves when the answer has begun. */
export async function askAndPause(url: string, key: string): Promise<net.Socket> {
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
