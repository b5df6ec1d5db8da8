// A way to a server over which bytes come late, singly, or no more: what a network does, without one.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** What the way does with the bytes that come from the server. */
export type ProxyMode =
  | { readonly kind: 'honest' }
  /** They come so much later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** They come one by one, a pause between them. */
  | { readonly kind: 'drip'; readonly ms: number }
  /** None comes, in either direction, until the mood is another. */
  | { readonly kind: 'freeze' }
  /** Connections are cut, and new ones refused. */
  | { readonly kind: 'cut' }

/** A way that is open; it ends with the test. */
export interface TcpProxy {
  readonly port: number
  /** Connections that clients hold open now. */
  readonly connections: number
  /** How often a client has sent bytes and the server was the last to send before. */
  readonly roundTrips: number
  /** Changes what happens to all connections, open ones too. */
  setMode(mood: ProxyMode): void
}

/** Opens a way to a port of 127.0.0.1. */
export async function openProxy(target: number): Promise<TcpProxy> {
  let mood: ProxyMode = { kind: 'honest' }
  let changed = Promise.withResolvers<void>()
  const sockets = new Set<Socket>()
  let connections = 0
  let roundTrips = 0
  const untilFlowing = async () => {
    while (mood.kind === 'freeze') await changed.promise
  }
  const pump = async (from: Socket, to: Socket, slowly: boolean) => {
    for await (const chunk of from) {
      await untilFlowing()
      if (slowly && mood.kind === 'delay') await after(mood.ms)
      for (const part of slowly && mood.kind === 'drip' ? bytesOf(chunk) : [chunk]) {
        if (mood.kind === 'drip') await after(mood.ms)
        if (to.destroyed) return
        if (!to.write(part)) await drained(to)
      }
    }
    await untilFlowing()
    to.end()
  }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (mood.kind === 'cut') return void near.resetAndDestroy()
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
        // that it was closed is no news either while nothing comes through
        void untilFlowing().then(() => other.destroy())
      })
      // a socket that is closed while it is read says so here a second time
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
      mood = next
      changed.resolve()
      changed = Promise.withResolvers<void>()
      if (mood.kind === 'cut') close()
    },
  }
}

/** Resolves when the other side has taken what was sent, or has gone. */
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
