// Memory of a page is used again for the next: whatever a client does, no answer may hold bytes of another.

import zlib from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/demo.ts'
import { answersIn, ask, connect } from './support/http.ts'
import { timeless } from './support/timeless.ts'

const PATH = '/api/v1/orders?limit=250'
const ROUNDS = 12
let platform: TestPlatform
let stores: readonly { readonly store: TestStore; readonly expected: string }[]

beforeAll(async () => {
  platform = await startPlatform()
  const filled = await Promise.all([filledStore(platform), filledStore(platform, 'v1.3')])
  stores = await Promise.all(
    filled.map(async (store) => ({ store, expected: timeless((await body(store, {})).toString()) })),
  )
})
afterAll(() => platform.close())

test('[GEN-2] slow, aborting, compressing and HEAD clients of two stores each get their own bytes', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = stores
    if (first === undefined || second === undefined) throw new Error('two stores are needed')
    await Promise.all([
      ...[first, second, first, second].map(readSlowly),
      ...[second, first, second].map(({ store }) => abort(store)),
      ...[first, second].map(async ({ store, expected }) => {
        const packed = await body(store, { 'accept-encoding': 'gzip' })
        expect(timeless(zlib.gunzipSync(packed).toString())).toBe(expected)
      }),
      ...[first, second, first].map(async ({ store, expected }) => {
        expect(timeless((await body(store, {})).toString())).toBe(expected)
      }),
      ask(platform.service.url, { method: 'HEAD', path: PATH, headers: { 'x-api-key': second.store.key } }),
    ])
  }
})

async function body(store: TestStore, headers: Record<string, string>): Promise<Buffer> {
  const answer = await ask(platform.service.url, { path: PATH, headers: { 'x-api-key': store.key, ...headers } })
  expect(answer.status).toBe(200)
  return answer.body
}

/** Sends a request and reads the answer in small sips, so that it lies in the service while others are served. */
async function readSlowly({ store, expected }: (typeof stores)[number]): Promise<void> {
  const socket = connect(platform.service.url)
  const chunks: Buffer[] = []
  socket.write(`GET ${PATH} HTTP/1.1\r\nhost: test\r\nconnection: close\r\nx-api-key: ${store.key}\r\n\r\n`)
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    socket.pause()
    setImmediate(() => setImmediate(() => socket.resume()))
  })
  await new Promise((resolve) => socket.on('close', resolve))
  const [answer] = answersIn(Buffer.concat(chunks).toString('latin1'))
  expect(timeless(String(answer?.body))).toBe(expected)
}

/** Sends a request and leaves at the first bytes of the answer. */
async function abort(store: TestStore): Promise<void> {
  const socket = connect(platform.service.url)
  socket.on('error', () => undefined)
  socket.write(`GET ${PATH} HTTP/1.1\r\nhost: test\r\nx-api-key: ${store.key}\r\n\r\n`)
  socket.once('data', () => socket.resetAndDestroy())
  await new Promise((resolve) => socket.on('close', resolve))
}
