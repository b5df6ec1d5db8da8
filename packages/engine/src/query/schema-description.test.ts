import {
  category,
  customer,
  customerAddress,
  location,
  order,
  product,
  REVISIONS,
  type RevisionId,
} from '@store-export/contract'
import { describe, expect, test } from 'vitest'
import { columnsInSchema, type PresentColumn, type PresentColumns } from './present-columns.ts'
import { columnNamesAt } from './revision.ts'
import { describeSchema } from './schema-description.ts'

function storeWith(names: readonly string[]): PresentColumns {
  const tables = new Map<string, Map<string, PresentColumn>>()
  for (const name of names) {
    const [table = '', column = ''] = name.split('.')
    const columns = tables.get(table) ?? new Map()
    tables.set(table, columns.set(column, { notNull: false, type: 'text', indexes: [] }))
  }
  return columnsInSchema('public', tables)
}

const at = (revision: RevisionId, without: readonly string[] = []) =>
  storeWith(columnNamesAt(revision).filter((name) => !without.includes(name)))
const versionOf = (present: PresentColumns) => describeSchema(order, present).version

describe('the header x-store-schema', () => {
  test.each(REVISIONS.map(({ id }) => id))(
    '[VER-2] if a store has all columns of schema version %s, x-store-schema has only this version',
    (id) => {
      expect(versionOf(at(id))).toBe(id)
    },
  )

  test('if a store lacks columns of its newest version, x-store-schema names these columns after the version', () => {
    expect(versionOf(at('v1.5', ['orders.tax_breakdown', 'products.tax_class']))).toBe(
      'v1.5; missing="orders.tax_breakdown products.tax_class"',
    )
  })

  test('if a store lacks more than ten columns, x-store-schema names ten of them and says how many more are missing', () => {
    const version = versionOf(storeWith([...columnNamesAt('launch'), 'products.weight_grams']))
    const [, names = '', more] = /^v1\.6; missing="([^"]+)"; more=(\d+)$/.exec(version) ?? []
    expect(names.split(' ')).toHaveLength(10)
    expect(Number(more)).toBe(columnNamesAt('v1.6').length - columnNamesAt('launch').length - 11)
  })
})

describe('the digest of the fields', () => {
  const RESOURCES = { order, customer, customerAddress, location, product, category }
  const digests = (present: PresentColumns) =>
    Object.entries(RESOURCES).map(([name, resource]) => [name, describeSchema(resource, present).fieldsDigest] as const)
  const changed = (one: PresentColumns, other: PresentColumns) => {
    const others = new Map(digests(other))
    return digests(one).flatMap(([name, digest]) => (digest === others.get(name) ? [] : [name]))
  }

  test.each(columnNamesAt('v1.6'))(
    '[R46] if a store lacks the column %s, a field digest changes only for the resource that has this column',
    (name) => {
      const owners: Record<string, string[]> = {
        orders: ['order'],
        order_items: ['order'],
        customers: ['customer'],
        customer_addresses: ['customerAddress'],
        locations: ['location'],
        products: ['product'],
        product_variants: ['product'],
        categories: ['category'],
      }
      expect(changed(at('v1.6'), at('v1.6', [name]))).toEqual(owners[name.split('.')[0] ?? ''] ?? [])
    },
  )

  test('[R46] if a store is upgraded, only the field digests of resources with new columns change', () => {
    expect(changed(at('launch'), at('v1.1'))).toEqual(['order', 'customer', 'customerAddress'])
    expect(changed(at('v1.1'), at('v1.2'))).toEqual(['order', 'location'])
    expect(changed(at('v1.2'), at('v1.3'))).toEqual(['order', 'customer', 'product', 'category'])
    expect(changed(at('v1.3'), at('v1.4'))).toEqual(['order', 'product'])
    expect(changed(at('v1.4'), at('v1.5'))).toEqual(['order'])
    expect(changed(at('v1.5'), at('v1.6'))).toEqual(['product'])
  })

  test('[R46] if a store has additional columns or a different column order, no field digest changes', () => {
    const names = columnNamesAt('v1.6')
    expect(changed(at('v1.6'), storeWith([...names, 'orders.notes', 'extras.id']))).toEqual([])
    expect(changed(at('v1.6'), storeWith(names.toReversed()))).toEqual([])
  })

  test('if stores in different schemas have the same columns, the stores share one cached description', () => {
    const present = at('v1.6')
    const other = columnsInSchema('other', present.tables)
    expect(describeSchema(order, other)).toBe(describeSchema(order, present))
    expect(describeSchema(order, present).fieldsDigest).toMatch(/^[0-9a-f]{16}$/)
  })
})
