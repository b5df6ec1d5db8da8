// Simulates clients that read slowly or not at all, with responses that are too large for the socket buffers.

import type { Socket } from 'node:net'
import { LATEST_REVISION } from '@store-export/contract'
import type { TestPlatform, TestStore } from '../../../../test/support/platform.ts'
import { filledStore } from './filled-store.ts'
import { connectTo } from './http.ts'

/** A page of 18 MB with the settings `LARGE_PAGE_SETTINGS`. It is larger than the socket buffers. */
export const LARGE_PAGE = '/api/v1/products?limit=18'
/** Settings that allow `LARGE_PAGE`. */
export const LARGE_PAGE_SETTINGS = {
  PAGE_BYTES_MAX: '33554432',
  STORE_TIMEOUT_MS: '20000',
  STORE_QUEUE_WAIT_MS: '20000',
}

/** Creates a store with 20 products of a megabyte each. */
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

/**
 * Requests `path` and reads nothing until the socket is resumed. Resolves when the first bytes of the response arrive.
 */
export async function requestWithoutReading(url: string, { key }: TestStore, path = LARGE_PAGE): Promise<Socket> {
  const socket = connectTo(url)
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nhost: test\r\nx-api-key: ${key}\r\n\r\n`)
  await new Promise((resolve) => socket.once('readable', resolve))
  return socket
}

/** Reads the rest slowly until the service closes the connection, and returns the bytes. */
export async function readSlowly(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    socket.pause()
    setTimeout(() => socket.resume(), 1)
  })
  await whenClosed(socket)
  return Buffer.concat(chunks)
}

export function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.once('close', () => resolve())
  })
}
