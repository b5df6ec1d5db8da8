import { order, type RevisionId, text } from '@store-export/contract'
import { expect, test } from 'vitest'
import { newCell } from '../../../postgres/src/cell.ts'
import { JsonWriter } from '../encode/json-writer.ts'
import { rowEncoder } from '../encode/row-encoder.ts'
import { columnsInSchema, type PresentColumns } from './present-columns.ts'
import { statementOf } from './sql.ts'

// A future revision, so its type does not contain it.
const next = 'v1.7' as RevisionId
const { items: _items, ...own } = order.fields
const extended = { ...order, fields: { ...own, gift_message: text('What the buyer writes on the card').from(next) } }

function presentWith(...columns: string[]): PresentColumns {
  const types = new Map(
    [...columns].map((name) => [name, { notNull: true, type: name === 'id' ? 'uuid' : 'text', indexes: [] }]),
  )
  return columnsInSchema('public', new Map([['orders', types]]))
}

function statement(present: PresentColumns): string {
  const plan = { kind: 'one', resource: extended, id: '00000000-0000-0000-0000-000000000001' } as const
  return statementOf(plan, present, { prepares: true }).text
}

test('[VER-1, FMT-6] if the contract has a new order field, the SQL of an order selects its column only in stores with this column', () => {
  expect(statement(presentWith('id', 'gift_message'))).toContain('"gift_message"')
  expect(statement(presentWith('id'))).not.toContain('"gift_message"')
})

test('[VER-1, FMT-6] if a store lacks the column of a new field, each row has null in that field', () => {
  const values = Object.keys(extended.fields).length
  const row = Buffer.alloc(values * 4, 0xff)
  const out = new JsonWriter(4096)
  expect(rowEncoder(extended).encode(out, newCell(row), 0)).toBe(row.length)
  const served = JSON.parse(out.result().toString())
  expect(Object.keys(served)).toEqual(Object.keys(extended.fields))
  expect(served.gift_message).toBeNull()
})
