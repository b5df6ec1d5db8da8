import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
})
afterAll(() => platform.close())

test('if the URL of a request log filters by a time or endpoint that PostgreSQL rejects, the log and its CSV file return 200', async () => {
  const store = await platform.provision()
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, store.id))
  const page = `/stores/${store.id}/usage/keys/${store.keyId}`
  const years = ['%2B275760-09-13', '-271821-04-20T00:00:00.000Z', '0000-01-01', '9999-12-31T23:59-10:00']
  const queries = ['endpoint=%00', 'until=9999-12-31T23:59', ...years.map((year) => `before=${year}`)]
  for (const query of queries)
    for (const path of [page, `${page}/log.csv`])
      expect([path, query, (await visitor.get(`${path}?${query}`)).status]).toEqual([path, query, 200])
})

test('if a sync stopped ten days ago, the page of the key still shows the sync as stopped, but the keys page does not', async () => {
  const store = await platform.provision()
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, store.id))
  const ago = (interval: string) => platform.controlSql`
    insert into walks (key_id, endpoint, filters, begun_at, last_at, requests, pages, rows, ended)
    values (${store.keyId}, '/api/v1/orders', ${interval}, now() - ${interval}::interval, now() - ${interval}::interval, 20, 20, 5000, false)`
  await platform.controlSql`update api_keys set last_used_at = now() - interval '2 days' where id = ${store.keyId}`
  await ago('10 days')
  await platform.controlSql`
    insert into request_log (key_id, minute, endpoint, status, code, reason, requests, rows, duration_ms, last_at)
    select ${store.keyId}, date_trunc('minute', now() - days * interval '1 day'), '/api/v1/orders', 400, 'INVALID_PARAMETER',
      'reason of day ' || days, 1, 0, 1, now() - days * interval '1 day'
    from unnest(array[10, 29, 31]) days`
  const { text } = await visitor.get(`/stores/${store.id}/usage/keys/${store.keyId}`)
  expect(text).toContain('Lines are deleted after 30 days.')
  for (const days of [10, 29]) expect(text).toContain(`reason of day ${days}`)
  expect(text).not.toContain('reason of day 31')
  expect(text).toContain('Stopped')
  const keys = () => visitor.get(`/stores/${store.id}/settings/api`)
  expect((await keys()).text).not.toContain('<strong>Stopped</strong>')
  await ago('2 days')
  expect((await keys()).text).toContain('<strong>Stopped</strong>')
})
