// Runs a server on 127.0.0.1 that sends what a test wants. It can become honest: new connections then reach a real
// server.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { WELCOME } from './server-messages.ts'

/** Length of a CancelRequest. No other first message has this length. A server closes the connection after it. */
const CANCEL_BYTES = 16

/** What the hostile server does with a new connection. */
export type Act = (peer: Peer) => Promise<void> | void

/** A hostile server. It stops after the test. */
export interface HostileServer {
  /** URL of the real server's database, with this server's port and no TLS. */
  readonly url: string
  readonly port: number
  /** Returns the number of connections that were opened so far. */
  connections(): number
  /** Closes all connections. New connections reach the real server. */
  becomeHonest(): void
}

/** A message of a client. `type` is empty for the first one. */
export interface ClientMessage {
  readonly type: string
  readonly body: Buffer
}

/** The server's end of a connection. */
export class Peer {
  readonly socket: Socket
  #bytes: Buffer = Buffer.alloc(0)
  #hasStarted = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => undefined)
  }

  /** Returns the next message of the client. Never settles if the client sends no more. */
  async next(): Promise<ClientMessage> {
    const headBytes = this.#hasStarted ? 5 : 4
    const head = await this.#peek(headBytes)
    const total = head.readInt32BE(headBytes - 4) + headBytes - 4
    const bytes = await this.#peek(total)
    this.#bytes = this.#bytes.subarray(total)
    if (!this.#hasStarted && total === CANCEL_BYTES) this.socket.destroy()
    const type = this.#hasStarted ? String.fromCharCode(bytes[0] as number) : ''
    this.#hasStarted = true
    return { type, body: bytes.subarray(headBytes, total) }
  }

  /** Reads messages until one of these types, and returns that message. */
  async until(...types: readonly string[]): Promise<ClientMessage> {
    for (;;) {
      const found = await this.next()
      if (types.includes(found.type)) return found
    }
  }

  /** Reads the startup message and accepts the client. */
  async welcome(): Promise<void> {
    await this.next()
    this.say(WELCOME)
  }

  say(...parts: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(parts))
  }

  /** Sends one byte at a time. */
  async drip(bytes: Buffer, ms = 20): Promise<void> {
    this.socket.setNoDelay(true)
    for (const byte of bytes) {
      if (this.socket.destroyed) return
      this.socket.write(Buffer.from([byte]))
      await delay(ms)
    }
  }

  /** Sends the same bytes until the client has disconnected. */
  async flood(bytes: Buffer): Promise<void> {
    while (!this.socket.destroyed) {
      if (this.socket.write(bytes)) await delay(0)
      else await Promise.race([once(this.socket, 'drain'), once(this.socket, 'close')]).catch(() => undefined)
    }
  }

  async #peek(count: number): Promise<Buffer> {
    while (this.#bytes.length < count) {
      const chunk = this.socket.read() as Buffer | null
      if (chunk === null) await once(this.socket, 'readable')
      else this.#bytes = Buffer.concat([this.#bytes, chunk])
    }
    return this.#bytes
  }
}

/** Starts a server that calls `act` with each connection. After `becomeHonest`, connections lead to `realUrl`. */
export async function startHostile(realUrl: string, act: Act): Promise<HostileServer> {
  const real = new URL(realUrl)
  const sockets = new Set<Socket>()
  let [count, isHonest] = [0, false]
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    count++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    const peer = new Peer(socket)
    if (isHonest) forward(socket, Number(real.port))
    // The act ends if the client disconnects.
    else void Promise.resolve(act(peer)).catch(() => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const url = Object.assign(new URL(realUrl), { port: String(port), search: '?sslmode=disable' }).href
  const becomeHonest = () => {
    isHonest = true
    for (const socket of sockets) socket.destroy()
  }
  return { url, port, connections: () => count, becomeHonest }
}

function forward(socket: Socket, port: number): void {
  const honest = connect(port, '127.0.0.1')
  honest.on('error', () => socket.destroy())
  socket.on('close', () => honest.destroy())
  honest.on('close', () => socket.destroy())
  socket.pipe(honest)
  honest.pipe(socket)
}
