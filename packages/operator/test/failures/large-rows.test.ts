// Tests rows of 10 MB. A page has a maximum size and ends early, and the next page continues after it.

import { expect, test, vi } from 'vitest'
import { roundsOf } from '../../../../test/support/rounds.ts'
import { StoreExportClient } from '../../../client/src/index.ts'
import { openClientForTest, SLOW_TEST_TIMEOUTS } from '../support/command-process.ts'
import { createPlatform, idsOf, watchMemory } from '../support/real-service.ts'

const PRODUCTS = roundsOf({ quick: 4, long: 250 })
const PRODUCT_BYTES = 10_000_000
const LIMIT = 250
/** Maximum additional memory in bytes: a few pages with one such row, in each representation. */
const MEMORY_MORE_MAX = 150 * 1024 * 1024

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: 60_000 + 1000 * PRODUCTS })

test(`[PAG-2, PAG-4] if each of ${PRODUCTS} products is 10 MB, each page has one product, and the list returns each product once`, async () => {
  const platform = await createPlatform()
  const store = await platform.createStore({ orders: 1, customers: 1, products: PRODUCTS, locations: 1, groups: 1 })
  const owner = openClientForTest(store.ownerUrl)
  await owner`update products set description = repeat('x', ${PRODUCT_BYTES})`
  const node = await platform.startNode()
  await node.get('/api/v1/store', store)
  const before = await node.metric('process_resident_memory_bytes')
  const memory = watchMemory(node)
  const client = new StoreExportClient({ url: node.url, key: store.key })
  const walked: string[] = []
  for await (const { rows, cursor } of client.products.list({ limit: LIMIT }).pages()) {
    walked.push(...rows.map(({ id }) => id))
    expect(rows.length).toBe(1)
    expect(rows[0]?.description?.length).toBe(PRODUCT_BYTES)
    expect(cursor === null).toBe(walked.length === PRODUCTS)
  }
  expect(walked).toEqual(await idsOf(store, 'products'))
  expect((await memory.most()) - before).toBeLessThan(MEMORY_MORE_MAX)
})
