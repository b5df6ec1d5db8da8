// Declares the indexes of a copy's tables in SQLite, PostgreSQL, MySQL, and MariaDB.

import type { CopyColumn } from '../tables.ts'

/** An index besides the primary key. */
export interface TableIndex {
  readonly name: string
  readonly columns: readonly string[]
}

/** Columns by which people and other programs search rows. */
const SEARCH_COLUMNS: ReadonlySet<string> = new Set(['email', 'sku', 'updated_at'])

/** Returns the indexes of a table besides its primary key: references, order of creation, and search columns. */
export function tableIndexes({ name, columns }: { name: string; columns: readonly CopyColumn[] }): TableIndex[] {
  return columns.flatMap((column): TableIndex[] => {
    if (column.name === 'created_at') return [{ name: `${name}_created_at`, columns: ['created_at', 'id'] }]
    const isReference = column.kind === 'uuid' && column.name !== 'id'
    if (!isReference && !SEARCH_COLUMNS.has(column.name)) return []
    return [{ name: `${name}_${column.name}`, columns: [column.name] }]
  })
}
