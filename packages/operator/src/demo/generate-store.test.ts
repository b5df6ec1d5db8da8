import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ORDER_STATUSES, PRODUCT_STATUSES, REVISIONS } from '@store-export/contract'
import { describe, expect, test } from 'vitest'
import { DEMO_SEED, DEMO_STORES, type FilledDemoStore } from './demo-stores.ts'
import { type GenerateOptions, generateStore } from './generate-store.ts'
import { centsText, taxByRate } from './money.ts'
import type { ColumnValue, Row } from './rows.ts'
import { timestampText } from './timestamps.ts'

const filled = DEMO_STORES.filter((store): store is FilledDemoStore => store.kind === 'filled')
const optionsOf = ({ id, name, revision, shop, size }: FilledDemoStore): GenerateOptions => ({
  seed: `${DEMO_SEED}/${id}`,
  storeId: id,
  name,
  revision,
  shop,
  size,
})

function tablesOf(options: GenerateOptions): Map<string, Row[]> {
  const tables = new Map<string, Row[]>()
  for (const { table, rows } of generateStore(options)) tables.set(table, [...(tables.get(table) ?? []), ...rows])
  return tables
}

function fingerprint(options: GenerateOptions): string {
  const hash = createHash('sha256')
  for (const { table, rows } of generateStore(options)) {
    for (const row of rows) hash.update(`${table} ${JSON.stringify(row)}`)
  }
  return hash.digest('hex')
}

/** Cents of a decimal string; 0 for null. */
const cents = (cell: ColumnValue | undefined) => (typeof cell === 'string' ? Math.round(Number(cell) * 100) : 0)
const main = tablesOf(optionsOf(DEMO_STORES[0]))
const rowsOf = (table: string) => main.get(table) ?? []
const orders = rowsOf('orders')

describe('generated rows of demo stores', () => {
  test('two demo stores have equal rows if their seeds are the same, and different rows if their seeds differ', () => {
    const options = {
      ...optionsOf(DEMO_STORES[0]),
      size: { orders: 300, customers: 80, products: 40, locations: 3, groups: 4 },
    }
    expect(fingerprint(options)).toBe(fingerprint(options))
    expect(fingerprint({ ...options, seed: 'other' })).not.toBe(fingerprint(options))
  })

  test('each ID in the Postman collection is the ID of a row in the first demo store', () => {
    const file = new URL('../../../../docs/api/postman-collection.json', import.meta.url)
    const collection = readFileSync(file, 'utf8')
    const ids = [...collection.matchAll(/"value": "([0-9a-f-]{36})"/g)].map(([, id]) => id)
    expect(ids).toHaveLength(4)
    const known = ['orders', 'customers', 'products'].flatMap((table) => rowsOf(table).map((row) => row.id))
    for (const id of ids) expect(known).toContain(id)
  })

  test('the first demo store has the requested number of orders, customers, products, locations, and customer groups', () => {
    const { size } = DEMO_STORES[0]
    expect(orders).toHaveLength(size.orders)
    expect(rowsOf('customers')).toHaveLength(size.customers)
    expect(rowsOf('products')).toHaveLength(size.products)
    expect(rowsOf('locations')).toHaveLength(size.locations)
    expect(rowsOf('customer_groups')).toHaveLength(size.groups)
  })

  test('in every order of the first demo store, the total is items minus discount plus tax plus shipping, exact to the cent', () => {
    const itemsByOrder = new Map<ColumnValue, number>()
    for (const { order_id: id = null, price, quantity } of rowsOf('order_items')) {
      itemsByOrder.set(id, (itemsByOrder.get(id) ?? 0) + cents(price) * Number(quantity))
    }
    for (const order of orders) {
      expect(cents(order.subtotal)).toBe(itemsByOrder.get(order.id ?? null))
      const { subtotal, discount_amount: discount, tax, shipping, total } = order
      expect(cents(total)).toBe(cents(subtotal) - cents(discount) + cents(tax) + cents(shipping))
      expect(cents(order.refund_amount)).toBeLessThanOrEqual(cents(total))
      if (typeof order.tax_breakdown !== 'string') continue
      const shares: { baseCents: number; taxCents: number }[] = JSON.parse(order.tax_breakdown)
      expect(shares.reduce((sum, { taxCents }) => sum + taxCents, 0)).toBe(cents(tax))
      expect(shares.reduce((sum, { baseCents }) => sum + baseCents, 0)).toBe(cents(subtotal) - cents(discount))
    }
  })

  test('if a demo order has a discount and two tax rates, the discount is split between the rates, exact to the cent', () => {
    const lines = [
      { cents: 333, quantity: 1, rate: 7 },
      { cents: 333, quantity: 2, rate: 19 },
    ]
    expect(taxByRate(lines, 100)).toEqual([
      { rate: 19, baseCents: 599, taxCents: 114 },
      { rate: 7, baseCents: 300, taxCents: 21 },
    ])
    expect([centsText(5), centsText(1230)]).toEqual(['0.05', '12.30'])
  })

  test('[ST-1] every demo store has orders and products of every status', () => {
    for (const store of filled) {
      const tables = tablesOf(optionsOf(store))
      expect(new Set(tables.get('orders')?.map(({ status }) => status))).toEqual(new Set(ORDER_STATUSES))
      expect(new Set(tables.get('products')?.map(({ status }) => status))).toEqual(new Set(PRODUCT_STATUSES))
    }
  })

  test('the first demo store has more than 20 orders of each kind, such as guest, pickup, and refunded orders', () => {
    const kinds: Record<string, (order: Row) => boolean> = {
      guest: ({ customer_id: id }) => id === null,
      manual: (order) => order.payment_provider === 'manual' && order.processor_charge_id === undefined,
      pickup: ({ pickup_location_id: id }) => id !== null,
      refunded: ({ refund_amount: amount }) => amount !== undefined,
      returned: ({ return_reason: reason }) => reason !== undefined,
      'several rates': ({ tax_breakdown: rates }) => rates !== null,
      'discount by code': ({ discount_code: code }) => typeof code === 'string',
      'discount without code': (order) => order.discount_amount !== undefined && order.discount_code === null,
      metafields: ({ metafields }) => typeof metafields === 'string' && metafields !== '[]',
    }
    for (const [kind, is] of Object.entries(kinds)) expect(orders.filter(is).length, kind).toBeGreaterThan(20)
    expect(rowsOf('customer_addresses').filter(({ deleted_at: at }) => at !== null).length).toBeGreaterThan(20)
  })

  test('[RES-ORDER-PICKUP] if a generated order is for pickup, its shipping address is the address of the pickup location', () => {
    const lines = new Map(rowsOf('locations').map(({ id = null, address1 }) => [id, address1]))
    for (const { pickup_location_id: id = null, shipping_address: address } of orders) {
      if (id !== null) expect(JSON.parse(String(address)).line1).toBe(lines.get(id))
    }
  })

  test('in the first demo store, no row was updated before its creation, and no order is older than its customer', () => {
    const joined = new Map(rowsOf('customers').map(({ id = null, created_at: at }) => [id, String(at)]))
    for (const { customer_id: id = null, created_at: at } of orders) {
      if (id !== null) expect(String(at) >= String(joined.get(id))).toBe(true)
    }
    for (const [table, rows] of main) {
      for (const { created_at: created, updated_at: updated } of rows) {
        if (typeof updated === 'string') expect(updated >= String(created), table).toBe(true)
      }
    }
  })

  test('[R16] in the first demo store, more than 50 orders have the same creation time as another order, to the microsecond', () => {
    const times = orders.map(({ created_at: at }) => String(at))
    expect(times.length - new Set(times).size).toBeGreaterThan(50)
    expect(times.every((at) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(at))).toBe(true)
    expect(timestampText(1_730_419_200_000_007)).toBe('2024-11-01T00:00:00.000007Z')
  })

  test('in the first demo store, IDs, email addresses, slugs, and SKUs are unique', () => {
    for (const [table, rows] of main) expect(new Set(rows.map(({ id }) => id)).size, table).toBe(rows.length)
    const unique = (table: string, column: string) => new Set(rowsOf(table).map((row) => row[column])).size
    expect(unique('customers', 'email')).toBe(rowsOf('customers').length)
    expect(unique('products', 'slug')).toBe(rowsOf('products').length)
    expect(unique('product_variants', 'sku')).toBe(rowsOf('product_variants').length)
  })

  test('in the first demo store, every host name ends with example.com, example.org, or example.net', () => {
    const text = JSON.stringify([...main])
    for (const [, host] of text.matchAll(/(?:https:\/\/|@)([a-z0-9.-]+\.[a-z]+)/g)) {
      expect(host).toMatch(/(^|\.)example\.(com|org|net)$/)
    }
  })

  test('[VER-2] generateStore returns the requested number of orders at every schema version', () => {
    for (const { id } of REVISIONS) {
      const size = { orders: 60, customers: 10, products: 20, locations: 2, groups: 2 }
      const tables = tablesOf({ ...optionsOf(DEMO_STORES[0]), revision: id, size })
      expect(tables.get('orders')).toHaveLength(60)
    }
  })
})
