// Starts a proxy to a PostgreSQL server that counts messages. The counts of a request do not depend on the speed of the
// machine.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Counts since the last call of `takeCounts`. */
export interface MessageCounts {
  /** Statement groups: sequences of messages that end with Sync, and simple queries. */
  readonly statementGroups: number
  /** Parse messages, with which the client has the server parse a statement. */
  readonly parsed: number
  /** Bytes from the server. */
  readonly bytes: number
  readonly connections: number
}

/** A running proxy. It stops after the test. */
export interface CountingProxy {
  /** Returns the URL of a database of the server, through the proxy. */
  url(of: string): string
  /** Returns the counts since the last call, and resets them. */
  takeCounts(): MessageCounts
}

const TYPE_BYTES = 1
const SSL_REQUEST_BYTES = 8
const SYNC = 'S'.charCodeAt(0)
const QUERY = 'Q'.charCodeAt(0)
const PARSE = 'P'.charCodeAt(0)

/** Starts a proxy to the server of this URL, over TCP without TLS. */
export async function startCountingProxy(serverUrl: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(serverUrl)
  const sums = { statementGroups: 0, parsed: 0, bytes: 0, connections: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sums.connections++
    const upstream = connect({ host: hostname, port: Number(port) })
    const count = messageCounter((type) => {
      if (type === SYNC || type === QUERY) sums.statementGroups++
      if (type === PARSE) sums.parsed++
    })
    client.on('data', count)
    upstream.on('data', ({ length }: Buffer) => {
      sums.bytes += length
    })
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket)
      socket.setNoDelay(true).on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxyPort = (server.address() as AddressInfo).port
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return {
    url: (of) => Object.assign(new URL(of), { hostname: '127.0.0.1', port: String(proxyPort) }).href,
    takeCounts: () => {
      const counts = { ...sums }
      for (const name of ['statementGroups', 'parsed', 'bytes', 'connections'] as const) sums[name] = 0
      return counts
    },
  }
}

/**
 * Calls `onMessage` for every message of a client that has a type. The TLS request and the startup message have none.
 */
function messageCounter(onMessage: (type: number) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let typeBytes = 0
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= typeBytes + 4) {
      const length = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < length) return
      if (typeBytes === TYPE_BYTES) onMessage(rest[0] ?? 0)
      rest = rest.subarray(length)
      if (typeBytes > 0 || length !== SSL_REQUEST_BYTES) typeBytes = TYPE_BYTES
    }
  }
}
