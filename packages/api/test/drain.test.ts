// Tests the shutdown. The service sends started responses completely, and no client delays the shutdown beyond its time
// limits.

import http from 'node:http'
import { expect, test } from 'vitest'
import { startPlatform } from '../../../test/support/platform.ts'
import { connectTo, parseResponses, sendRequest } from './support/http.ts'
import {
  LARGE_PAGE_SETTINGS,
  readSlowly,
  requestWithoutReading,
  storeOfLargeProducts,
  whenClosed,
} from './support/slow-client.ts'

test('if a client reads slowly during shutdown, the service still sends the complete response', async () => {
  const platform = await startPlatform({ ...LARGE_PAGE_SETTINGS, DRAIN_SECONDS: '30' })
  const store = await storeOfLargeProducts(platform)
  const socket = await requestWithoutReading(platform.service.url, store)
  const ending = platform.close()
  const [response] = parseResponses((await readSlowly(socket)).toString('latin1'))
  await ending
  expect([response?.status, response?.json.data.length]).toEqual([200, 18])
  expect(response?.body.length).toBe(Number(response?.headers['content-length']))
})

test('if a client does not read its response during shutdown, the service closes the connection after DRAIN_SECONDS', async () => {
  const platform = await startPlatform({ ...LARGE_PAGE_SETTINGS, DRAIN_SECONDS: '1' })
  const store = await storeOfLargeProducts(platform)
  const socket = await requestWithoutReading(platform.service.url, store)
  // A second client, whose next request has the header Upgrade and therefore waits outside of the parser.
  const offering = await requestWithoutReading(platform.service.url, store)
  offering.write('GET /api/v1/store HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n')
  const startedAt = performance.now()
  await platform.service.close()
  const tookMs = performance.now() - startedAt
  expect(tookMs).toBeGreaterThan(900)
  expect(tookMs).toBeLessThan(4000)
  for (const each of [socket, offering]) expect((await readSlowly(each)).length).toBeLessThan(18_000_000)
  await platform.close()
})

test('the shutdown does not wait for connections that are idle, were reset with pending requests, or sent CONNECT', async () => {
  const platform = await startPlatform({ ...LARGE_PAGE_SETTINGS, DRAIN_SECONDS: '30' })
  const store = await storeOfLargeProducts(platform)
  const { url } = platform.service
  const agent = new http.Agent({ keepAlive: true })
  const headers = { 'x-api-key': store.key }
  expect((await sendRequest(url, { path: '/api/v1/store', headers, agent })).status).toBe(200)
  const gone = await requestWithoutReading(url, store)
  gone.write('GET /api/v1/store HTTP/1.1\r\nhost: test\r\n\r\n'.repeat(20))
  const rejected = connectTo(url)
  rejected.on('error', () => undefined)
  rejected.write('CONNECT x:1 HTTP/1.1\r\nhost: x:1\r\n\r\n')
  await new Promise((resolve) => rejected.once('readable', resolve))
  const ending = platform.service.close()
  gone.resetAndDestroy()
  await whenClosed(gone)
  const startedAt = performance.now()
  await ending
  expect(performance.now() - startedAt).toBeLessThan(5000)
  agent.destroy()
  rejected.destroy()
  await platform.close()
}, 20_000)

test('the shutdown of the API and of the dashboard does not wait for connections that have sent no request', async () => {
  const platform = await startPlatform({ DRAIN_SECONDS: '30' }, { dashboard: true })
  const { url, dashboardUrl } = platform.service
  const ahead = [url, dashboardUrl ?? ''].map(connectTo)
  await Promise.all(ahead.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  const startedAt = performance.now()
  await platform.close()
  expect(performance.now() - startedAt).toBeLessThan(5000)
  await Promise.all(ahead.map(whenClosed))
})
