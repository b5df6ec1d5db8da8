// Tests that no response contains bytes of another response. The service reuses the memory of a page for the next page.

import zlib from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { connectTo, parseResponses, sendRequest } from './support/http.ts'
import { withoutWatermark } from './support/without-watermark.ts'

const PATH = '/api/v1/orders?limit=250'
const ROUNDS = 12
let platform: TestPlatform
let stores: readonly { readonly store: TestStore; readonly expected: string }[]

beforeAll(async () => {
  platform = await startPlatform()
  const filled = await Promise.all([filledStore(platform), filledStore(platform, 'v1.3')])
  stores = await Promise.all(
    filled.map(async (store) => ({ store, expected: withoutWatermark((await body(store, {})).toString()) })),
  )
})
afterAll(() => platform.close())

test('[GEN-2] while clients of two stores read slowly, disconnect, or use compression, each client gets only rows of its own store', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = stores
    if (first === undefined || second === undefined) throw new Error('the test needs two stores')
    await Promise.all([
      ...[first, second, first, second].map(readSlowly),
      ...[second, first, second].map(({ store }) => abort(store)),
      ...[first, second].map(async ({ store, expected }) => {
        const packed = await body(store, { 'accept-encoding': 'gzip' })
        expect(withoutWatermark(zlib.gunzipSync(packed).toString())).toBe(expected)
      }),
      ...[first, second, first].map(async ({ store, expected }) => {
        expect(withoutWatermark((await body(store, {})).toString())).toBe(expected)
      }),
      sendRequest(platform.service.url, { method: 'HEAD', path: PATH, headers: { 'x-api-key': second.store.key } }),
    ])
  }
})

async function body(store: TestStore, headers: Record<string, string>): Promise<Buffer> {
  const response = await sendRequest(platform.service.url, {
    path: PATH,
    headers: { 'x-api-key': store.key, ...headers },
  })
  expect(response.status).toBe(200)
  return response.body
}

/** Sends a request and reads the response slowly, so it stays in the memory of the service while others are served. */
async function readSlowly({ store, expected }: (typeof stores)[number]): Promise<void> {
  const socket = connectTo(platform.service.url)
  const chunks: Buffer[] = []
  socket.write(`GET ${PATH} HTTP/1.1\r\nhost: test\r\nconnection: close\r\nx-api-key: ${store.key}\r\n\r\n`)
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    socket.pause()
    setImmediate(() => setImmediate(() => socket.resume()))
  })
  await new Promise((resolve) => socket.on('close', resolve))
  const [response] = parseResponses(Buffer.concat(chunks).toString('latin1'))
  expect(withoutWatermark(String(response?.body))).toBe(expected)
}

/** Sends a request and closes the connection after the first bytes of the response. */
async function abort(store: TestStore): Promise<void> {
  const socket = connectTo(platform.service.url)
  socket.on('error', () => undefined)
  socket.write(`GET ${PATH} HTTP/1.1\r\nhost: test\r\nx-api-key: ${store.key}\r\n\r\n`)
  socket.once('data', () => socket.resetAndDestroy())
  await new Promise((resolve) => socket.on('close', resolve))
}
