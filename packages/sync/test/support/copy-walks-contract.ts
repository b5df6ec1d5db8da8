// Tests of full syncs that every kind of copy must pass: which rows they remove, and how an interrupted sync is
// resumed.

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type CopyRow, NEW_COPY, NEW_TABLE, type PageWrite, type UnfinishedWalk } from '../../src/copies/copy.ts'
import { type CopyTable, TABLES } from '../../src/tables.ts'
import type { OpenCopy } from './copy-contract.ts'
import { groups, item, order, orders, required, SYNCED } from './copy-contract-rows.ts'

const lines = orders.children[0] ?? orders

/** Returns a full walk that has read `rows` rows. */
const walkAt = (rows: number, more: Partial<UnfinishedWalk> = {}): UnfinishedWalk => ({
  requestedSince: null,
  since: '2026-01-02T00:00:00.123456Z',
  startsAt: null,
  storeFields: '2f1b0c5d9e8a7346',
  startedAt: '2026-01-02T00:00:01.000Z',
  cursor: `after ${rows}`,
  rows,
  ...more,
})

/** Returns the table with a column of a newer version. */
function withNewColumn<T extends Pick<CopyTable, 'columns'>>(table: T): T {
  const color = orders.columns.filter(({ name }) => name === 'status').map((status) => ({ ...status, name: 'color' }))
  return { ...table, columns: [...table.columns, ...color] }
}

export function describeWalks(at: OpenCopy): void {
  const write = (...rows: CopyRow[]) => at.copy.write({ table: orders, rows, isFull: false })
  const end = (isFull = true) => at.copy.end({ table: orders, state: NEW_TABLE, isFull })

  test('when a full sync ends, orders that the sync has not seen are removed with their items', async () => {
    const [seen, gone] = [order(), order()]
    await write(seen, { ...gone, items: [item(gone.id, 'a')] })
    await at.copy.write({ table: orders, rows: [{ ...seen, items: [item(seen.id, 'b')] }], isFull: true })
    const state = SYNCED
    expect(await at.copy.end({ table: orders, state, isFull: true })).toBe(1)
    expect([await at.copy.count('orders'), await at.copy.count('order_items')]).toEqual([1, 1])
    expect((await at.reopen()).tables.get('orders')).toEqual(state)
  })

  test('open and peek return the last saved state of a table', async () => {
    const states = [
      SYNCED,
      { ...SYNCED, storeFields: '0000000000000001', rereadAt: '2026-01-03T00:00:00.000Z' },
      { ...SYNCED, storeFields: null },
      NEW_TABLE,
    ]
    for (const state of states) {
      await at.copy.end({ table: orders, state, isFull: false })
      expect((await at.destination.make().peek())?.tables.get('orders')).toEqual(state)
      expect((await at.reopen()).tables.get('orders')).toEqual(state)
    }
  })

  test('when a full sync ends, embedded rows without a parent are removed', async () => {
    const one = order()
    const left = [item(one.id, 'left'), item(order().id, 'no parent')]
    await at.copy.write({
      table: { ...orders, name: 'order_items', columns: lines.columns, children: [] },
      rows: left,
      isFull: false,
    })
    expect(await at.copy.count('order_items')).toBe(2)
    await at.copy.write({ table: orders, rows: [{ ...one, items: [item(one.id, 'new')] }], isFull: true })
    await at.copy.end({ table: orders, state: NEW_TABLE, isFull: true })
    await at.reopen()
    expect((await at.destination.read('order_items')).map(({ name: text }) => text)).toEqual(['new'])
  })

  test('if a full sync stopped without saving its position, the next full sync removes rows that only the stopped sync has seen', async () => {
    const [one, two] = [order(), order()]
    await at.copy.write({ table: orders, rows: [one, two], isFull: true })
    await at.reopen()
    await at.copy.write({ table: orders, rows: [two], isFull: true })
    expect(await at.copy.end({ table: orders, state: NEW_TABLE, isFull: true })).toBe(1)
    expect(await at.copy.count('orders')).toBe(1)
  })

  test('when an incremental sync ends, no row is removed', async () => {
    await write(order(), order())
    expect(await at.copy.end({ table: orders, state: { ...NEW_TABLE, since: 'x' }, isFull: false })).toBe(0)
    expect(await at.copy.count('orders')).toBe(2)
  })

  test('unseenIds returns the IDs that markSeen has not marked, and reopening the copy deletes all marks', async () => {
    const [one, two, three] = [order(), order(), order()]
    await write(one, two, three)
    await at.copy.markSeen('orders', [two.id, randomUUID()])
    const unseen = [one.id, three.id].toSorted()
    expect(await at.copy.unseenIds('orders', null, 10)).toEqual(unseen)
    expect(await at.copy.unseenIds('orders', null, 1)).toEqual(unseen.slice(0, 1))
    expect(await at.copy.unseenIds('orders', unseen[0] ?? '', 10)).toEqual(unseen.slice(1))
    await at.reopen()
    expect(await at.copy.unseenIds('orders', null, 10), 'marks are deleted').toHaveLength(3)
    expect(await at.copy.count('orders')).toBe(3)
  })

  test("if a table or its embedded table gets a new column, open adds the column and resets the table's since to null", async () => {
    const state = SYNCED
    for (const table of TABLES) await at.copy.end({ table, state, isFull: false })
    await at.copy.close()
    const products = required('products')
    const widened = [
      withNewColumn(orders),
      {
        ...products,
        children: products.children.map(withNewColumn),
      },
    ]
    const { tables } = await at.copy.open(
      TABLES.map((table) => widened.find(({ name }) => name === table.name) ?? table),
    )
    expect(tables.get('orders')).toEqual({ ...state, since: null })
    expect(tables.get('products'), 'its embedded table has a new column').toEqual({ ...state, since: null })
    expect(tables.get('customers')).toEqual(state)
    const one = order({ color: 'red' })
    await at.copy.write({ table: withNewColumn(orders), rows: [one], isFull: false })
    expect(await at.copy.read({ table: withNewColumn(orders), by: 'id', ids: [one.id] })).toMatchObject([
      { color: 'red' },
    ])
  })

  describe('unfinished syncs', () => {
    /** Writes a page of orders and saves the walk. */
    const page = (rows: readonly CopyRow[], unfinished: UnfinishedWalk | null, more: Partial<PageWrite> = {}) =>
      at.copy.write({ table: orders, rows, isFull: true, unfinished, ...more })
    const first = { isFirst: true }

    test('until an unfinished sync ends, peek and open return its last saved position', async () => {
      await page([order()], walkAt(1), first)
      const walk = walkAt(2, {
        requestedSince: '2025-01-01T00:00:00.000Z',
        startsAt: '2025-01-02T00:00:00Z',
        cursor: null,
      })
      await page([order()], walk, { isFull: false })
      expect(await at.destination.make().peek()).toEqual({ ...NEW_COPY, unfinished: new Map([['orders', walk]]) })
      expect((await at.reopen()).unfinished).toEqual(new Map([['orders', walk]]))
      await end()
      expect((await at.reopen()).unfinished).toEqual(new Map())
    })

    test('if a page of an unfinished sync has no rows, the position after this page is saved', async () => {
      const [one, gone] = [order(), order()]
      await write(one, gone)
      await page([], walkAt(0), first)
      expect((await at.reopen()).unfinished).toEqual(new Map([['orders', walkAt(0)]]))
      await page([one], walkAt(1))
      await page([], walkAt(1, { cursor: null }))
      expect((await at.reopen()).unfinished).toEqual(new Map([['orders', walkAt(1, { cursor: null })]]))
      expect(await end()).toBe(1)
    })

    test('if a full sync is resumed, rows that neither run has seen are removed at the end of the sync', async () => {
      const [one, two, gone] = [order(), order(), order()]
      await write(one, two, { ...gone, items: [item(gone.id, 'a')] })
      await page([one], walkAt(1), first)
      await at.reopen()
      await page([two], walkAt(2))
      expect(await end()).toBe(1)
      expect([await at.copy.count('orders'), await at.copy.count('order_items')]).toEqual([2, 0])
    })

    test('if all pages were written before an interruption, ending the sync removes unseen rows', async () => {
      const [one, two] = [order(), order()]
      await write(one, two)
      await page([one], walkAt(1, { cursor: null }), first)
      await at.reopen()
      expect(await end()).toBe(1)
      expect(await at.copy.read({ table: orders, by: 'id', ids: [one.id, two.id] })).toHaveLength(1)
    })

    test('if the table was empty before an unfinished sync, ending the sync removes no row', async () => {
      const [one, two] = [order(), order()].map((each) => ({ ...each, items: [item(each.id, 'a')] }))
      await page([one ?? {}], walkAt(1), first)
      await at.reopen()
      await page([two ?? {}], walkAt(2))
      await at.reopen()
      expect(await end()).toBe(0)
      expect([await at.copy.count('orders'), await at.copy.count('order_items')]).toEqual([2, 2])
    })

    test('if another sync of the table starts, the position and the seen rows of the unfinished sync are deleted', async () => {
      const [one, two] = [order(), order()]
      await write(one, two)
      await page([one], walkAt(1), first)
      await at.reopen()
      await page([two], null, first)
      expect((await at.reopen()).unfinished).toEqual(new Map())
      await page([two], walkAt(1), first)
      expect(await end(), 'a mark of the first sync would retain its row').toBe(1)
      await page([two], walkAt(1), first)
      await page([], null, first)
      expect(await end(), 'also within one run').toBe(1)
    })

    test('syncing another table leaves the unfinished sync of orders unchanged', async () => {
      const [one, two, three] = [order(), order(), order()]
      const group = { id: randomUUID(), name: 'g' }
      await write(one, two, three)
      await at.copy.write({ table: groups, rows: [group, { id: randomUUID(), name: 'gone' }], isFull: false })
      await page([one], walkAt(1), first)
      await page([group], walkAt(7), { ...first, table: groups })
      const { unfinished } = await at.reopen()
      expect([unfinished.get('orders'), unfinished.get('customer_groups')]).toEqual([walkAt(1), walkAt(7)])
      expect(await at.copy.end({ table: groups, state: NEW_TABLE, isFull: true })).toBe(1)
      expect((await at.reopen()).unfinished).toEqual(new Map([['orders', walkAt(1)]]))
      await page([two], walkAt(2))
      expect(await end()).toBe(1)
    })

    test('if writing a page fails, the unfinished sync stays at the last written page', async () => {
      await page([order()], walkAt(1), first)
      const bad = { ...order(), items: [{ ...item('x', 'y'), quantity: 'many' }] }
      await expect(page([bad], walkAt(2))).rejects.toThrow()
      expect((await at.reopen()).unfinished).toEqual(new Map([['orders', walkAt(1)]]))
      expect(await at.copy.count('orders')).toBe(1)
    })

    test('if the embedded table of orders gets a column, open deletes the unfinished sync of orders', async () => {
      const one = order()
      await write(one, order())
      for (const table of [orders, required('products'), groups])
        await at.copy.write({ table, rows: table === orders ? [one] : [], isFull: true, isFirst: true })
      await page([one], walkAt(1))
      await page([{ id: randomUUID() }], walkAt(2), { ...first, table: groups })
      await at.copy.close()
      const { unfinished } = await at.copy.open(
        TABLES.map((table) => (table === orders ? { ...orders, children: orders.children.map(withNewColumn) } : table)),
      )
      expect([...unfinished.keys()]).toEqual(['customer_groups'])
      await page([], null)
      expect(await end(), 'its marks are deleted').toBe(2)
    })

    test('if an older version of store-sync wrote the copy, peek returns no unfinished sync', async () => {
      await write(order())
      await at.copy.claim('one store')
      await at.copy.close()
      await at.destination.change('drop table _sync_unfinished')
      expect(await at.destination.make().peek()).toEqual({ ...NEW_COPY, storeId: 'one store' })
      await at.reopen()
      await page([order()], walkAt(1), first)
      expect((await at.reopen()).unfinished).toEqual(new Map([['orders', walkAt(1)]]))
      expect(await at.copy.count('orders')).toBe(2)
    })
  })
}
