// Tests that hostile clients take little processor time from other clients, and that no request gets two responses. For
// the response to each malformed request, see packages/api/test/framing.test.ts.

import { once } from 'node:events'
import type net from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { processorTimeOf } from '../../../bench/lib/processor-time.ts'
import { roundsOf } from '../../../test/support/rounds.ts'
import { connectTo, parseResponses, sendBytes } from '../../api/test/support/http.ts'
import { SLOW_TEST_TIMEOUTS } from './support/command-process.ts'
import { type FleetStore, requestJson, startFleet, type TestNode } from './support/fleet.ts'

const ROUNDS = roundsOf({ quick: 2, long: 30 })
vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: SLOW_TEST_TIMEOUTS.testTimeout + ROUNDS * 20_000 })

const GIGABYTE = 1_073_741_824
const CLIENT_REQUESTS = 200
const GET = 'GET /api/v1/store HTTP/1.1\r\nHost: x\r\n'
async function startScene(settings: Readonly<Record<string, string>> = {}) {
  const fleet = await startFleet()
  const store = await fleet.addStore()
  const node = await fleet.startNode(settings)
  return { store, node }
}

/** Returns the time of two clients for `CLIENT_REQUESTS` requests, and the processor time of the service, in ms. */
async function serveClients({ node, store }: { node: TestNode; store: FleetStore }) {
  const processId = node.process().process.pid ?? 0
  const [since, before] = [performance.now(), await processorTimeOf(processId)]
  const client = async () => {
    for (let index = 0; index < CLIENT_REQUESTS / 2; index += 1)
      expect((await requestJson(`${node.url}/api/v1/orders?limit=20`, store)).status).toBe(200)
  }
  await Promise.all([client(), client()])
  return { elapsed: performance.now() - since, processorTime: (await processorTimeOf(processId)) - before }
}

/** Starts hostile clients and resolves to a function that stops them. */
type Attack = () => Promise<() => void>

/** Returns the processor time that the attack takes, and the times of the clients before and during it, in ms. */
async function measure(scene: { node: TestNode; store: FleetStore }, attack: Attack) {
  await serveClients(scene)
  const sums = { taken: 0, alone: 0, elapsed: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = await serveClients(scene)
    const end = await attack()
    const beside = await serveClients(scene)
    end()
    sums.taken += beside.processorTime - alone.processorTime
    sums.alone += alone.processorTime
    sums.elapsed += beside.elapsed
  }
  return sums
}

/** The service has one thread, so a client that uses all of its time stops every other client. */
async function expectUnharmed(scene: { node: TestNode; store: FleetStore }, attack: Attack) {
  const { taken, elapsed } = await measure(scene, attack)
  expect(taken / elapsed, 'share of a processor that the attack takes').toBeLessThan(0.5)
}

/** Opens a socket that is destroyed after the test. */
async function open(url: string): Promise<net.Socket> {
  const socket = connectTo(url)
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

test(`if 2,000 clients send headers slowly, their requests take less than half of one processor core (rounds: ${ROUNDS})`, async () => {
  const scene = await startScene({ CONNECTIONS_MAX: '3000' })
  await expectUnharmed(scene, async () => {
    const sockets: net.Socket[] = []
    for (let index = 0; index < 2000; index += 100)
      sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => open(scene.node.url)))))
    for (const socket of sockets) socket.write(GET)
    const drip = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('X-A: 1\r\n')
    }, 1000)
    return () => {
      clearInterval(drip)
      for (const socket of sockets) socket.destroy()
    }
  })
})

test(`if clients send GET requests with a body of 1 GB, these requests take less than half of one processor core (rounds: ${ROUNDS})`, async () => {
  const scene = await startScene()
  const chunk = Buffer.alloc(1_048_576)
  await expectUnharmed(scene, async () => {
    const senders = await Promise.all([1, 2, 3, 4].map(() => open(scene.node.url)))
    void Promise.all(senders.map((socket) => sendBody(socket, scene.store, chunk)))
    return () => {
      for (const socket of senders) socket.destroy()
    }
  })
  const socket = await open(scene.node.url)
  const said: Buffer[] = []
  socket.on('data', (data: Buffer) => said.push(data))
  const sent = await sendBody(socket, scene.store, chunk)
  expect(sent, 'bytes until the service closed the connection').toBeLessThan(GIGABYTE)
  const responses = parseResponses(Buffer.concat(said).toString('latin1'))
  expect(responses.map(({ status, headers }) => [status, headers.connection])).toEqual([[200, 'close']])
})

/** Sends a body of 1 GB as fast as possible. Resolves to the bytes that were sent when the connection closed. */
async function sendBody(socket: net.Socket, { key }: FleetStore, chunk: Buffer): Promise<number> {
  let isOpen = true
  const closed = new Promise<void>((resolve) =>
    socket.once('close', () => {
      isOpen = false
      resolve()
    }),
  )
  socket.write(`${GET}x-api-key: ${key}\r\nContent-Length: ${GIGABYTE}\r\n\r\n`)
  let sent = 0
  while (isOpen && sent < GIGABYTE) {
    sent += chunk.length
    if (!socket.write(chunk)) await Promise.race([closed, once(socket, 'drain').catch(() => undefined)])
  }
  return sent
}

test(`a connection with invalid requests takes less than half the processor time of a valid request (rounds: ${ROUNDS})`, async () => {
  const scene = await startScene()
  const headers = Array.from({ length: 1000 }, (_, index) => `A${index}: 1\r\n`).join('')
  const attacks = [`${GET}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, `${GET}${headers}\r\n`, 'garbage\r\n\r\n'.repeat(100)]
  let connections = 0
  const { taken, alone } = await measure(scene, async () => {
    let isOver = false
    const attackers = attacks.map(async (bytes) => {
      while (!isOver) {
        const socket = await open(scene.node.url)
        connections += 1
        socket.resume()
        socket.write(bytes)
        await once(socket, 'close').catch(() => undefined)
      }
    })
    void Promise.all(attackers)
    return () => {
      isOver = true
    }
  })
  // The node closes each connection, so that the next one opens.
  expect(connections).toBeGreaterThan(ROUNDS * 30)
  const valid = alone / (ROUNDS * CLIENT_REQUESTS)
  expect(taken / connections / valid, 'processor time of a connection, in valid requests').toBeLessThan(0.5)
})

/** Returns requests with ambiguous framing. Each contains a second request, which must not get a response. */
function framings(key: string): string[] {
  const inner = `GET /api/v1/orders HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`
  const length = inner.length
  const head = `GET /api/v1/store HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n`
  const lengths = [
    `Content-Length: ${length}\r\nContent-Length: 0`,
    `Content-Length: 0\r\nContent-Length: ${length}`,
    `Content-Length: ${length}\r\nContent-Length: ${length}`,
    `Content-Length: 0, ${length}`,
    `Content-Length: +${length}`,
    `Content-Length: -0`,
    `Content-Length: 0x0`,
    `Content-Length: ${length}.0`,
    `Content-Length: 1e1`,
    `Content-Length: 0 0`,
    `Content-Length:`,
    `Content-Length : 0`,
    `Content-Length\t: 0`,
    ` Content-Length: 0`,
    `Content-Length: ${'9'.repeat(30)}`,
    `content-length: 0\r\nCONTENT-LENGTH: ${length}`,
  ]
  const codings = [
    'xchunked',
    'chunkedx',
    'x chunked',
    'chunked, identity',
    'identity, chunked',
    'identity',
    'gzip, chunked',
    'chunked, chunked',
    '"chunked"',
    '\x0bchunked',
    'chunked;q=1',
    'CHUNKED,',
    ',chunked',
    'chunk',
  ].map((coding) => `Transfer-Encoding: ${coding}`)
  const mixed = [
    `Content-Length: ${length}\r\nTransfer-Encoding: chunked`,
    `Transfer-Encoding: chunked\r\nContent-Length: ${length}`,
    `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked`,
    `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity`,
    `Transfer-Encoding: xchunked\r\nContent-Length: ${length}`,
    `Transfer-Encoding : chunked`,
    ` Transfer-Encoding: chunked`,
    `X: y\r\n Transfer-Encoding: chunked`,
    `X: y\rTransfer-Encoding: chunked`,
    `X: y\nTransfer-Encoding: chunked`,
    `X: y\0Transfer-Encoding: chunked`,
    `Host: y`,
    `: y`,
    `X y`,
  ]
  const bodies = ['0\r\n\r\n', '0\n\n', `${length.toString(16)}\r\n`, '0;x=\n\r\n\r\n']
  const whole = [...lengths, ...codings, ...mixed].map((lines) => `${head}${lines}\r\n\r\n0\r\n\r\n${inner}`)
  const chunked = bodies.map((body) => `${head}Transfer-Encoding: chunked\r\n\r\n${body}${inner}`)
  const bare = [
    `${head.replaceAll('\r\n', '\n')}\n${inner}`,
    `${head.replaceAll('\r\n', '\n')}Content-Length: ${length}\n\n${inner}`,
    `${head.replaceAll('\r\n', '\r')}\r${inner}`,
    `${head}Content-Length: ${length}\n\n${inner}`,
    `${head}X: y\n\r\n${inner}`,
    `${head}\n${inner}`.replace('\r\n\n', '\n\n'),
    `\n\n${head}Content-Length: ${length}\n\r\n${inner}`,
    `${head}Content-Length: ${length}\r\n\n${inner}`,
    `${head}Transfer-Encoding: chunked\n\n0\n\n${inner}`,
    `GET /api/v1/store HTTP/1.1 HTTP/1.1\r\nHost: x\r\n\r\n${inner}`,
    `GET /api/v1/store\tHTTP/1.1\r\nHost: x\r\n\r\n${inner}`,
    `${head}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: ${length}\r\n\r\n${inner}`,
  ]
  return [...whole, ...chunked, ...bare]
}

test('[R36] if the length of a request body is ambiguous, the client gets at most one response, and the connection is closed', async () => {
  const { store, node } = await startScene()
  const all = framings(store.key)
  expect(all).toHaveLength(60)
  for (const bytes of all) {
    const responses = parseResponses(await sendBytes(node.url, bytes))
    expect(responses.length, JSON.stringify(bytes)).toBeLessThanOrEqual(1)
    for (const { status, headers } of responses) {
      expect([200, 400, 413, 431, 501], JSON.stringify(bytes)).toContain(status)
      expect(headers.connection, JSON.stringify(bytes)).toBe('close')
    }
  }
  expect((await requestJson(`${node.url}/api/v1/store`, store)).status).toBe(200)
})
