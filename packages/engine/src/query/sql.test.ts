import { columnsOf, customerAddress, idListOf, order, type Resource } from '@store-export/contract'
import { expect, test } from 'vitest'
import { columnsInSchema, type PresentColumns } from './present-columns.ts'
import { statementOf } from './sql.ts'

/** Returns the columns of a store that has all columns of these resources. */
function storeWith(...resources: readonly Resource[]): PresentColumns {
  const typeOf = (name: string) => (name === 'id' ? 'uuid' : name.endsWith('_at') ? 'timestamptz' : 'text')
  const tables = new Map(
    resources.map((each) => [
      each.table,
      new Map(
        columnsOf(each).map((name) => [name, { notNull: name !== 'deleted_at', type: typeOf(name), indexes: [] }]),
      ),
    ]),
  )
  return columnsInSchema('own', tables)
}

function statement(resource: Resource, present: PresentColumns): string {
  const plan = { kind: 'page', resource: idListOf(resource), limit: 10_000, after: null, filters: [] } as const
  return statementOf(plan, present, { prepares: true }).text
}

test("[R31] the SQL of an ID list names only the store's schema, the table, id, created_at, and updated_at", () => {
  const { items } = order.fields
  if (items?.type.kind !== 'many') throw new Error('an order has items')
  const text = statement(order, storeWith(order, items.type.resource))
  expect([...new Set(text.match(/"\w+"/g))].sort()).toEqual([
    '"created_at"',
    '"id"',
    '"orders"',
    '"own"',
    '"updated_at"',
  ])
})

test('[R23] if a table has deleted_at, the SQL of its ID list selects only rows whose deleted_at is null', () => {
  expect(statement(customerAddress, storeWith(customerAddress))).toContain('"deleted_at" is null')
})

test.each([
  { field: 'created_at', operator: '>=', prepared: true },
  { field: 'created_at', operator: '<', prepared: false },
  { field: 'updated_at', operator: '>=', prepared: false },
] as const)(
  '[R37] for a page with the filter $field $operator, statementOf returns prepared: $prepared',
  ({ field, operator, prepared }) => {
    const filters = [{ parameter: 'filter', field, operator, value: 0n }]
    const plan = { kind: 'page', resource: order, limit: 250, after: null, filters } as const
    expect(statementOf(plan, storeWith(order), { prepares: true }).prepared).toBe(prepared)
  },
)
