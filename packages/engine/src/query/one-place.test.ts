import { order, type RevisionId, text } from '@store-export/contract'
import { expect, test } from 'vitest'
import { newCell } from '../../../postgres/src/cell.ts'
import { JsonWriter } from '../encode/json-writer.ts'
import { rowEncoder } from '../encode/row-encoder.ts'
import { type PresentColumns, presentIn } from './columns-present.ts'
import { statementOf } from './sql.ts'

// A revision that the history does not have yet, so its type cannot name it.
const next = 'v1.7' as RevisionId
const { items: _items, ...own } = order.fields
const grown = { ...order, fields: { ...own, gift_message: text('What the buyer writes on the card').from(next) } }

function presentWith(...columns: string[]): PresentColumns {
  const types = new Map(
    [...columns].map((name) => [name, { notNull: true, type: name === 'id' ? 'uuid' : 'text', indexes: [] }]),
  )
  return presentIn('public', new Map([['orders', types]]))
}

function statement(present: PresentColumns): string {
  const plan = { kind: 'one', resource: grown, id: '00000000-0000-0000-0000-000000000001' } as const
  return statementOf(plan, present, { prepares: true }).text
}

test('[VER-1, FMT-6] a field of v1.7, one line of its resource, is read where it is and null where it is not', () => {
  expect(statement(presentWith('id', 'gift_message'))).toContain('"gift_message"')
  expect(statement(presentWith('id'))).not.toContain('"gift_message"')
})

test('[VER-1, FMT-6] a field of v1.7 is a key of every row, null on an older store', () => {
  const values = Object.keys(grown.fields).length
  const row = Buffer.alloc(values * 4, 0xff)
  const out = new JsonWriter(4096)
  expect(rowEncoder(grown).encode(out, newCell(row), 0)).toBe(row.length)
  const served = JSON.parse(out.result().toString())
  expect(Object.keys(served)).toEqual(Object.keys(grown.fields))
  expect(served.gift_message).toBeNull()
})
