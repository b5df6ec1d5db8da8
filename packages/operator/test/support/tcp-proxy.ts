// Opens a TCP proxy that delays or stops bytes, or resets connections, as a bad network does.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** What the proxy does with bytes from the server. */
export type ProxyMode =
  | { readonly kind: 'forward' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** Sends the bytes one at a time, with pauses. */
  | { readonly kind: 'drip'; readonly ms: number }
  /** Sends no byte in either direction until the mode changes. */
  | { readonly kind: 'freeze' }
  /** Resets connections, including new ones. */
  | { readonly kind: 'cut' }

export interface TcpProxy {
  readonly port: number
  readonly connections: number
  /** Number of round trips: client bytes after server bytes. */
  readonly roundTrips: number
  setMode(mode: ProxyMode): void
}

/** Opens a proxy to a port of 127.0.0.1. The proxy is closed after the test. */
export async function openProxy(target: number): Promise<TcpProxy> {
  let mode: ProxyMode = { kind: 'forward' }
  let changed = Promise.withResolvers<void>()
  const sockets = new Set<Socket>()
  let connections = 0
  let roundTrips = 0
  const untilFlowing = async () => {
    while (mode.kind === 'freeze') await changed.promise
  }
  const pump = async (from: Socket, to: Socket, slowly: boolean) => {
    for await (const chunk of from) {
      await untilFlowing()
      if (slowly && mode.kind === 'delay') await after(mode.ms)
      for (const part of slowly && mode.kind === 'drip' ? bytesOf(chunk) : [chunk]) {
        if (mode.kind === 'drip') await after(mode.ms)
        if (to.destroyed) return
        if (!to.write(part)) await drained(to)
      }
    }
    await untilFlowing()
    to.end()
  }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (mode.kind === 'cut') return void near.resetAndDestroy()
    connections++
    near.once('close', () => void connections--)
    const far = connect({ host: '127.0.0.1', port: target, allowHalfOpen: true })
    let isServerLast = true
    const count = (fromServer: boolean) => () => {
      if (isServerLast && !fromServer) roundTrips++
      isServerLast = fromServer
    }
    near.on('data', count(false))
    far.on('data', count(true))
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(socket)
      socket.setNoDelay(true).on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        // In the mode freeze, the other side doesn't see the close either.
        void untilFlowing().then(() => other.destroy())
      })
      // The error of a closed socket was handled above.
      pump(socket, other, socket === far).catch(() => undefined)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    close()
    server.close()
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get connections() {
      return connections
    },
    get roundTrips() {
      return roundTrips
    },
    setMode(next) {
      mode = next
      changed.resolve()
      changed = Promise.withResolvers<void>()
      if (mode.kind === 'cut') close()
    },
  }
}

/** Resolves when the sent bytes have left the buffer, or the socket is closed. */
export function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}

function bytesOf(chunk: Buffer): Buffer[] {
  return Array.from(chunk, (_, index) => chunk.subarray(index, index + 1))
}
