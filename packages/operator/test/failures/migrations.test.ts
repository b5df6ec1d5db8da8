// Tests schema changes while a client pages through a list, and a migration that takes longer than the time limit of a
// request. Single changes are in packages/api/test/schema-changes.test.ts and rewrites.test.ts.

import { setTimeout as after } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { roundsOf } from '../../../../test/support/rounds.ts'
import { openClientForTest, SLOW_TEST_TIMEOUTS } from '../support/command-process.ts'
import { createPlatform, idsOf, type RealNode, type RealStore } from '../support/real-service.ts'

const WALKS = roundsOf({ quick: 1, long: 20 })
const PAGE_ROWS = 5
const SIZE = { orders: 100, customers: 5, products: 5, locations: 1, groups: 1 }
const OPEN_SECONDS = 5
const RESPONSE_MS_MAX = 6000

vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: 60_000 + 30_000 * WALKS })

/** Every second change undoes the change before it, so they can be repeated. */
const CHANGES = [
  'alter table orders add column gift_note text',
  'alter table orders drop column gift_note',
  'alter table orders rename column carrier to carrier_name',
  'alter table orders rename column carrier_name to carrier',
  'alter table orders alter column tracking_number type jsonb using to_jsonb(tracking_number)',
  `alter table orders alter column tracking_number type text using tracking_number #>> '{}'`,
  'alter table orders add column rewritten uuid default gen_random_uuid()',
  'alter table orders drop column rewritten',
  'alter table orders alter column total type double precision',
  'alter table orders alter column total type numeric(12,2)',
  'alter table order_items rename column name to title',
  'alter table order_items rename column title to name',
]

interface Page {
  readonly rows: readonly Record<string, unknown>[]
  readonly cursor: string | null
}

/** Requests the page after a cursor. At most one response is a 502, and no other error is accepted. */
async function readPage(node: RealNode, store: RealStore, cursor: string | null): Promise<Page> {
  const path = `/api/v1/orders?limit=${PAGE_ROWS}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
  const first = await node.get(path, store)
  const response = first.status === 502 ? await node.get(path, store) : first
  expect(response.status, JSON.stringify(response.json.error)).toBe(200)
  for (const { ms } of [first, response]) expect(ms).toBeLessThan(RESPONSE_MS_MAX)
  return { rows: response.json.data, cursor: response.json.meta.next_cursor }
}

test(`[R28, PAG-4] if the schema of a store changes before and during each page, a full sync returns every ID in order (full syncs: ${WALKS})`, async () => {
  const platform = await createPlatform()
  const store = await platform.createStore(SIZE)
  const node = await platform.startNode()
  const owner = openClientForTest(store.ownerUrl)
  const expected = await idsOf(store, 'orders')
  const fields = Object.keys((await readPage(node, store, null)).rows[0] ?? {})
  let changes = 0
  const change = () => owner.unsafe(CHANGES[changes++ % CHANGES.length] ?? '').simple()
  for (let walk = 0; walk < WALKS; walk++) {
    const walked: unknown[] = []
    for (let [cursor, page] = ['' as string | null, 0]; cursor !== null; page++) {
      await change()
      // The change comes at a different time of each page, also while its statement holds a lock.
      const during = after(page % 5).then(change)
      const { rows, cursor: next }: Page = await readPage(node, store, cursor === '' ? null : cursor)
      await during
      for (const row of rows) expect(Object.keys(row)).toEqual(fields)
      walked.push(...rows.map(({ id }) => id))
      cursor = next
    }
    expect(walked).toEqual(expected)
    expect(changes).toBeGreaterThan((2 * SIZE.orders * (walk + 1)) / PAGE_ROWS - 1)
  }
})

test(`[R28, ERR-3] if a migration locks a table for ${OPEN_SECONDS} s, a full sync gets at most one 502 per page and every row`, async () => {
  const platform = await createPlatform()
  const store = await platform.createStore(SIZE)
  const node = await platform.startNode()
  const owner = openClientForTest(store.ownerUrl)
  const expected = await idsOf(store, 'orders')
  const { rows: begun, cursor: first } = await readPage(node, store, null)
  await owner`begin`
  await owner.unsafe('alter table orders add column gift_note text, alter column carrier type varchar(500)')
  const closed = after(OPEN_SECONDS * 1000).then(() => owner`commit`)
  const walked = begun.map(({ id }) => id)
  for (let cursor = first; cursor !== null; ) {
    const { rows, cursor: next } = await readPage(node, store, cursor)
    walked.push(...rows.map(({ id }) => id))
    cursor = next
  }
  await closed
  expect(walked).toEqual(expected)
})
