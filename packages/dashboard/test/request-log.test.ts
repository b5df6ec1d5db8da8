import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
})
afterAll(() => platform.close())

test('if the URL of a request log has a time or an endpoint that PostgreSQL rejects, the log has no internal error', async () => {
  const store = await platform.provision()
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, store.id))
  const page = `/stores/${store.id}/usage/keys/${store.keyId}`
  const years = ['%2B275760-09-13', '-271821-04-20T00:00:00.000Z', '0000-01-01', '9999-12-31T23:59-10:00']
  const queries = ['endpoint=%00', 'until=9999-12-31T23:59', ...years.map((year) => `before=${year}`)]
  for (const query of queries)
    for (const path of [page, `${page}/log.csv`])
      expect([path, query, (await visitor.get(`${path}?${query}`)).status]).toEqual([path, query, 200])
})
