// What every copy has to keep, whatever keeps it: one suite, run against each.

import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { comparable } from '../src/copies/comparable.ts'
import { type Copy, CopyBusy, type CopyRow } from '../src/copies/copy.ts'
import { findTable, TABLES } from '../src/tables.ts'

/** A place for a copy, and another way to look into it. */
export interface CopyPlace {
  /** Opens a copy there; each call another one. */
  make(): Copy
  /** Rows of a table in the order of their ids, each value as text, null where there is none. */
  read(table: string): Promise<Record<string, string | null>[]>
  remove(): Promise<void>
}

const orders = required('orders')
const groups = required('customer_groups')
const lines = orders.children[0] ?? orders

function required(name: string) {
  const table = findTable(name)
  if (table === null) throw new Error(`there is no table ${name}`)
  return table
}

/** Texts that programs change where they are careless. */
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
  ' blanks ',
  '',
  'Größe',
  '🛒',
  '\u202e',
  'null',
  'TRUE',
  '12345678901234567890',
]

const item = (orderId: string, name: string): CopyRow => ({
  id: randomUUID(),
  order_id: orderId,
  name,
  price: '1.10',
  quantity: 1,
})

function order(more: Record<string, unknown> = {}): CopyRow & { id: string } {
  return {
    id: randomUUID(),
    status: 'paid',
    total: '10.50',
    created_at: '2026-01-01T00:00:00.000Z',
    items: [],
    ...more,
  }
}

/** Runs the suite. */
export function describeCopy(name: string, makePlace: () => Promise<CopyPlace>): void {
  describe(name, () => {
    let place: CopyPlace
    let copy: Copy
    beforeEach(async () => {
      place = await makePlace()
      copy = place.make()
      await copy.open(TABLES)
    })
    afterEach(async () => {
      await copy.close()
      await place.remove()
    })
    const write = (...rows: CopyRow[]) => copy.write({ table: orders, rows, isWhole: false })
    const reopen = async () => {
      await copy.close()
      copy = place.make()
      return copy.open(TABLES)
    }

    test('a new one is of no store, and empty', async () => {
      const state = await reopen()
      expect(state).toEqual({ storeId: null, tables: new Map() })
      expect(await copy.count('orders')).toBe(0)
    })

    test('texts, decimals, instants, booleans and JSON come back as they were', async () => {
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
        isWhole: false,
      })
      await copy.close()
      const [read] = await place.read('orders')
      expect(read).toMatchObject({ id, total: '12345678901234.10', email: 'ü@example.com', discount_code: null })
      expect(JSON.parse(read?.metafields ?? '')).toEqual(metafields)
      const names = (await place.read('order_items')).map((each) => each.name)
      expect(names.toSorted()).toEqual(ODD.toSorted())
      expect(await place.read('customer_groups')).toMatchObject([
        { sort_order: '2147483647', created_at: '2026-01-01T00:00:00.123Z' },
      ])
    })

    test('the row that was read last wins, with its children and no others', async () => {
      const first = order({ items: [] })
      await write({ ...first, items: [item(first.id, 'a'), item(first.id, 'b')] })
      const other = order()
      await write({ ...other, items: [item(other.id, 'of another')] })
      await write({ ...first, status: 'shipped', total: '9.00', items: [item(first.id, 'c')] })
      expect(await copy.count('orders')).toBe(2)
      await copy.close()
      expect((await place.read('orders')).find(({ id }) => id === first.id)).toMatchObject({
        status: 'shipped',
        total: '9.00',
      })
      expect((await place.read('order_items')).map(({ name }) => name).toSorted()).toEqual(['c', 'of another'])
    })

    test('a page is written whole or not at all', async () => {
      const good = order()
      const bad = { ...order(), items: [{ ...item('x', 'y'), quantity: 'many' }] }
      await expect(write(good, bad)).rejects.toThrow()
      expect(await copy.count('orders')).toBe(0)
      await write(good)
      expect(await copy.count('orders')).toBe(1)
    })

    test('a walk of the whole list removes what it has not met, with its children', async () => {
      const [kept, gone] = [order(), order()]
      await write(kept, { ...gone, items: [item(gone.id, 'a')] })
      await copy.write({ table: orders, rows: [{ ...kept, items: [item(kept.id, 'b')] }], isWhole: true })
      const state = { since: '2026-01-02T00:00:00.000Z', wholeAt: '2026-01-02T00:00:00.000Z', startsAt: null }
      expect(await copy.end({ table: orders, state, isWhole: true })).toBe(1)
      expect([await copy.count('orders'), await copy.count('order_items')]).toEqual([1, 1])
      expect((await reopen()).tables.get('orders')).toEqual(state)
    })

    test('a walk of the whole list removes children that nobody has, and those of a parent that comes back', async () => {
      const one = order()
      const left = [item(one.id, 'left'), item(order().id, 'of nobody')]
      await copy.write({
        table: { ...orders, name: 'order_items', columns: lines.columns, children: [] },
        rows: left,
        isWhole: false,
      })
      expect(await copy.count('order_items')).toBe(2)
      await copy.write({ table: orders, rows: [{ ...one, items: [item(one.id, 'new')] }], isWhole: true })
      await copy.end({ table: orders, state: { since: null, wholeAt: null, startsAt: null }, isWhole: true })
      await reopen()
      expect((await place.read('order_items')).map(({ name: text }) => text)).toEqual(['new'])
    })

    test('a walk that did not end leaves no marks: the next one removes nothing that it has met', async () => {
      const [one, two] = [order(), order()]
      await copy.write({ table: orders, rows: [one, two], isWhole: true })
      await reopen()
      await copy.write({ table: orders, rows: [two], isWhole: true })
      expect(
        await copy.end({ table: orders, state: { since: null, wholeAt: null, startsAt: null }, isWhole: true }),
      ).toBe(1)
      expect(await copy.count('orders')).toBe(1)
    })

    test('a walk of what changed removes nothing', async () => {
      await write(order(), order())
      expect(
        await copy.end({ table: orders, state: { since: 'x', wholeAt: null, startsAt: null }, isWhole: false }),
      ).toBe(0)
      expect(await copy.count('orders')).toBe(2)
    })

    test('a look at it finds nothing where there is none, and its state where there is one, even while a run writes it', async () => {
      await copy.claim('one store')
      const state = { since: '2026-01-02T00:00:00.000Z', wholeAt: null, startsAt: '2026-01-01T00:00:00.000Z' }
      await copy.end({ table: orders, state, isWhole: false })
      expect(await place.make().peek()).toEqual({ storeId: 'one store', tables: new Map([['orders', state]]) })
      const elsewhere = await makePlace()
      expect(await elsewhere.make().peek()).toBeNull()
      expect(await elsewhere.make().peek(), 'a look makes nothing').toBeNull()
      await elsewhere.remove()
    })

    test('what is read back compares equal to what was sent, as the copy keeps it', async () => {
      const one = order({
        email: '\ud800 half\0',
        total: '12345678901234.10',
        billing_address: { z: 1, a: ['ü', null, { deep: true }] },
        tax_details: null,
        created_at: '2026-01-01T00:00:00.120Z',
      })
      const sent = { ...one, items: ODD.map((text) => item(one.id, text)) }
      await write(sent)
      const [kept] = await copy.read({ table: orders, by: 'id', ids: [one.id, randomUUID()] })
      for (const column of orders.columns)
        expect(comparable(column.kind, copy.asKept(column, sent[column.name as keyof typeof sent])), column.name).toBe(
          kept?.[column.name],
        )
      const [child] = orders.children
      if (child === undefined) throw new Error('orders have lines')
      const items = await copy.read({ table: child, by: child.parentColumn, ids: [one.id] })
      expect(items.map(({ name }) => name).toSorted()).toEqual(ODD.toSorted())
    })

    test('names what a walk has not met, which writes nothing', async () => {
      const [one, two, three] = [order(), order(), order()]
      await write(one, two, three)
      await copy.mark('orders', [two.id, randomUUID()])
      const unmet = [one.id, three.id].toSorted()
      expect(await copy.unmet('orders', null, 10)).toEqual(unmet)
      expect(await copy.unmet('orders', null, 1)).toEqual(unmet.slice(0, 1))
      expect(await copy.unmet('orders', unmet[0] ?? '', 10)).toEqual(unmet.slice(1))
      await reopen()
      expect(await copy.unmet('orders', null, 10), 'no marks are left').toHaveLength(3)
      expect(await copy.count('orders')).toBe(3)
    })

    test('a column that a newer version knows is added, and all of its table asked for again', async () => {
      const state = { since: '2026-01-02T00:00:00.000Z', wholeAt: '2026-01-02T00:00:00.000Z', startsAt: null }
      for (const table of TABLES) await copy.end({ table, state, isWhole: false })
      await copy.close()
      const status = orders.columns.filter(({ name: column }) => column === 'status')
      const colour = status.map((column) => ({ ...column, name: 'colour' }))
      const wider = { ...orders, columns: [...orders.columns, ...colour] }
      const products = required('products')
      const widened = [
        wider,
        {
          ...products,
          children: products.children.map((each) => ({ ...each, columns: [...each.columns, ...colour] })),
        },
      ]
      const { tables } = await copy.open(
        TABLES.map((table) => widened.find(({ name }) => name === table.name) ?? table),
      )
      expect(tables.get('orders')).toEqual({ ...state, since: null })
      expect(tables.get('products'), 'the children of which were widened').toEqual({ ...state, since: null })
      expect(tables.get('customers')).toEqual(state)
      const one = order({ colour: 'red' })
      await copy.write({ table: wider, rows: [one], isWhole: false })
      expect(await copy.read({ table: wider, by: 'id', ids: [one.id] })).toMatchObject([{ colour: 'red' }])
    })

    test('it remembers its store', async () => {
      await copy.claim('one store')
      expect((await reopen()).storeId).toBe('one store')
    })

    test('a second run leaves with a sentence, and is let in when the first has ended', async () => {
      const second = place.make()
      await expect(second.open(TABLES)).rejects.toThrow(CopyBusy)
      await copy.close()
      await second.open(TABLES)
      await second.close()
    })
  })
}
