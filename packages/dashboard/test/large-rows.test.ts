import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { idAt } from '../../api/test/support/rows.ts'
import { measureBlocking } from './support/blocking.ts'

let platform: TestPlatform
beforeAll(async () => {
  // The largest row takes seconds, and longer on a busy machine. The store timeout must not end the request.
  platform = await startPlatform({ STORE_TIMEOUT_MS: '60000' }, { dashboard: true })
})
afterAll(() => platform.close())

/** Inserts products whose metafields are `json`, an SQL expression. */
async function addProducts(store: TestStore, rows: number, json: string): Promise<void> {
  await store.sql.unsafe(`
    insert into products (id, name, slug, description, price, metafields, created_at)
    select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'p' || n, 'p' || n, '', 1, ${json},
      now() + n * interval '1 s'
    from generate_series(1, ${rows}) n`)
}

const BLOCKED_MS_MAX = 250

const numbers = (count: number) => `(select jsonb_agg(1000 + i) from generate_series(1, ${count}) i)`

describe('large rows', () => {
  test.each([
    ['50 products with 50,000 numbers each', 50, 50_000],
    ['one product of 9 MB', 1, 1_300_000],
    ['one product of 36 MB', 1, 5_200_000],
  ])(
    `if a store has %s, its Data pages stay below 200 kB (list) and 1.5 MB (row), and block requests for less than ${BLOCKED_MS_MAX} ms`,
    { timeout: 120_000 },
    async (_what, rows, count) => {
      const store = await platform.provision()
      await addProducts(store, rows, numbers(count))
      const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, store.id))
      const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const data = `${visitor.url}/stores/${store.id}/data/products`
      for (const [name, url, bytesMax] of [
        ['list', data, 200_000],
        ['row', `${data}/${idAt(1)}`, 1_500_000],
        ['CSV', `${data}.csv`, Number.MAX_SAFE_INTEGER],
        ['row as JSON', `${data}/${idAt(1)}.json`, Number.MAX_SAFE_INTEGER],
      ] as const) {
        const page = await measureBlocking(url, { cookie })
        expect(page.status, name).toBe(200)
        expect(page.bytes, name).toBeLessThan(bytesMax)
        expect(page.blockedMs, name).toBeLessThan(BLOCKED_MS_MAX)
      }
    },
  )

  test('if a row is large, its page says "This row is large" and links to a JSON file with the whole row', async () => {
    const store = await platform.provision()
    await addProducts(store, 1, numbers(100_000))
    const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, store.id))
    const path = `/stores/${store.id}/data/products/${idAt(1)}`
    const page = await visitor.get(path)
    expect(page.text).toContain('This row is large')
    expect(page.text).toContain(`href="${path}.json"`)
    const file = await visitor.get(`${path}.json`)
    expect(file.headers.get('content-type')).toBe('application/json')
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="products-${idAt(1)}.json"`)
    // `platform.get` would check the response against OpenAPI and collect an error for each number, which takes a
    // minute.
    const response = await fetch(`${platform.service.url}/api/v1/products/${idAt(1)}`, {
      headers: { 'x-api-key': store.key },
    })
    const { data } = (await response.json()) as { readonly data: unknown }
    expect(JSON.parse(file.text)).toEqual(data)
    expect((await visitor.get(`/stores/${store.id}/data/products/${idAt(2)}.json`)).status).toBe(404)
    expect((await visitor.get(`/stores/${store.id}/data/nothing/${idAt(1)}.json`)).status).toBe(404)
  })
})

test("if values such as the store's name are megabytes long, the store's pages stay below 1.5 MB, and General shows only the beginning of values", async () => {
  const store = await platform.provision()
  await store.sql`
    update store set store_name = repeat('n', 9000000), store_email = repeat('\"', 500000),
      enabled_locales = array(select 'l' || n from generate_series(1, 300000) n), store_timezone = repeat('z', 1000000)`
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, store.id))
  for (const path of ['settings/general', 'settings/api', 'usage', 'data/orders']) {
    const page = await visitor.get(`/stores/${store.id}/${path}`)
    expect(page.status, path).toBe(200)
    expect(page.text.length, path).toBeLessThan(1_500_000)
    if (path === 'settings/general') expect(page.text).toContain('the page shows only the beginning')
  }
})

describe('deeply nested values', () => {
  test.each([3000, 6000])(
    'if a product has an array nested %i levels deep, its pages and JSON file return 200, and the CSV file has the whole array',
    async (depth) => {
      const store = await platform.provision()
      await addProducts(store, 1, `(repeat('[', ${depth}) || repeat(']', ${depth}))::jsonb`)
      const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, store.id))
      const data = `/stores/${store.id}/data/products`
      for (const path of [data, `${data}?find=p1`, `${data}/${idAt(1)}`, `${data}/${idAt(1)}.json`])
        expect((await visitor.get(path)).status, path).toBe(200)
      const csv = await visitor.get(`${data}.csv`)
      expect(csv.text).toContain('['.repeat(depth) + ']'.repeat(depth))
    },
  )
})
