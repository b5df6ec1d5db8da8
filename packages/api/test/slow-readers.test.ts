// Tests clients that do not read their responses. The service limits the memory and the time of such responses.

import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { sendRequest } from './support/http.ts'
import {
  LARGE_PAGE,
  LARGE_PAGE_SETTINGS,
  readSlowly,
  requestWithoutReading,
  storeOfLargeProducts,
  whenClosed,
} from './support/slow-client.ts'

const POLL = { timeout: 10_000 }

const errorOf = async (platform: TestPlatform, key: string, path = LARGE_PAGE) => {
  const { status, json, headers } = await platform.get(path, key)
  return [status, json.error?.code, headers.get('retry-after')]
}

async function requestWithoutReadingOften(platform: TestPlatform, store: TestStore, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let index = 0; index < count; index += 1) sockets.push(await requestWithoutReading(platform.service.url, store))
  return sockets
}

const closeAll = (sockets: readonly Socket[]) => {
  for (const socket of sockets) socket.destroy()
  return Promise.all(sockets.map(whenClosed))
}

test('[ERR-2] if clients of a key leave too many response bytes unread, the key gets 429 until they disconnect', async () => {
  const platform = await startPlatform({
    ...LARGE_PAGE_SETTINGS,
    KEY_RESPONSE_BUFFER_BYTES_MAX: '60000000',
    DRAIN_SECONDS: '1',
  })
  const store = await storeOfLargeProducts(platform)
  const other = await platform.newKey(store.id)
  const sockets = await requestWithoutReadingOften(platform, store, 2)
  expect(await errorOf(platform, store.key)).toEqual([429, 'RATE_LIMITED', '1'])
  expect(await errorOf(platform, store.key, '/api/v1/store')).toEqual([429, 'RATE_LIMITED', '1'])
  expect((await platform.get(LARGE_PAGE, null)).status).toBe(401)
  expect((await platform.get('/api/v1/nothing', store.key)).status).toBe(404)
  expect((await platform.get(LARGE_PAGE, other.key)).status).toBe(200)
  await closeAll(sockets)
  await expect.poll(() => errorOf(platform, store.key), POLL).toEqual([200, undefined, null])
  await platform.close()
})

test('[R41] if unread responses fill the memory limit of the service, API requests get 502, and documents still get 200', async () => {
  const platform = await startPlatform({
    ...LARGE_PAGE_SETTINGS,
    RESPONSE_BUFFER_BYTES_MAX: '60000000',
    DRAIN_SECONDS: '1',
  })
  const store = await storeOfLargeProducts(platform)
  const other = await platform.newKey(store.id)
  const sockets = await requestWithoutReadingOften(platform, store, 2)
  expect(await errorOf(platform, other.key)).toEqual([502, 'STORE_DB_ERROR', expect.stringMatching(/^[1-5]$/)])
  for (const encoding of ['identity', 'br', 'gzip', 'br'])
    expect(
      (await sendRequest(platform.service.url, { path: '/openapi.json', headers: { 'accept-encoding': encoding } }))
        .status,
    ).toBe(200)
  await closeAll(sockets)
  await expect.poll(() => errorOf(platform, other.key), POLL).toEqual([200, undefined, null])
  await platform.close()
})

test('if the response buffer of a key fits three large pages, three of 12 simultaneous requests get 200, and nine get 429', async () => {
  const platform = await startPlatform({
    ...LARGE_PAGE_SETTINGS,
    KEY_RESPONSE_BUFFER_BYTES_MAX: '60000000',
    DRAIN_SECONDS: '1',
  })
  const store = await storeOfLargeProducts(platform)
  const sockets = await Promise.all(
    Array.from({ length: 12 }, () => requestWithoutReading(platform.service.url, store)),
  )
  const statuses = sockets.map((socket) => /^HTTP\/1\.1 (\d+)/.exec(String(socket.read(12)))?.[1])
  expect(statuses.toSorted()).toEqual([...Array(3).fill('200'), ...Array(9).fill('429')])
  await closeAll(sockets)
  await platform.close()
})

test('if a response is larger than the whole response buffer, its request still gets 200', async () => {
  const bounds = { RESPONSE_BUFFER_BYTES_MAX: '65536', KEY_RESPONSE_BUFFER_BYTES_MAX: '65536' }
  const platform = await startPlatform({ ...LARGE_PAGE_SETTINGS, ...bounds })
  const store = await storeOfLargeProducts(platform)
  for (let round = 0; round < 3; round += 1)
    await expect.poll(() => errorOf(platform, store.key), POLL).toEqual([200, undefined, null])
  await platform.close()
})

test('if a client does not read a response within RESPONSE_TIMEOUT_MS, the service closes the connection before all bytes are sent', async () => {
  const bounds = { RESPONSE_TIMEOUT_MS: '1500', KEY_RESPONSE_BUFFER_BYTES_MAX: '65536' }
  const platform = await startPlatform({ ...LARGE_PAGE_SETTINGS, ...bounds })
  const store = await storeOfLargeProducts(platform)
  const socket = await requestWithoutReading(platform.service.url, store)
  expect(await errorOf(platform, store.key)).toEqual([429, 'RATE_LIMITED', '1'])
  await expect.poll(() => errorOf(platform, store.key), POLL).toEqual([200, undefined, null])
  const received = await readSlowly(socket)
  const length = Number(/content-length: (\d+)/.exec(received.subarray(0, 2000).toString('latin1'))?.[1])
  expect(length).toBeGreaterThan(18_000_000)
  expect(received.length).toBeLessThan(length)
  await platform.close()
})
