// A PostgreSQL server that is broken or means harm. Up to its fault it answers as a real one does, because a real one
// answers for it: so the fault strikes where it is meant to, whatever statements the service sends before.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { drained } from './tcp-proxy.ts'

/** What is wrong with the server. */
export interface Misbehavior {
  /**
   * When it begins: `startup` at the client's first message, `ready` when it has let a client in, `page` when it is asked
   * for a page, `rows` when it has sent the first rows of one.
   */
  readonly from: 'startup' | 'ready' | 'page' | 'rows'
  /** What it says from then on; with no more to say it is silent. */
  readonly bytes: () => AsyncIterable<Buffer> | Iterable<Buffer>
  /** Whether it is ready for another statement then. */
  readonly ready?: true
}

/** Faults by name. */
export const MISBEHAVIORS: Readonly<Record<string, Misbehavior>> = {
  'never says a word': { from: 'startup', bytes: () => [] },
  'is silent once it has let us in': { from: 'ready', bytes: () => [] },
  'is silent behind the first rows': { from: 'rows', bytes: () => [] },
  'says garbage for a greeting': { from: 'startup', bytes: () => [randomBytes(4096)] },
  'says garbage once it has let us in': { from: 'ready', bytes: () => [randomBytes(4096)] },
  'says garbage behind the first rows': { from: 'rows', bytes: () => [randomBytes(65_536)] },
  'says zeros without an end': { from: 'page', bytes: () => endless(Buffer.alloc(65_536)) },
  'sends a column too many': { from: 'page', bytes: () => [pageBegins(), ...rows(200), ...pageEnds()], ready: true },
  'sends a row of a gigabyte': { from: 'page', bytes: () => aGigabyte() },
  'sends empty rows without an end': { from: 'rows', bytes: () => endless(message('D')) },
  'sends notices without an end': { from: 'page', bytes: () => endless(notices()) },
  'sends notices without an end once it has let us in': { from: 'ready', bytes: () => endless(notices()) },
  'sends a byte a second': { from: 'page', bytes: () => drip(pageBegins()) },
  'fails behind the first rows': { from: 'rows', bytes: () => [failure(), READY], ready: true },
  'fails with words that are no error': {
    from: 'page',
    bytes: () => [message('E', Buffer.from('nonsense')), READY],
    ready: true,
  },
}

/** Starts a server with a fault before a real one at a port of 127.0.0.1; its own port. It ends with the test. */
export async function startHostilePostgres(real: number, fault: Misbehavior): Promise<number> {
  const sockets = new Set<Socket>()
  // it does not close what its client has ended
  const server = createServer({ allowHalfOpen: true }, (client) => {
    sockets.add(client)
    client.on('error', () => undefined)
    client.on('close', () => sockets.delete(client))
    const honest = connect(real, '127.0.0.1')
    honest.on('error', () => client.destroy())
    client.on('close', () => honest.destroy())
    answer(client, honest, fault)
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

/** Pages are asked for with parameters or without, but never by a message of text alone, as all else is. */
const PARSE = 'P'.charCodeAt(0)
const BIND = 'B'.charCodeAt(0)
/** A question about TLS comes before the startup message, and is no message of its own. */
const TLS_QUESTION_BYTES = 8
const DATA_ROW = 'D'.charCodeAt(0)
/** A message's type and length. */
const HEAD_BYTES = 5
const FIRST_ROWS = 3

function answer(client: Socket, honest: Socket, { from, bytes }: Misbehavior): void {
  let struck = false
  let page: Buffer | null = null
  const strike = () => {
    struck = true
    void send(client, bytes())
  }
  honest.on('data', (chunk) => {
    if (struck) return
    if (page === null) {
      client.write(chunk)
      // the server is ready for statements: the client is in
      if (from === 'ready' && chunk.subarray(-READY.length, -1).equals(READY.subarray(0, -1))) strike()
      return
    }
    page = Buffer.concat([page, chunk])
    const end = endOfRows(page)
    if (end === null) return
    client.write(page.subarray(0, end))
    strike()
  })
  client.on('data', (chunk) => {
    if (struck) return
    const isPage = chunk[0] === PARSE || chunk[0] === BIND
    if (isPage && from === 'rows') page = Buffer.alloc(0)
    if ((isPage && from === 'page') || (from === 'startup' && chunk.length > TLS_QUESTION_BYTES)) return strike()
    honest.write(chunk)
  })
  client.on('end', () => struck || honest.end())
  honest.on('end', () => struck || client.end())
}

/** Where the first rows of a page end; null where they have not come. */
function endOfRows(bytes: Buffer): number | null {
  let [end, count] = [0, 0]
  while (count < FIRST_ROWS) {
    if (end + HEAD_BYTES > bytes.length) return null
    if (bytes[end] === DATA_ROW) count++
    end += 1 + bytes.readUInt32BE(end + 1)
  }
  return end <= bytes.length ? end : null
}

async function send(client: Socket, words: ReturnType<Misbehavior['bytes']>): Promise<void> {
  for await (const bytes of words) {
    if (client.destroyed) return
    // others have their turn, however fast the client reads
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

/** What comes before the rows of a statement that was parsed, described and bound. */
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

/** Rows of one byte in each column. */
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

function* aGigabyte(): Generator<Buffer> {
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
