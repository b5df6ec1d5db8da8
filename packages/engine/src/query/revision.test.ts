import { REVISIONS, type RevisionId } from '@store-export/contract'
import { describe, expect, test } from 'vitest'
import type { PresentColumn, PresentTables } from './present-columns.ts'
import { columnNamesAt, revisionOf } from './revision.ts'

function presentAt(revision: RevisionId, without: readonly string[] = []): PresentTables {
  const present = new Map<string, Map<string, PresentColumn>>()
  for (const name of columnNamesAt(revision).filter((each) => !without.includes(each))) {
    const [table = '', column = ''] = name.split('.')
    const columns = present.get(table) ?? new Map()
    present.set(table, columns.set(column, { notNull: false, type: 'text', indexes: [] }))
  }
  return present
}

const absent = (present: PresentTables) =>
  revisionOf(present).absentFields.map(({ resource, field }) => `${resource.table}.${field}`)

describe('the schema version of a store', () => {
  test.each(REVISIONS.map(({ id }) => id))(
    '[VER-2] if a store has all columns of schema version %s, the service detects this version',
    (id) => {
      expect(revisionOf(presentAt(id)).revision).toBe(id)
    },
  )

  test('[FMT-6] if a store lacks columns, the service lists the fields of these columns as absent', () => {
    expect(absent(presentAt('v1.6'))).toEqual([])
    expect(absent(presentAt('v1.5'))).toEqual([
      'store.weight_unit',
      'products.weight_grams',
      'product_variants.weight_grams',
    ])
  })

  test('[FMT-7] if a store lacks a table, the service lists its resource as absent, but not the fields of this resource', () => {
    const { absentResources } = revisionOf(presentAt('launch'))
    expect(absentResources.map(({ plural }) => plural)).toEqual(['customer addresses', 'customer groups', 'locations'])
    expect(absent(presentAt('launch')).filter((name) => name.startsWith('locations.'))).toEqual([])
  })

  test('if a migration was only partly applied, the service detects the newest version whose columns all exist', () => {
    const half = presentAt('v1.5', ['orders.tax_breakdown'])
    expect(revisionOf(half).revision).toBe('v1.3')
    expect(absent(half)).toContain('orders.tax_breakdown')
    expect(absent(half)).not.toContain('orders.metafields')
  })

  test('if a column of the first schema version is missing, the service detects no schema version', () => {
    expect(revisionOf(presentAt('v1.6', ['orders.total'])).revision).toBeNull()
    expect(revisionOf(new Map())).toMatchObject({ revision: null, absentFields: [] })
  })
})
