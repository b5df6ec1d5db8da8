// Rows and tables for the tests of copies.

import { randomUUID } from 'node:crypto'
import type { CopyRow, TableState } from '../../src/copies/copy.ts'
import { type CopyTable, findTable } from '../../src/tables.ts'

export function required(name: string): CopyTable {
  const table = findTable(name)
  if (table === null) throw new Error(`no table ${name}`)
  return table
}

export const orders = required('orders')
export const groups = required('customer_groups')

export const item = (orderId: string, name: string): CopyRow => ({
  id: randomUUID(),
  order_id: orderId,
  name,
  price: '1.10',
  quantity: 1,
})

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

/** State of a table after a full sync and a reread. */
export const SYNCED: TableState = {
  since: '2026-01-02T00:00:00.000Z',
  fullAt: '2026-01-02T00:00:00.000Z',
  startsAt: null,
  storeFields: '2f1b0c5d9e8a7346',
  rereadAt: '2026-01-01T12:00:00.000Z',
}
