// Tests of pruning that every kind of copy must pass.

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type CopyRow, NEW_TABLE, type UnfinishedWalk } from '../../src/copies/copy.ts'
import type { OpenCopy } from './copy-contract.ts'
import { item, order, orders, required, SYNCED } from './copy-contract-rows.ts'

const customers = required('customers')
const addresses = required('customer_addresses')

export function describePruning(at: OpenCopy): void {
  const write = (table: typeof orders, ...rows: CopyRow[]) => at.copy.write({ table, rows, isFull: false })
  const see = (seenIds: readonly string[], isFirst = true, table = orders) =>
    at.copy.write({ table, rows: [], seenIds, isFull: true, isFirst })
  const end = (table = orders) => at.copy.end({ table, state: NEW_TABLE, isFull: true })
  const storedIds = async (table: string) => (await at.destination.read(table)).map(({ id }) => id)

  describe('pruning', () => {
    test('if an order is on no page of the ID list, pruning removes this order with its items, and no other order', async () => {
      const [one, two, gone] = [order({ email: 'one@example.com' }), order(), order()]
      await write(orders, { ...one, items: [item(one.id, 'of one')] }, two, { ...gone, items: [item(gone.id, 'gone')] })
      await see([one.id, randomUUID()])
      await see([two.id], false)
      const state = { ...SYNCED, startsAt: '2026-01-01T00:00:00.000Z' }
      expect(await at.copy.end({ table: orders, state, isFull: true })).toBe(1)
      expect((await at.reopen()).tables.get('orders')).toEqual(state)
      expect(await storedIds('orders')).toEqual([one.id, two.id].toSorted())
      expect((await at.destination.read('orders')).find(({ id }) => id === one.id)).toMatchObject({
        email: 'one@example.com',
        total: '10.50',
      })
      expect((await at.destination.read('order_items')).map(({ name }) => name)).toEqual(['of one'])
    })

    test("pruning a customer removes the customer's addresses, but no addresses of a customer that the copy never had", async () => {
      const [stays, gone, never] = [randomUUID(), randomUUID(), randomUUID()]
      await write(customers, { id: stays }, { id: gone })
      const owned = [stays, gone, never].map((customer) => ({ id: randomUUID(), customer_id: customer }))
      await write(addresses, ...owned)
      await see([stays], true, customers)
      expect(await end(customers)).toBe(1)
      await at.reopen()
      const owners = (await at.destination.read('customer_addresses')).map((row) => row.customer_id)
      // The copy never had this owner, so another walk decides about its rows.
      expect(owners.toSorted()).toEqual([stays, never].toSorted())
    })

    test('if the ID list is empty, pruning removes all rows', async () => {
      await write(orders, order(), order())
      await see([])
      expect(await end()).toBe(2)
      await see([randomUUID()])
      expect(await end()).toBe(0)
      expect(await at.copy.count('orders')).toBe(0)
    })

    test('if a table is pruned again, rows that only the earlier pruning has seen are removed', async () => {
      const [one, two] = [order(), order()]
      await write(orders, one)
      await see([one.id])
      expect(await end()).toBe(0)
      await write(orders, two)
      await see([two.id])
      expect(await end()).toBe(1)
      await at.reopen()
      expect(await storedIds('orders')).toEqual([two.id])
    })

    test('if pruning is interrupted, a later full sync or pruning ignores the IDs seen before the interruption', async () => {
      const [one, two] = [order(), order()]
      await write(orders, one, two)
      await see([one.id])
      expect((await at.reopen()).unfinished).toEqual(new Map())
      expect(await at.copy.count('orders')).toBe(2)
      await at.copy.write({ table: orders, rows: [two], isFull: true, isFirst: true })
      expect(await end(), 'a mark of the first sync would retain its row').toBe(1)
      await write(orders, one)
      await see([one.id])
      await see([two.id])
      expect(await end(), 'also if it starts again within one run').toBe(1)
      await at.reopen()
      expect(await storedIds('orders')).toEqual([two.id])
    })

    test('pruning customers leaves the unfinished sync of orders unchanged', async () => {
      const [one, two] = [order(), order()]
      await write(orders, one, two)
      await write(customers, { id: randomUUID() })
      const unfinished: UnfinishedWalk = {
        ...{ requestedSince: null, since: '2026-01-02T00:00:00Z', startsAt: null, storeFields: 'a1' },
        ...{ startedAt: '2026-01-02T00:00:01Z', cursor: 'after 1', rows: 1 },
      }
      await at.copy.write({ table: orders, rows: [one], isFull: true, isFirst: true, unfinished })
      await at.reopen()
      await see([], true, customers)
      expect(await end(customers)).toBe(1)
      expect((await at.reopen()).unfinished).toEqual(new Map([['orders', unfinished]]))
      expect(await end()).toBe(1)
      await at.reopen()
      expect(await storedIds('orders'), 'its marks are still there').toEqual([one.id])
    })
  })
}
