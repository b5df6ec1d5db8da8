// What every copy has to keep of walks that bring ids alone, whatever keeps it: they write nothing, and their end removes
// what they have not met.

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type CopyRow, NEW_TABLE, type UnfinishedWalk } from '../../src/copies/copy.ts'
import type { CopyInTest } from './copy-contract.ts'
import { item, order, orders, required } from './copy-contract-rows.ts'

const customers = required('customers')
const addresses = required('customer_addresses')

/** Runs the tests of walks of ids with the copy of each test. */
export function describePruning(at: CopyInTest): void {
  const write = (table: typeof orders, ...rows: CopyRow[]) => at.copy.write({ table, rows, isFull: false })
  const meet = (seenIds: readonly string[], isFirst = true, table = orders) =>
    at.copy.write({ table, rows: [], seenIds, isFull: true, isFirst })
  const end = (table = orders) => at.copy.end({ table, state: NEW_TABLE, isFull: true })
  const kept = async (table: string) => (await at.place.read(table)).map(({ id }) => id)

  describe('a walk of ids alone', () => {
    test('removes what it has not met on any page, with its children, and leaves the rest as it was', async () => {
      const [one, two, gone] = [order({ email: 'one@example.com' }), order(), order()]
      await write(orders, { ...one, items: [item(one.id, 'of one')] }, two, { ...gone, items: [item(gone.id, 'gone')] })
      await meet([one.id, randomUUID()])
      await meet([two.id], false)
      const state = { since: '2026-01-02T00:00:00.000Z', fullAt: null, startsAt: '2026-01-01T00:00:00.000Z' }
      expect(await at.copy.end({ table: orders, state, isFull: true })).toBe(1)
      expect((await at.reopen()).tables.get('orders')).toEqual(state)
      expect(await kept('orders')).toEqual([one.id, two.id].toSorted())
      expect((await at.place.read('orders')).find(({ id }) => id === one.id)).toMatchObject({
        email: 'one@example.com',
        total: '10.50',
      })
      expect((await at.place.read('order_items')).map(({ name }) => name)).toEqual(['of one'])
    })

    test('removes what belongs to the rows that it removes, and to no others', async () => {
      const [stays, gone, never] = [randomUUID(), randomUUID(), randomUUID()]
      await write(customers, { id: stays }, { id: gone })
      const owned = [stays, gone, never].map((customer) => ({ id: randomUUID(), customer_id: customer }))
      await write(addresses, ...owned)
      await meet([stays], true, customers)
      expect(await end(customers)).toBe(1)
      await at.reopen()
      const owners = (await at.place.read('customer_addresses')).map((row) => row.customer_id)
      // of whom the copy never had, others than this walk know
      expect(owners.toSorted()).toEqual([stays, never].toSorted())
    })

    test('that brings none removes all, and in an empty table nothing', async () => {
      await write(orders, order(), order())
      await meet([])
      expect(await end()).toBe(2)
      await meet([randomUUID()])
      expect(await end()).toBe(0)
      expect(await at.copy.count('orders')).toBe(0)
    })

    test('keeps what the copy gets after it, and begins without marks of the one before', async () => {
      const [one, two] = [order(), order()]
      await write(orders, one)
      await meet([one.id])
      expect(await end()).toBe(0)
      await write(orders, two)
      await meet([two.id])
      expect(await end()).toBe(1)
      await at.reopen()
      expect(await kept('orders')).toEqual([two.id])
    })

    test('that did not end leaves nothing to any other walk: neither marks, nor a place to go on from', async () => {
      const [one, two] = [order(), order()]
      await write(orders, one, two)
      await meet([one.id])
      expect((await at.reopen()).unfinished).toEqual(new Map())
      expect(await at.copy.count('orders')).toBe(2)
      await at.copy.write({ table: orders, rows: [two], isFull: true, isFirst: true })
      expect(await end(), 'a mark of the first would keep its row').toBe(1)
      await write(orders, one)
      await meet([one.id])
      await meet([two.id])
      expect(await end(), 'begun again within a run, too').toBe(1)
      await at.reopen()
      expect(await kept('orders')).toEqual([two.id])
    })

    test('of one table leaves a walk of another that did not end as it is', async () => {
      const [one, two] = [order(), order()]
      await write(orders, one, two)
      await write(customers, { id: randomUUID() })
      const unfinished: UnfinishedWalk = {
        ...{ requestedSince: null, since: '2026-01-02T00:00:00Z', startsAt: null },
        ...{ startedAt: '2026-01-02T00:00:01Z', cursor: 'behind 1', rows: 1 },
      }
      await at.copy.write({ table: orders, rows: [one], isFull: true, isFirst: true, unfinished })
      await at.reopen()
      await meet([], true, customers)
      expect(await end(customers)).toBe(1)
      expect((await at.reopen()).unfinished).toEqual(new Map([['orders', unfinished]]))
      expect(await end()).toBe(1)
      await at.reopen()
      expect(await kept('orders'), 'with its marks').toEqual([one.id])
    })
  })
}
