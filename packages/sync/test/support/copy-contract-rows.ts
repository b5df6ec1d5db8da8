// Rows and tables for the tests that every copy has to pass.

import { randomUUID } from 'node:crypto'
import type { CopyRow } from '../../src/copies/copy.ts'
import { type CopyTable, findTable } from '../../src/tables.ts'

/** The table of that name. */
export function required(name: string): CopyTable {
  const table = findTable(name)
  if (table === null) throw new Error(`there is no table ${name}`)
  return table
}

/** The table of orders. */
export const orders = required('orders')
/** The table of customer groups. */
export const groups = required('customer_groups')

/** A line of an order. */
export const item = (orderId: string, name: string): CopyRow => ({
  id: randomUUID(),
  order_id: orderId,
  name,
  price: '1.10',
  quantity: 1,
})

/** An order with an id of its own. */
export function order(more: Record<string, unknown> = {}): CopyRow & { id: string } {
  return {
    id: randomUUID(),
    status: 'paid',
    total: '10.50',
    created_at: '2026-01-01T00:00:00.000Z',
    items: [],
    ...more,
  }
}
