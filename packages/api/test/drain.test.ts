// The end of the service: what is being sent is sent whole, and nobody holds it longer than the settings say.

import http from 'node:http'
import { expect, test } from 'vitest'
import { startPlatform } from '../../../test/support/platform.ts'
import { answersIn, ask, connect } from './support/http.ts'
import { askWithoutReading, closed, LARGE_PAGES, readSlowly, storeOfLargeProducts } from './support/slow-client.ts'

test('an answer that is being read slowly leaves whole while the service ends', async () => {
  const platform = await startPlatform({ ...LARGE_PAGES, DRAIN_SECONDS: '30' })
  const store = await storeOfLargeProducts(platform)
  const socket = await askWithoutReading(platform.service.url, store)
  const ending = platform.close()
  const [answer] = answersIn((await readSlowly(socket)).toString('latin1'))
  await ending
  expect([answer?.status, answer?.json.data.length]).toEqual([200, 18])
  expect(answer?.body.length).toBe(Number(answer?.headers['content-length']))
})

test('a client that never reads is cut when its time is over', async () => {
  const platform = await startPlatform({ ...LARGE_PAGES, DRAIN_SECONDS: '1' })
  const store = await storeOfLargeProducts(platform)
  const socket = await askWithoutReading(platform.service.url, store)
  // another one, whose next request offers another protocol and so waits outside of the parser
  const offering = await askWithoutReading(platform.service.url, store)
  offering.write('GET /api/v1/store HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n')
  const startedAt = performance.now()
  await platform.service.close()
  const tookMs = performance.now() - startedAt
  expect(tookMs).toBeGreaterThan(900)
  expect(tookMs).toBeLessThan(4000)
  for (const each of [socket, offering]) expect((await readSlowly(each)).length).toBeLessThan(18_000_000)
  await platform.close()
})

test('neither idle connections nor requests behind an unread answer hold the end', async () => {
  const platform = await startPlatform({ ...LARGE_PAGES, DRAIN_SECONDS: '30' })
  const store = await storeOfLargeProducts(platform)
  const { url } = platform.service
  const agent = new http.Agent({ keepAlive: true })
  const headers = { 'x-api-key': store.key }
  expect((await ask(url, { path: '/api/v1/store', headers, agent })).status).toBe(200)
  const gone = await askWithoutReading(url, store)
  gone.write('GET /api/v1/store HTTP/1.1\r\nhost: test\r\n\r\n'.repeat(20))
  const refused = connect(url)
  refused.on('error', () => undefined)
  refused.write('CONNECT x:1 HTTP/1.1\r\nhost: x:1\r\n\r\n')
  await new Promise((resolve) => refused.once('readable', resolve))
  const ending = platform.service.close()
  gone.resetAndDestroy()
  await closed(gone)
  const startedAt = performance.now()
  await ending
  expect(performance.now() - startedAt).toBeLessThan(5000)
  agent.destroy()
  refused.destroy()
  await platform.close()
}, 20_000)

test('connections that have asked nothing yet, as browsers open them ahead, do not hold the end of either listener', async () => {
  const platform = await startPlatform({ DRAIN_SECONDS: '30' }, { dashboard: true })
  const { url, dashboardUrl } = platform.service
  const ahead = [url, dashboardUrl ?? ''].map(connect)
  await Promise.all(ahead.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  const startedAt = performance.now()
  await platform.close()
  expect(performance.now() - startedAt).toBeLessThan(5000)
  await Promise.all(ahead.map(closed))
})
