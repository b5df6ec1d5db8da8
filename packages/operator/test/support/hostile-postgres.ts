// Simulates a broken or malicious PostgreSQL server. The server forwards to a real one until its misbehavior starts, so
// it works with all earlier statements of the service.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { drained } from './tcp-proxy.ts'

export interface Misbehavior {
  /**
   * When the misbehavior starts:
   * - `startup`: the first message of the client
   * - `ready`: after authentication
   * - `page`: the query of a page
   * - `rows`: after the first rows of a page
   */
  readonly from: 'startup' | 'ready' | 'page' | 'rows'
  /** Returns the bytes that the server then sends. After them, the server is silent. */
  readonly bytes: () => AsyncIterable<Buffer> | Iterable<Buffer>
  /** Set if the bytes end with ReadyForQuery, after which the client can keep the connection. */
  readonly ready?: true
}

export const MISBEHAVIORS: Readonly<Record<string, Misbehavior>> = {
  'is silent': { from: 'startup', bytes: () => [] },
  'is silent after authentication': { from: 'ready', bytes: () => [] },
  'is silent after the first rows': { from: 'rows', bytes: () => [] },
  'sends garbage first': { from: 'startup', bytes: () => [randomBytes(4096)] },
  'sends garbage after authentication': { from: 'ready', bytes: () => [randomBytes(4096)] },
  'sends garbage after the first rows': { from: 'rows', bytes: () => [randomBytes(65_536)] },
  'sends endless zeros': { from: 'page', bytes: () => endless(Buffer.alloc(65_536)) },
  'sends an additional column': { from: 'page', bytes: () => [pageBegins(), ...rows(200), ...pageEnds()], ready: true },
  'sends a row of 1 GB': { from: 'page', bytes: () => gigabyteRow() },
  'sends endless empty rows': { from: 'rows', bytes: () => endless(message('D')) },
  'sends endless notices': { from: 'page', bytes: () => endless(notices()) },
  'sends endless notices after authentication': { from: 'ready', bytes: () => endless(notices()) },
  'sends one byte per second': { from: 'page', bytes: () => drip(pageBegins()) },
  'fails after the first rows': { from: 'rows', bytes: () => [failure(), READY], ready: true },
  'fails with an invalid error message': {
    from: 'page',
    bytes: () => [message('E', Buffer.from('nonsense')), READY],
    ready: true,
  },
}

/** Returns the port of a server in front of the real one at `127.0.0.1:real`, which runs until the test ends. */
export async function startHostilePostgres(real: number, misbehavior: Misbehavior): Promise<number> {
  const sockets = new Set<Socket>()
  // The server doesn't close connections that the client has ended.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    sockets.add(client)
    client.on('error', () => undefined)
    client.on('close', () => sockets.delete(client))
    const server = connect(real, '127.0.0.1')
    server.on('error', () => client.destroy())
    client.on('close', () => server.destroy())
    serveClient(client, server, misbehavior)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Pages use Parse and Bind messages. All other statements use Query messages. */
const PARSE = 'P'.charCodeAt(0)
const BIND = 'B'.charCodeAt(0)
/** The SSLRequest comes before the startup message. */
const SSL_REQUEST_BYTES = 8
const DATA_ROW = 'D'.charCodeAt(0)
/** Type and length of a message. */
const HEADER_BYTES = 5
const FIRST_ROWS = 3

function serveClient(client: Socket, server: Socket, { from, bytes }: Misbehavior): void {
  let isMisbehaving = false
  let page: Buffer | null = null
  const misbehave = () => {
    isMisbehaving = true
    void send(client, bytes())
  }
  server.on('data', (chunk) => {
    if (isMisbehaving) return
    if (page === null) {
      client.write(chunk)
      // The server is ready for statements, so authentication is complete.
      if (from === 'ready' && chunk.subarray(-READY.length, -1).equals(READY.subarray(0, -1))) misbehave()
      return
    }
    page = Buffer.concat([page, chunk])
    const end = endOfRows(page)
    if (end === null) return
    client.write(page.subarray(0, end))
    misbehave()
  })
  client.on('data', (chunk) => {
    if (isMisbehaving) return
    const isPage = chunk[0] === PARSE || chunk[0] === BIND
    if (isPage && from === 'rows') page = Buffer.alloc(0)
    if ((isPage && from === 'page') || (from === 'startup' && chunk.length > SSL_REQUEST_BYTES)) return misbehave()
    server.write(chunk)
  })
  client.on('end', () => isMisbehaving || server.end())
  server.on('end', () => isMisbehaving || client.end())
}

/** Returns the end of the first rows of a page; null if they are incomplete. */
function endOfRows(bytes: Buffer): number | null {
  let [end, count] = [0, 0]
  while (count < FIRST_ROWS) {
    if (end + HEADER_BYTES > bytes.length) return null
    if (bytes[end] === DATA_ROW) count++
    end += 1 + bytes.readUInt32BE(end + 1)
  }
  return end <= bytes.length ? end : null
}

async function send(client: Socket, parts: ReturnType<Misbehavior['bytes']>): Promise<void> {
  for await (const bytes of parts) {
    if (client.destroyed) return
    // This lets other connections run, however fast the client reads.
    if (client.write(bytes)) await after(0)
    else await drained(client)
  }
}

function message(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const READY = message('Z', Buffer.from('I'))
const COLUMNS = 99

/** Returns the messages before the rows of a prepared statement. */
function pageBegins(): Buffer {
  const column = Buffer.concat([Buffer.from('x\0'), Buffer.alloc(18)])
  const count = Buffer.alloc(2)
  count.writeUInt16BE(COLUMNS)
  const columns = Buffer.concat([count, ...Array.from({ length: COLUMNS }, () => column)])
  return Buffer.concat([message('1'), message('t', Buffer.alloc(2)), message('T', columns), message('2')])
}

function pageEnds(): Buffer[] {
  return [message('C', Buffer.from('SELECT 200\0')), READY]
}

/** Returns rows with one byte in each column. */
function rows(count: number): Buffer[] {
  const row = Buffer.alloc(2 + COLUMNS * 5, Buffer.from([0, 0, 0, 1, 0x78]))
  row.writeUInt16BE(COLUMNS)
  return Array.from({ length: count }, () => message('D', row))
}

function failure(): Buffer {
  return message('E', Buffer.from('SERROR\0VERROR\0CXX000\0Mthe disk is on fire\0\0'))
}

function notices(): Buffer {
  const notice = message('N', Buffer.from('SNOTICE\0VNOTICE\0C00000\0Mlook here\0\0'))
  return Buffer.concat(Array.from({ length: 1000 }, () => notice))
}

function* endless(bytes: Buffer): Generator<Buffer> {
  for (;;) yield bytes
}

function* gigabyteRow(): Generator<Buffer> {
  yield pageBegins()
  const head = Buffer.from([DATA_ROW, 0, 0, 0, 0])
  head.writeUInt32BE(2 ** 30 + 4, 1)
  yield head
  const part = Buffer.alloc(2 ** 20, 0x78)
  for (let sent = 0; sent < 2 ** 30; sent += part.length) yield part
  yield READY
}

async function* drip(bytes: Buffer): AsyncGenerator<Buffer> {
  for (const byte of bytes) {
    yield Buffer.from([byte])
    await after(1000)
  }
}
