// The indexed columns of a copy's tables: those that join, find, and sort rows.

import type { CopyColumn } from '../tables.ts'

/** An index of a table. */
export interface TableIndex {
  readonly name: string
  readonly columns: readonly string[]
}

/** Columns by which people look for a row. */
const SEARCHED: ReadonlySet<string> = new Set(['email', 'sku', 'updated_at'])

/** The indexes of a table besides that of its ids: references, order of creation, and search columns. */
export function indexesOf({ name, columns }: { name: string; columns: readonly CopyColumn[] }): TableIndex[] {
  return columns.flatMap((column): TableIndex[] => {
    if (column.name === 'created_at') return [{ name: `${name}_created_at`, columns: ['created_at', 'id'] }]
    const isReference = column.kind === 'uuid' && column.name !== 'id'
    if (!isReference && !SEARCHED.has(column.name)) return []
    return [{ name: `${name}_${column.name}`, columns: [column.name] }]
  })
}
