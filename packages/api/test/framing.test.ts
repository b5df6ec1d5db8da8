import { once } from 'node:events'
import net from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { connectTo, parseResponses, type RawResponse, sendBytes, sendRequest } from './support/http.ts'
import { CORS } from './support/spec-endpoints.ts'

const HEADERS_MS = 400
let platform: TestPlatform
let store: TestStore
let url: string
beforeAll(async () => {
  platform = await startPlatform({
    HEADERS_TIMEOUT_MS: String(HEADERS_MS),
    REQUEST_TIMEOUT_MS: '800',
    CONNECTIONS_MAX: '40',
    DRAIN_SECONDS: '1',
  })
  store = await filledStore(platform)
  url = platform.service.url
})
afterAll(() => platform.close())

const GET = 'GET /api/v1/store HTTP/1.1\r\nHost: x\r\n'
const keyed = (head = GET): string => `${head}x-api-key: ${store.key}\r\n`
const last = `Connection: close\r\n\r\n`

function expectFraming(response: RawResponse | undefined, status: number): void {
  expect([response?.status, Object.keys(response?.json ?? {}), response?.json?.error?.code]).toEqual([
    status,
    ['error'],
    'INVALID_PARAM',
  ])
  expect(Object.keys(response?.json.error)).toEqual(['code', 'message'])
  expect(response?.headers.connection).toBe('close')
  expect(response?.headers['cache-control']).toBe('private, no-store')
  expect(response?.headers.vary).toBe('x-api-key, accept-encoding')
  expect(response?.headers['content-length']).toBe(String(response?.body.length))
  expect(response?.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(Object.keys(response?.headers ?? {}).filter((name) => CORS.test(name))).toEqual([])
}

/** Sends raw bytes and returns the only response, after which the service closes the connection. */
async function only(bytes: string | readonly (string | Buffer)[]): Promise<RawResponse | undefined> {
  const responses = parseResponses(await sendBytes(url, bytes))
  expect(responses).toHaveLength(1)
  return responses[0]
}

describe('[R36] malformed requests', () => {
  test.each([
    ['text that is not HTTP', 'hello\r\n\r\n'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a lower-case method', 'get / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a request line without a version', 'GET /\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/1.9\r\nHost: x\r\n\r\n'],
    ['a space in the target', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a space before a colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n 2\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: 1\r\n\r\n'],
    ['a header with a NUL', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n'],
    ['a bare CR in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\rb\r\n\r\n'],
    ['a transfer-encoding that is not chunked', `${GET}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['a list as transfer-encoding', `${GET}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['two transfer-encodings', `${GET}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`],
    [
      'the same transfer-encoding twice',
      `${GET}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'both content-length and transfer-encoding',
      `${GET}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two content-lengths', `${GET}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`],
    ['the same content-length twice', `${GET}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`],
    ['a content-length that is not a number', `${GET}Content-Length: 3x\r\n\r\nabc`],
    ['a negative content-length', `${GET}Content-Length: -1\r\n\r\n`],
    ['a list as content-length', `${GET}Content-Length: 3, 3\r\n\r\nabc`],
    ['a request without a host', 'GET /api/v1/store HTTP/1.1\r\n\r\n'],
    ['two hosts', `${GET}Host: y\r\n\r\n`],
    ['the method CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'],
  ])('if a client sends %s, the response is 400 and closes the connection', async (_what, bytes) => {
    expectFraming(await only(bytes), 400)
  })

  test('[R6] if a malformed request has a valid key, the response is 400 and has no rate limit headers', async () => {
    const response = await only(`${keyed()}Host: y\r\n\r\n`)
    expectFraming(response, 400)
    expect(response?.headers.ratelimit).toBeUndefined()
  })

  test('if a header or the path has 20,000 bytes, or if there are 6,000 headers, the response is 431', async () => {
    expectFraming(await only(`${GET}X-A: ${'a'.repeat(20_000)}\r\n\r\n`), 431)
    expectFraming(await only(`${GET}${'X-A: a\r\n'.repeat(6000)}\r\n`), 431)
    expectFraming(await only(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`), 431)
  })

  test('if 1,500 small headers precede x-api-key or a second Host header, the service still reads the header after them', async () => {
    const many = Array.from({ length: 1500 }, (_, index) => `A${index}: 1\r\n`)
      .join('')
      .replaceAll('A1', 'A')
    expect(many.length).toBeLessThan(16_000)
    const response = await only(`${GET}${many}x-api-key: ${store.key}\r\n${last}`)
    expect(response?.status).toBe(200)
    expectFraming(await only(`${GET}${many}Host: y\r\n\r\n`), 400)
  })

  test('if the headers of a request are incomplete after HEADERS_TIMEOUT_MS, the response is 408', async () => {
    expectFraming(await only('GET / HTTP/1.1\r\nHost: x\r\n'), 408)
  })

  test('if silent clients hold all 40 connections, the service disconnects them after HEADERS_TIMEOUT_MS, and a new client gets 200', async () => {
    const { hostname, port } = new URL(url)
    // The maximum number of connections. No client closes its own side.
    const silent = Array.from({ length: 40 }, () => {
      const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true })
      socket.on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      return socket.resume()
    })
    await Promise.all(silent.map((socket) => once(socket, 'end')))
    const served = () =>
      sendRequest(url, { path: '/api/v1/store', headers: { 'x-api-key': store.key } }).then(
        ({ status }) => status,
        () => null,
      )
    await expect.poll(served, { timeout: 4000 }).toBe(200)
  })

  test('if headers arrive a few bytes at a time and are incomplete after HEADERS_TIMEOUT_MS, the response is 408', async () => {
    const socket = connectTo(url)
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    socket.on('error', () => undefined)
    const drip = setInterval(() => socket.writable && socket.write('X-A: 1\r\n'), 50)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
    await new Promise((resolve) => socket.on('close', resolve))
    clearInterval(drip)
    expectFraming(parseResponses(Buffer.concat(received).toString('latin1'))[0], 408)
  })

  test('if a request is malformed, the service emits the event request.malformed', () => {
    const malformed = platform.events.filter(({ event }) => event === 'request.malformed')
    expect(malformed.length).toBeGreaterThan(20)
  })
})

describe('unusual, well-formed requests', () => {
  test('if an HTTP/1.0 request has no Host header, the response is 200, and the connection is closed', async () => {
    const response = await only(`GET /api/v1/store HTTP/1.0\r\nx-api-key: ${store.key}\r\n\r\n`)
    expect([response?.status, response?.json.data.id]).toEqual([200, store.id])
    expect(response?.headers['content-length']).toBe(String(response?.body.length))
    expect(response?.headers['transfer-encoding']).toBeUndefined()
  })

  test('if the request target is an absolute URL, the response is 200', async () => {
    const response = await only(
      `${keyed('GET http://api.example.com/api/v1/store?x=1 HTTP/1.1\r\nHost: x\r\n')}${last}`,
    )
    expect([response?.status, response?.headers['x-ignored-params']]).toEqual([200, 'x'])
  })

  test('if a client sends OPTIONS *, the response is 404', async () => {
    expect((await only(`${keyed('OPTIONS * HTTP/1.1\r\nHost: x\r\n')}${last}`))?.status).toBe(404)
  })

  test('if the request target has a fragment, the response is 200', async () => {
    expect((await only(`${keyed('GET /api/v1/store#x HTTP/1.1\r\nHost: x\r\n')}${last}`))?.status).toBe(200)
  })

  test.each([
    ['with its length', 'Content-Length: 5\r\n\r\nhello'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
    ['that looks like a request', `Content-Length: 31\r\n\r\nGET /evil HTTP/1.1\r\nHost: y\r\n\r\n`],
    ['that never arrives', 'Content-Length: 500\r\n\r\nhel'],
    ['in chunks that never end', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhel'],
  ])(
    'if a GET request has a body %s, the body is ignored, and the connection is closed after the response',
    async (_what, body) => {
      const response = await only(`${keyed()}${body}`)
      expect([response?.status, response?.json.data.id]).toEqual([200, store.id])
      expect(response?.headers.connection).toBe('close')
    },
  )

  test('if a GET request has a body of 4 MB, the response is 200', async () => {
    const size = 4_000_000
    const response = await only([`${keyed()}Content-Length: ${size}\r\n\r\n`, Buffer.alloc(size)])
    expect(response?.status).toBe(200)
  })

  test('if a request has an Expect header, the final response is 200', async () => {
    const received = await sendBytes(url, `${keyed()}Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello`)
    expect(parseResponses(received).at(-1)?.status).toBe(200)
    expect((await only(`${keyed()}Expect: something\r\n${last}`))?.status).toBe(200)
  })

  test('if a request has an Upgrade header, the response is 200 and not 101', async () => {
    const response = await only(
      `${keyed()}Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n`,
    )
    expect(response?.status).toBe(200)
    const h2c = await only(
      `${keyed()}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
    )
    expect(h2c?.status).toBe(200)
  })
})

describe('pipelined requests', () => {
  const OFFERS = {
    h2c: 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n',
    websocket: 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n',
  }

  test.each(Object.entries(OFFERS))(
    'if a request offers an upgrade to %s, all requests of the connection still get HTTP/1.1 responses',
    async (_what, offer) => {
      const at = (path: string) => keyed(`GET ${path} HTTP/1.1\r\nHost: x\r\n`)
      const [store, wrong, orders] = ['/api/v1/store', '/api/v1/orders?limit=0', '/api/v1/orders?limit=250'].map(at)
      const expected = [200, 400, 200, 401, 400]
      // The offer is in the first request of a connection, in two requests in a row, and in a request after slow
      // responses.
      const bytes = `${store}${offer}\r\n${wrong}\r\n${orders}${offer}\r\n${GET}${offer}\r\n${wrong}${last}`
      expect(parseResponses(await sendBytes(url, bytes)).map(({ status }) => status)).toEqual(expected)
      const slowFirst = `${orders}\r\n${orders}\r\n${wrong}${offer}\r\n${orders}\r\n${GET}${last}`
      expect(parseResponses(await sendBytes(url, slowFirst)).map(({ status }) => status)).toEqual([
        200, 200, 400, 200, 401,
      ])
      for (let cut = 1; cut < bytes.length; cut += 97) {
        const parts = [bytes.slice(0, cut), bytes.slice(cut)]
        expect(parseResponses(await sendBytes(url, parts)).map(({ status }) => status)).toEqual(expected)
      }
    },
  )

  test('if a request that offers an upgrade to h2c has a body, the body is ignored, and the connection is closed', async () => {
    const inner = `${keyed()}\r\n`
    const bytes = `${keyed()}${OFFERS.h2c}Content-Length: ${inner.length}\r\n\r\n${inner}${inner}`
    const response = await only(bytes)
    expect([response?.status, response?.headers.connection]).toEqual([200, 'close'])
  })

  test('if a client pipelines requests, the responses arrive in the order of the requests', async () => {
    const orders = keyed('GET /api/v1/orders?limit=250 HTTP/1.1\r\nHost: x\r\n')
    const wrong = keyed('GET /api/v1/orders?limit=0 HTTP/1.1\r\nHost: x\r\n')
    const received = await sendBytes(url, `${orders}\r\n${wrong}\r\n${GET}\r\n${keyed()}${last}`)
    expect(parseResponses(received).map(({ status }) => status)).toEqual([200, 400, 401, 200])
  })

  test('if invalid bytes follow valid pipelined requests, the valid requests get their responses first', async () => {
    const slow = keyed('GET /api/v1/orders?limit=250 HTTP/1.1\r\nHost: x\r\n')
    for (const ahead of [[slow], [`${GET}`, slow], [slow, slow, `${GET}`]]) {
      const received = await sendBytes(url, `${ahead.map((each) => `${each}\r\n`).join('')}garbage\r\n\r\n`)
      const expected = [...ahead.map((each) => (each === slow ? 200 : 401)), 400]
      const statuses = received === '' ? [] : parseResponses(received).map(({ status }) => status)
      expect(statuses.slice(0, ahead.length)).toEqual(expected.slice(0, ahead.length))
    }
  })

  test('if a client sends a request after a request with a body, only the first request gets a response', async () => {
    const received = await sendBytes(url, `${keyed()}Content-Length: 5\r\n\r\nhello${keyed()}${last}`)
    expect(parseResponses(received)).toHaveLength(1)
  })
})

describe('clients that reset, wait, or never read', () => {
  test('if 30 clients reset their connections, the next client gets 200', async () => {
    for (const bytes of [
      'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n',
      'GET / HT',
      `${keyed('GET /api/v1/orders?limit=250 HTTP/1.1\r\nHost: x\r\n')}\r\n`,
    ])
      for (let round = 0; round < 10; round += 1)
        await new Promise<void>((resolve) => {
          const socket = connectTo(url)
          socket.on('error', () => undefined)
          socket.on('close', () => resolve())
          socket.on('connect', () => socket.write(bytes, () => socket.resetAndDestroy()))
        })
    expect((await platform.get('/api/v1/store', store.key)).status).toBe(200)
  })

  test('if CONNECTIONS_MAX is 40, at least 20 of 60 clients are disconnected, and once all 60 are gone, a new client gets 200', async () => {
    const sockets = Array.from({ length: 60 }, () => connectTo(url))
    const closed = sockets.map(
      (socket) =>
        new Promise<boolean>((resolve) => {
          socket.on('error', () => undefined)
          socket.on('close', () => resolve(true))
        }),
    )
    await Promise.all(closed.slice(50))
    expect(sockets.filter((socket) => socket.destroyed).length).toBeGreaterThanOrEqual(20)
    for (const socket of sockets) socket.destroy()
    await Promise.all(closed)
    let status = 0
    for (let tries = 0; tries < 50 && status !== 200; tries += 1)
      status = await sendRequest(url, { path: '/api/v1/store', headers: { 'x-api-key': store.key } }).then(
        (response) => response.status,
        () => 0,
      )
    expect(status).toBe(200)
  })

  test('if ten clients never read their responses, other clients still get 200', async () => {
    const sockets = Array.from({ length: 10 }, () => connectTo(url))
    const sendWithKey = `${keyed('GET /api/v1/orders?limit=250 HTTP/1.1\r\nHost: x\r\n')}\r\n`
    for (const socket of sockets) {
      socket.on('error', () => undefined)
      socket.pause()
      socket.write(sendWithKey.repeat(4))
    }
    for (let index = 0; index < 5; index += 1) expect((await platform.get('/api/v1/store', store.key)).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })

  test('if a client never reads its responses and DRAIN_SECONDS is 1, the service still shuts down within eight seconds', async () => {
    const ending = await startPlatform({ DRAIN_SECONDS: '1' })
    const { key } = await filledStore(ending)
    const socket = connectTo(ending.service.url)
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(`GET /api/v1/orders?limit=250 HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`.repeat(8))
    expect((await ending.get('/api/v1/store', key)).status).toBe(200)
    const startedAt = performance.now()
    await ending.close()
    expect(performance.now() - startedAt).toBeLessThan(8000)
    socket.destroy()
  })
})

test('if a client sends a body of 16 MB before it reads the response, it still receives the response', async () => {
  const patient = await startPlatform()
  onTestFinished(() => patient.close())
  const { key } = await filledStore(patient)
  const body = Buffer.alloc(16 * 1024 * 1024)
  const length = `Content-Length: ${body.length}\r\n\r\n`
  const chunk = Buffer.concat([Buffer.from('400\r\n'), Buffer.alloc(1024), Buffer.from('\r\n')])
  const chunked = Buffer.concat([...Array.from({ length: 16 * 1024 }, () => chunk), Buffer.from('0\r\n\r\n')])
  const coding = 'Transfer-Encoding: chunked\r\n\r\n'
  for (const [method, header, bytes] of [
    ['POST', length, body],
    ['GET', length, body],
    ['POST', coding, chunked],
    ['GET', coding, chunked],
  ] as const) {
    const socket = connectTo(patient.service.url)
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    socket.pause()
    socket.write(`${method} /api/v1/store HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n${header}`)
    socket.write(bytes, () => socket.resume())
    await once(socket, 'close')
    const responses = parseResponses(Buffer.concat(received).toString('latin1'))
    expect(responses.map(({ status, headers }) => [status, headers.connection])).toEqual([
      [method === 'GET' ? 200 : 405, 'close'],
    ])
  }
})

test.each(['GET', 'POST'])(
  'if a %s request has Expect: 100-continue, the service sends only the final response and no 100 Continue',
  async (method) => {
    const bytes = `${method} /api/v1/store HTTP/1.1\r\nHost: x\r\nx-api-key: ${store.key}\r\n`
    const responses = parseResponses(await sendBytes(url, `${bytes}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`))
    expect(responses.map(({ status }) => status)).toEqual([method === 'GET' ? 200 : 405])
  },
)

test('[R36] if a client keeps sending its body after the response, the service closes the connection within four seconds', async () => {
  const hurried = await startPlatform({ HEADERS_TIMEOUT_MS: '1000', REQUEST_TIMEOUT_MS: '1000' })
  onTestFinished(() => hurried.close())
  const { key, sql } = await filledStore(hurried)
  const { hostname, port } = new URL(hurried.service.url)
  // A client that keeps sending although the service does not respond any more.
  const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const received: Buffer[] = []
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  // The time limit of the request ends before its response.
  await sql`begin`
  await sql`lock table store in access exclusive mode`
  socket.write(`GET /api/v1/store HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Length: 50000000\r\n\r\n`)
  const drip = setInterval(() => socket.write('x'), 200)
  onTestFinished(() => clearInterval(drip))
  await sql`select pg_sleep(2)`
  await sql`rollback`
  const startedAt = performance.now()
  await closed
  expect(performance.now() - startedAt).toBeLessThan(4000)
  expect(parseResponses(Buffer.concat(received).toString('latin1')).map(({ status }) => status)).toEqual([200])
})

test('if HEADERS_TIMEOUT_MS exceeds REQUEST_TIMEOUT_MS, the service still starts', async () => {
  const odd = await startPlatform({ HEADERS_TIMEOUT_MS: '20000', REQUEST_TIMEOUT_MS: '1000' })
  expect((await odd.get('/api/v1/store', null)).status).toBe(401)
  await odd.close()
})
