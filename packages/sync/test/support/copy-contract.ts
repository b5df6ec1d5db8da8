// Tests that every kind of copy must pass. The tests of full syncs are in copy-walks-contract.ts, and those of pruning
// in copy-prune-contract.ts.

import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { comparableText } from '../../src/copies/comparable-text.ts'
import { type Copy, CopyBusyError, type CopyRow, type CopyState, NEW_COPY } from '../../src/copies/copy.ts'
import { parseExactJson } from '../../src/exact-json.ts'
import { TABLES } from '../../src/tables.ts'
import { groups, item, order, orders, SYNCED } from './copy-contract-rows.ts'
import { describePruning } from './copy-prune-contract.ts'
import { describeWalks } from './copy-walks-contract.ts'

/** A destination for a copy, and access to it without store-sync. */
export interface TestDestination {
  /** Creates another `Copy` of this destination. */
  make(): Copy
  /** Returns the rows of a table in the order of their IDs, each value as text or null. */
  read(table: string): Promise<Record<string, string | null>[]>
  /** Runs a SQL statement on its tables, like another program. */
  change(statement: string): Promise<void>
  remove(): Promise<void>
}

/** A copy that is open during a test, and its destination. */
export interface OpenCopy {
  readonly destination: TestDestination
  readonly copy: Copy
  /** Closes the copy and opens another one of the same destination. */
  reopen(): Promise<CopyState>
}

/** Strings that careless programs change. */
const ODD = [
  '007',
  '1e5',
  '=1+1',
  '+49 30 1',
  '-1',
  '@x',
  "O'Hara",
  'a\nb',
  'a\r\nb',
  '"quoted"',
  'a;b,c',
  ' spaces ',
  '',
  'Größe',
  '🛒',
  '\u202e',
  'null',
  'TRUE',
  '12345678901234567890',
]

/** Declares the tests for one kind of copy. */
export function describeCopy(name: string, createDestination: () => Promise<TestDestination>): void {
  describe(name, () => {
    let destination: TestDestination
    let copy: Copy
    beforeEach(async () => {
      destination = await createDestination()
      copy = destination.make()
      await copy.open(TABLES)
    })
    afterEach(async () => {
      await copy.close()
      await destination.remove()
    })
    const write = (...rows: CopyRow[]) => copy.write({ table: orders, rows, isFull: false })
    const reopen = async () => {
      await copy.close()
      copy = destination.make()
      return copy.open(TABLES)
    }
    const inTest: OpenCopy = {
      get destination() {
        return destination
      },
      get copy() {
        return copy
      },
      reopen,
    }
    describeWalks(inTest)
    describePruning(inTest)

    test('if a copy is new, open returns no store and no synced tables, and the copy has no orders', async () => {
      const state = await reopen()
      expect(state).toEqual(NEW_COPY)
      expect(await copy.count('orders')).toBe(0)
    })

    test('a copy stores strings with unusual characters and decimals with many digits unchanged', async () => {
      const { id } = order()
      const metafields = { gift: 'yes', nested: { a: [1, null] } }
      await write(
        order({
          id,
          email: 'ü@example.com',
          total: '12345678901234.10',
          metafields,
          items: ODD.map((text) => item(id, text)),
        }),
      )
      await copy.write({
        table: groups,
        rows: [
          {
            id: randomUUID(),
            name: 'g',
            is_active: false,
            sort_order: 2147483647,
            created_at: '2026-01-01T00:00:00.123Z',
          },
        ],
        isFull: false,
      })
      await copy.close()
      const [read] = await destination.read('orders')
      expect(read).toMatchObject({ id, total: '12345678901234.10', email: 'ü@example.com', discount_code: null })
      expect(JSON.parse(read?.metafields ?? '')).toEqual(metafields)
      const names = (await destination.read('order_items')).map((each) => each.name)
      expect(names.toSorted()).toEqual(ODD.toSorted())
      expect(await destination.read('customer_groups')).toMatchObject([
        { sort_order: '2147483647', created_at: '2026-01-01T00:00:00.123Z' },
      ])
    })

    test('if an order is written again, the new version replaces the old order and its items', async () => {
      const first = order({ items: [] })
      await write({ ...first, items: [item(first.id, 'a'), item(first.id, 'b')] })
      const other = order()
      await write({ ...other, items: [item(other.id, 'of another')] })
      await write({ ...first, status: 'shipped', total: '9.00', items: [item(first.id, 'c')] })
      expect(await copy.count('orders')).toBe(2)
      await copy.close()
      expect((await destination.read('orders')).find(({ id }) => id === first.id)).toMatchObject({
        status: 'shipped',
        total: '9.00',
      })
      expect((await destination.read('order_items')).map(({ name }) => name).toSorted()).toEqual(['c', 'of another'])
    })

    test('if a page contains an invalid row, write throws, and no row of the page is stored', async () => {
      const good = order()
      const bad = { ...order(), items: [{ ...item('x', 'y'), quantity: 'many' }] }
      await expect(write(good, bad)).rejects.toThrow()
      expect(await copy.count('orders')).toBe(0)
      await write(good)
      expect(await copy.count('orders')).toBe(1)
    })

    test('peek returns the saved state of a copy, or null before the first run', async () => {
      await copy.claim('one store')
      const state = { ...SYNCED, startsAt: '2026-01-01T00:00:00.000Z' }
      await copy.end({ table: orders, state, isFull: false })
      expect(await destination.make().peek()).toEqual({
        storeId: 'one store',
        tables: new Map([['orders', state]]),
        unfinished: new Map(),
      })
      const elsewhere = await createDestination()
      expect(await elsewhere.make().peek()).toBeNull()
      expect(await elsewhere.make().peek(), 'peek creates nothing').toBeNull()
      await elsewhere.remove()
    })

    test('for each column of orders, read returns the value that asStored computes from the sent value', async () => {
      const one = order({
        email: '\ud800 half\0',
        total: '12345678901234.10',
        billing_address: { z: 1, a: ['ü', null, { deep: true }] },
        tax_details: null,
        created_at: '2026-01-01T00:00:00.120Z',
      })
      const sent = { ...one, items: ODD.map((text) => item(one.id, text)) }
      await write(sent)
      const [stored] = await copy.read({ table: orders, by: 'id', ids: [one.id, randomUUID()] })
      for (const column of orders.columns)
        expect(
          comparableText(column.kind, copy.asStored(column, sent[column.name as keyof typeof sent])),
          column.name,
        ).toBe(stored?.[column.name])
      const [child] = orders.children
      if (child === undefined) throw new Error('orders have no embedded table')
      const items = await copy.read({ table: child, by: child.parentColumn, ids: [one.id] })
      expect(items.map(({ name }) => name).toSorted()).toEqual(ODD.toSorted())
    })

    test('if JSON has 6,000 levels with a long number or a replaced character inside, the copy stores the whole JSON', async () => {
      const deep = (inner: string) => parseExactJson(`{"a":${'[{"b":'.repeat(3000)}${inner}${'}]'.repeat(3000)}}`)
      for (const inner of ['1', '12345678901234567891', '"\\u0000"']) {
        const one = order({ metafields: deep(inner) })
        await write(one)
        const [stored] = await copy.read({ table: orders, by: 'id', ids: [one.id] })
        const [column] = orders.columns.filter(({ name }) => name === 'metafields')
        if (column === undefined) throw new Error('orders have no metafields')
        expect(stored?.metafields === comparableText('json', copy.asStored(column, one.metafields)), inner).toBe(true)
        expect(stored?.metafields).toContain(
          inner === '1' ? '"b":1e0}' : inner.slice(1, -1).startsWith('2') ? inner : '"b":"',
        )
      }
      await copy.finish()
    })

    test('if JSON has numbers outside of the range of a double, the copy stores their values', async () => {
      const one = order({ metafields: parseExactJson('[1e400,-1e-400,1e30,1e-20,5e-324,-0]') })
      await write(one)
      const [stored] = await copy.read({ table: orders, by: 'id', ids: [one.id] })
      expect(stored?.metafields).toBe(comparableText('json', one.metafields))
      expect(stored?.metafields).toBe('[1e400,-1e-400,1e30,1e-20,5e-324,0]')
    })

    test('after a copy is claimed for a store, open returns the ID of this store', async () => {
      await copy.claim('one store')
      expect((await reopen()).storeId).toBe('one store')
    })

    test('if a run has the copy open, opening the copy again throws a CopyBusyError', async () => {
      const second = destination.make()
      await expect(second.open(TABLES)).rejects.toThrow(CopyBusyError)
      await copy.close()
      await second.open(TABLES)
      await second.close()
    })
  })
}
