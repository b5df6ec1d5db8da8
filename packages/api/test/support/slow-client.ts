// Clients that ask and do not read, or read slowly; and answers that are too large for the buffers of the system.

import type { Socket } from 'node:net'
import { LATEST_REVISION } from '@store-export/contract'
import type { TestPlatform, TestStore } from '../../../../test/support/platform.ts'
import { filledStore } from './demo.ts'
import { connect } from './http.ts'

/** A page of 18 MB, where the settings say so: more than the system takes off the service's hands. */
export const LARGE_PAGE = '/api/v1/products?limit=18'
/** Settings under which `LARGE_PAGE` is served whole. */
export const LARGE_PAGES = { PAGE_BYTES_MAX: '33554432', STORE_TIMEOUT_MS: '20000', STORE_QUEUE_WAIT_MS: '20000' }

/** A store with products of a megabyte each. */
export async function storeOfLargeProducts(platform: TestPlatform): Promise<TestStore> {
  const store = await filledStore(platform, LATEST_REVISION, {
    orders: 1,
    customers: 1,
    products: 20,
    locations: 1,
    groups: 1,
  })
  await store.sql`update products set description = repeat('x', 1000000)`
  return store
}

/** Asks for `path` and reads nothing until the socket is resumed; resolves when the answer has begun. */
export async function askWithoutReading(url: string, { key }: TestStore, path = LARGE_PAGE): Promise<Socket> {
  const socket = connect(url)
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nhost: test\r\nx-api-key: ${key}\r\n\r\n`)
  await new Promise((resolve) => socket.once('readable', resolve))
  return socket
}

/** All that is left to be read, in sips, until the service closes the connection. */
export async function readSlowly(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    socket.pause()
    setTimeout(() => socket.resume(), 1)
  })
  await closed(socket)
  return Buffer.concat(chunks)
}

/** Resolves when the connection is closed. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.once('close', () => resolve())
  })
}
