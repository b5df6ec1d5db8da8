import { once } from 'node:events'
import net from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { takeInTurn } from './connection-turns.ts'

const BYTES = 4 * 1024 * 1024
const CHUNK_BYTES_MIN = 16 * 1024

/** A socket on which so many bytes come as fast as they are taken. */
async function flooded(bytes: number): Promise<net.Socket> {
  const server = net.createServer((socket) => socket.end(Buffer.alloc(bytes, 'a')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as net.AddressInfo
  return net.connect({ host: '127.0.0.1', port })
}

/** Takes all bytes, each chunk for so long; in which turn of the event loop each large one came, and how many bytes. */
async function takeAll(socket: net.Socket, chunkMs: number): Promise<{ turns: number[]; bytes: number }> {
  const turns: number[] = []
  let [turn, bytes] = [0, 0]
  const next = () => {
    turn++
    following = setImmediate(next)
  }
  let following = setImmediate(next)
  socket.on('data', (chunk: Buffer) =>
    takeInTurn(socket, chunk, (taken) => {
      bytes += taken.length
      if (taken.length >= CHUNK_BYTES_MIN) turns.push(turn)
      busyFor(chunkMs)
    }),
  )
  await once(socket, 'close')
  clearImmediate(following)
  return { turns, bytes }
}

test('after a millisecond of rows others have their turn, and all bytes are taken in the end', async () => {
  const { turns, bytes } = await takeAll(await flooded(BYTES), 1.1)
  expect(bytes).toBe(BYTES)
  expect(turns.length).toBeGreaterThan(10)
  expect(new Set(turns).size).toBe(turns.length)
})

function busyFor(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('small records, as TLS brings them, count together; and one that fails costs the next turns nothing', async () => {
  const socket = new net.Socket()
  onTestFinished(() => void socket.destroy())
  const record = Buffer.alloc(4096)
  const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  expect(() =>
    takeInTurn(socket, record, () => {
      throw new Error('not taken')
    }),
  ).toThrow('not taken')
  await nextTurn()
  for (let round = 0; round < 3; round++) {
    let taken = 0
    while (!socket.isPaused() && taken < 100) {
      takeInTurn(socket, record, () => busyFor(0.1))
      taken++
    }
    // a millisecond of a tenth each, at least; and not all of them
    expect(taken).toBeGreaterThan(3)
    expect(taken).toBeLessThan(30)
    await nextTurn()
    expect(socket.isPaused()).toBe(false)
  }
})
