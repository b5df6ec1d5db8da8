// What every copy has to keep of walks, whatever keeps it: which rows they remove, and how they go on after a run that was
// ended in the middle.

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type CopyRow, NEW_COPY, NEW_TABLE, type PageWrite, type UnfinishedWalk } from '../../src/copies/copy.ts'
import { type CopyTable, TABLES } from '../../src/tables.ts'
import type { CopyInTest } from './copy-contract.ts'
import { groups, item, order, orders, required } from './copy-contract-rows.ts'

const lines = orders.children[0] ?? orders

/** A walk that has read so many rows. */
const walkAt = (rows: number, more: Partial<UnfinishedWalk> = {}): UnfinishedWalk => ({
  requestedSince: null,
  since: '2026-01-02T00:00:00.123456Z',
  startsAt: null,
  startedAt: '2026-01-02T00:00:01.000Z',
  cursor: `behind ${rows}`,
  rows,
  ...more,
})

/** The table with a column that a newer version knows. */
function wider<T extends Pick<CopyTable, 'columns'>>(table: T): T {
  const colour = orders.columns.filter(({ name }) => name === 'status').map((status) => ({ ...status, name: 'colour' }))
  return { ...table, columns: [...table.columns, ...colour] }
}

/** Runs the tests of walks with the copy of each test. */
export function describeWalks(at: CopyInTest): void {
  const write = (...rows: CopyRow[]) => at.copy.write({ table: orders, rows, isFull: false })
  const end = (isFull = true) => at.copy.end({ table: orders, state: NEW_TABLE, isFull })

  test('a walk of the whole list removes what it has not met, with its children', async () => {
    const [kept, gone] = [order(), order()]
    await write(kept, { ...gone, items: [item(gone.id, 'a')] })
    await at.copy.write({ table: orders, rows: [{ ...kept, items: [item(kept.id, 'b')] }], isFull: true })
    const state = { since: '2026-01-02T00:00:00.000Z', fullAt: '2026-01-02T00:00:00.000Z', startsAt: null }
    expect(await at.copy.end({ table: orders, state, isFull: true })).toBe(1)
    expect([await at.copy.count('orders'), await at.copy.count('order_items')]).toEqual([1, 1])
    expect((await at.reopen()).tables.get('orders')).toEqual(state)
  })

  test('a walk of the whole list removes children that nobody has, and those of a parent that comes back', async () => {
    const one = order()
    const left = [item(one.id, 'left'), item(order().id, 'of nobody')]
    await at.copy.write({
      table: { ...orders, name: 'order_items', columns: lines.columns, children: [] },
      rows: left,
      isFull: false,
    })
    expect(await at.copy.count('order_items')).toBe(2)
    await at.copy.write({ table: orders, rows: [{ ...one, items: [item(one.id, 'new')] }], isFull: true })
    await at.copy.end({ table: orders, state: NEW_TABLE, isFull: true })
    await at.reopen()
    expect((await at.place.read('order_items')).map(({ name: text }) => text)).toEqual(['new'])
  })

  test('a walk that did not end leaves no marks: the next one removes nothing that it has met', async () => {
    const [one, two] = [order(), order()]
    await at.copy.write({ table: orders, rows: [one, two], isFull: true })
    await at.reopen()
    await at.copy.write({ table: orders, rows: [two], isFull: true })
    expect(await at.copy.end({ table: orders, state: NEW_TABLE, isFull: true })).toBe(1)
    expect(await at.copy.count('orders')).toBe(1)
  })

  test('a walk of what changed removes nothing', async () => {
    await write(order(), order())
    expect(
      await at.copy.end({ table: orders, state: { since: 'x', fullAt: null, startsAt: null }, isFull: false }),
    ).toBe(0)
    expect(await at.copy.count('orders')).toBe(2)
  })

  test('names what a walk has not met, which writes nothing', async () => {
    const [one, two, three] = [order(), order(), order()]
    await write(one, two, three)
    await at.copy.markSeen('orders', [two.id, randomUUID()])
    const unmet = [one.id, three.id].toSorted()
    expect(await at.copy.unseenIds('orders', null, 10)).toEqual(unmet)
    expect(await at.copy.unseenIds('orders', null, 1)).toEqual(unmet.slice(0, 1))
    expect(await at.copy.unseenIds('orders', unmet[0] ?? '', 10)).toEqual(unmet.slice(1))
    await at.reopen()
    expect(await at.copy.unseenIds('orders', null, 10), 'no marks are left').toHaveLength(3)
    expect(await at.copy.count('orders')).toBe(3)
  })

  test('a column that a newer version knows is added, and all of its table asked for again', async () => {
    const state = { since: '2026-01-02T00:00:00.000Z', fullAt: '2026-01-02T00:00:00.000Z', startsAt: null }
    for (const table of TABLES) await at.copy.end({ table, state, isFull: false })
    await at.copy.close()
    const products = required('products')
    const widened = [
      wider(orders),
      {
        ...products,
        children: products.children.map(wider),
      },
    ]
    const { tables } = await at.copy.open(
      TABLES.map((table) => widened.find(({ name }) => name === table.name) ?? table),
    )
    expect(tables.get('orders')).toEqual({ ...state, since: null })
    expect(tables.get('products'), 'the children of which were widened').toEqual({ ...state, since: null })
    expect(tables.get('customers')).toEqual(state)
    const one = order({ colour: 'red' })
    await at.copy.write({ table: wider(orders), rows: [one], isFull: false })
    expect(await at.copy.read({ table: wider(orders), by: 'id', ids: [one.id] })).toMatchObject([{ colour: 'red' }])
  })

  describe('a walk that did not end', () => {
    /** A page of orders, behind which the walk goes on. */
    const page = (rows: readonly CopyRow[], unfinished: UnfinishedWalk | null, more: Partial<PageWrite> = {}) =>
      at.copy.write({ table: orders, rows, isFull: true, unfinished, ...more })
    const first = { isFirst: true }

    test('is known to the next run as it was kept last, and to nobody when it has ended', async () => {
      await page([order()], walkAt(1), first)
      const walk = walkAt(2, {
        requestedSince: '2025-01-01T00:00:00.000Z',
        startsAt: '2025-01-02T00:00:00Z',
        cursor: null,
      })
      await page([order()], walk, { isFull: false })
      expect(await at.place.make().peek()).toEqual({ ...NEW_COPY, unfinished: new Map([['orders', walk]]) })
      expect((await at.reopen()).unfinished).toEqual(new Map([['orders', walk]]))
      await end()
      expect((await at.reopen()).unfinished).toEqual(new Map())
    })

    test('goes on with its marks: its end removes what neither run has met, with its children', async () => {
      const [one, two, gone] = [order(), order(), order()]
      await write(one, two, { ...gone, items: [item(gone.id, 'a')] })
      await page([one], walkAt(1), first)
      await at.reopen()
      await page([two], walkAt(2))
      expect(await end()).toBe(1)
      expect([await at.copy.count('orders'), await at.copy.count('order_items')]).toEqual([2, 0])
    })

    test('whose pages are all there goes on with its end alone', async () => {
      const [one, two] = [order(), order()]
      await write(one, two)
      await page([one], walkAt(1, { cursor: null }), first)
      await at.reopen()
      expect(await end()).toBe(1)
      expect(await at.copy.read({ table: orders, by: 'id', ids: [one.id, two.id] })).toHaveLength(1)
    })

    test('into empty tables goes on without marks, and removes nothing', async () => {
      const [one, two] = [order(), order()].map((each) => ({ ...each, items: [item(each.id, 'a')] }))
      await page([one ?? {}], walkAt(1), first)
      await at.reopen()
      await page([two ?? {}], walkAt(2))
      await at.reopen()
      expect(await end()).toBe(0)
      expect([await at.copy.count('orders'), await at.copy.count('order_items')]).toEqual([2, 2])
    })

    test('is forgotten with its marks where another begins', async () => {
      const [one, two] = [order(), order()]
      await write(one, two)
      await page([one], walkAt(1), first)
      await at.reopen()
      await page([two], null, first)
      expect((await at.reopen()).unfinished).toEqual(new Map())
      await page([two], walkAt(1), first)
      expect(await end(), 'a mark of the first would keep its row').toBe(1)
      await page([two], walkAt(1), first)
      await page([], null, first)
      expect(await end(), 'within a run, too').toBe(1)
    })

    test('of one table has nothing to do with that of another', async () => {
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

    test('goes on behind the last page that is whole', async () => {
      await page([order()], walkAt(1), first)
      const bad = { ...order(), items: [{ ...item('x', 'y'), quantity: 'many' }] }
      await expect(page([bad], walkAt(2))).rejects.toThrow()
      expect((await at.reopen()).unfinished).toEqual(new Map([['orders', walkAt(1)]]))
      expect(await at.copy.count('orders')).toBe(1)
    })

    test('is begun again where its table or the children get a column', async () => {
      const one = order()
      await write(one, order())
      for (const table of [orders, required('products'), groups])
        await at.copy.write({ table, rows: table === orders ? [one] : [], isFull: true, isFirst: true })
      await page([one], walkAt(1))
      await page([{ id: randomUUID() }], walkAt(2), { ...first, table: groups })
      await at.copy.close()
      const { unfinished } = await at.copy.open(
        TABLES.map((table) => (table === orders ? { ...orders, children: orders.children.map(wider) } : table)),
      )
      expect([...unfinished.keys()]).toEqual(['customer_groups'])
      await page([], null)
      expect(await end(), 'its marks are gone').toBe(2)
    })

    test('is none in a copy of before walks were kept, which is opened, looked at and widened', async () => {
      await write(order())
      await at.copy.claim('one store')
      await at.copy.close()
      await at.place.change('drop table _sync_unfinished')
      expect(await at.place.make().peek()).toEqual({ ...NEW_COPY, storeId: 'one store' })
      await at.reopen()
      await page([order()], walkAt(1), first)
      expect((await at.reopen()).unfinished).toEqual(new Map([['orders', walkAt(1)]]))
      expect(await at.copy.count('orders')).toBe(2)
    })
  })
}
