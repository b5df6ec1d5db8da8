// A way to a PostgreSQL server on which messages are counted: what a request costs, whatever else the machine does.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** What has passed since it was last asked for. */
export interface MessageCounts {
  /** Flushes of statements, each with one response. */
  readonly roundTrips: number
  /** Statements that were parsed. */
  readonly parsed: number
  /** Bytes that the server sent. */
  readonly bytes: number
  /** Connections that were opened. */
  readonly connections: number
}

/** A way that is open; it ends with the test. */
export interface CountedWay {
  /** The URL of a database of that server, over this way. */
  url(of: string): string
  /** What has passed since the last call. */
  take(): MessageCounts
}

const TYPE_BYTES = 1
const SSL_REQUEST_BYTES = 8
const SYNC = 'S'.charCodeAt(0)
const QUERY = 'Q'.charCodeAt(0)
const PARSE = 'P'.charCodeAt(0)

/** Opens a way to the server of this URL, over TCP without TLS. */
export async function countedWay(serverUrl: string): Promise<CountedWay> {
  const { hostname, port } = new URL(serverUrl)
  const sums = { roundTrips: 0, parsed: 0, bytes: 0, connections: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    sums.connections++
    const far = connect({ host: hostname, port: Number(port) })
    const count = messageCounter((type) => {
      if (type === SYNC || type === QUERY) sums.roundTrips++
      if (type === PARSE) sums.parsed++
    })
    near.on('data', count)
    far.on('data', ({ length }: Buffer) => {
      sums.bytes += length
    })
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(socket)
      socket.setNoDelay(true).on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const here = (server.address() as AddressInfo).port
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return {
    url: (of) => Object.assign(new URL(of), { hostname: '127.0.0.1', port: String(here) }).href,
    take: () => {
      const passed = { ...sums }
      for (const name of ['roundTrips', 'parsed', 'bytes', 'connections'] as const) sums[name] = 0
      return passed
    },
  }
}

/** Hears of every message that a client sends, but for those that have no type: the question for TLS, and the first. */
function messageCounter(heard: (type: number) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let typeBytes = 0
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= typeBytes + 4) {
      const length = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < length) return
      if (typeBytes === TYPE_BYTES) heard(rest[0] ?? 0)
      rest = rest.subarray(length)
      if (typeBytes > 0 || length !== SSL_REQUEST_BYTES) typeBytes = TYPE_BYTES
    }
  }
}
