import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { deviations } from './support/deviations.ts'
import { filledStore } from './support/filled-store.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform)
})
afterAll(() => platform.close())

// biome-ignore lint/suspicious/noExplicitAny: rows as a client without types reads them
type Row = any
const list = async (query: string): Promise<Row[]> => {
  const response = await platform.get(`/api/v1/products?${query}`, store.key)
  expect(response.status, response.text).toBe(200)
  return response.json.data
}

test('[EP-PRODUCTS, RES-VARIANT] GET /products returns products and their variants with only the specified fields', async () => {
  const rows = await list('limit=250')
  expect(rows).toHaveLength(40)
  expect(rows.flatMap((row) => deviations(row, 'product'))).toEqual([])
  const stored = await store.sql`select p.id::text, to_json(array(select v.id::text from product_variants v
    where v.product_id = p.id order by v.created_at, v.id)) as variants from products p order by p.created_at, p.id`
  expect(rows.map(({ id, variants }) => ({ id, variants: variants.map((each: Row) => each.id) }))).toEqual([...stored])
})

test('[RES-PRODUCT] if a product has no variants, the list returns the product with variants: [] and a number as its inventory', async () => {
  const single = (await list('limit=250')).filter(({ has_variants }) => !has_variants)
  expect(single.length).toBeGreaterThan(0)
  for (const { variants, inventory } of single) expect([variants, typeof inventory]).toEqual([[], 'number'])
})

test('[RES-PRODUCT, R22] if a stored string array contains null, the response has only the other elements', async () => {
  const [{ id }] = (await list('limit=1')) as [Row]
  await store.sql`update products set images = array['b', null, 'a"\\'], videos = '{}', tags = null, meta_keywords = array[null]::text[]
    where id = ${id}`
  const [row] = await list('limit=1')
  expect([row.images, row.videos, row.tags, row.meta_keywords]).toEqual([['b', 'a"\\'], [], null, []])
})

describe('[Q-STATUS, ST-1] the status filter of products', () => {
  test.each(['draft', 'active', 'archived'])(
    'if status=%s is sent, the list returns all products with this status and no others',
    async (status) => {
      const stored = await store.sql`select id::text from products where status = ${status} order by created_at, id`
      const rows = await list(`limit=250&status=${status}`)
      expect(rows.map(({ id }) => id)).toEqual(stored.map(({ id }) => id))
      expect(rows.length).toBeGreaterThan(0)
    },
  )

  test('[R33] if a product has a status that the API does not document, the response returns the status unchanged', async () => {
    const [{ id }] = (await list('limit=1')) as [Row]
    await store.sql`update products set status = 'embargoed' where id = ${id}`
    expect((await list('limit=1'))[0].status).toBe('embargoed')
    await store.sql`update products set status = 'active' where id = ${id}`
  })
})

test('[Q-UPDATED, R29] after a variant changes, GET /products with updated_since returns only the product of this variant', async () => {
  const [before] = await store.sql`select clock_timestamp()::text as at`
  const since = `updated_since=${String(before?.at).replace(' ', 'T').replace(/\+00$/, 'Z')}`
  expect(await list(since)).toEqual([])
  const [changed] = await store.sql`update product_variants set inventory = inventory + 1
    where id = (select id from product_variants order by id limit 1) returning product_id::text`
  expect((await list(since)).map(({ id }) => id)).toEqual([changed?.product_id])
})
