// A demo store for the pages of docs/sync, with orders that a careless query gets wrong: at midnight, with amounts that
// floats round, from guests, and with deleted products and locations.

import { randomUUID } from 'node:crypto'
import { DEMO_STORES } from '../../../operator/src/demo/demo-stores.ts'
import { generateStore } from '../../../operator/src/demo/generate-store.ts'
import type { Row, RowBatch } from '../../../operator/src/demo/rows.ts'

/** The generated rows by table, from which the expected results are computed. */
export type ShopRows = Readonly<Record<string, readonly Row[]>>

const SIZE = { orders: 600, customers: 120, products: 60, locations: 3, groups: 2 }

/** Generates the store. Between calls, only random IDs of the added rows and the times of one added order differ. */
export function docsShop(storeId: string): { readonly rows: ShopRows; readonly batches: readonly RowBatch[] } {
  const [{ shop, name, revision }] = DEMO_STORES
  const generated = [...generateStore({ seed: 'docs', storeId, name, revision, shop, size: SIZE })]
  const orders = ODD_ORDERS.map(oddOrder)
  const items = orders.map((order) => oddLine(order))
  const batches = [...generated, { table: 'orders', rows: orders }, { table: 'order_items', rows: items }]
  const rows: Record<string, readonly Row[]> = {}
  for (const batch of batches) rows[batch.table] = [...(rows[batch.table] ?? []), ...batch.rows]
  return { rows, batches }
}

/** The pages use September 2026 in Berlin as their month. */
const ODD_ORDERS: readonly Row[] = [
  { created_at: '2026-08-31T22:30:00.000000Z', ...plain('10.00') },
  { created_at: '2026-08-31T21:59:59.999999Z', ...plain('20.00') },
  { created_at: '2026-09-30T22:00:00.000000Z', ...plain('40.00') },
  { created_at: '2026-09-10T10:00:00.000000Z', ...plain('99999999999.99') },
  { ...plain('0.10'), tax: '0.20', total: '0.30', refund_amount: '0.10', email: 'Guest@Example.com' },
  { ...plain('0.70'), tax: '0.10', total: '0.80', email: 'guest@example.com' },
  {
    ...plain('118.00'),
    discount_amount: '11.80',
    tax: '20.14',
    shipping: '4.90',
    total: '111.10',
    tax_breakdown: JSON.stringify([
      { rate: 0.23, baseCents: 8634, taxCents: 1986 },
      { rate: 0.06, baseCents: 462, taxCents: 28 },
    ]),
  },
  { ...plain('50.00'), tax: '9.50', total: '59.49' },
  { ...plain('33.00'), status: 'on_hold' },
  { ...plain('15.00'), status: 'cancelled', refund_amount: '15.00', processor_charge_id: 'ch_odd' },
  { ...plain('16.00'), status: 'pending' },
  { ...plain('17.00'), status: 'pending', created_at: `${new Date().toISOString().slice(0, 23)}000Z` },
  { ...plain('18.00'), pickup_location_id: randomUUID() },
  { ...plain('19.00'), payment_provider: 'manual', payment_method_label: null },
]

function plain(amount: string): Row {
  return { status: 'paid', subtotal: amount, tax: '0.00', shipping: '0.00', total: amount, email: 'odd@example.com' }
}

function oddOrder(row: Row): Row {
  const createdAt = row.created_at ?? '2026-09-15T12:00:00.000000Z'
  return { ...row, id: randomUUID(), customer_id: null, created_at: createdAt, updated_at: createdAt }
}

function oddLine({ id, subtotal, created_at }: Row): Row {
  const bought = { product_id: randomUUID(), variant_id: null, name: 'A thing of old', price: subtotal ?? null }
  return {
    id: randomUUID(),
    order_id: id ?? null,
    ...bought,
    quantity: 1,
    attributes: null,
    created_at: created_at ?? null,
  }
}
