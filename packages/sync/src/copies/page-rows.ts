// Prepares the rows of a page for one statement that writes all of them, and that cannot write the same row twice.

import type { ChildTable } from '../tables.ts'
import type { CopyRow } from './copy.ts'

/** Returns the last row with each ID. IDs that differ only in case are the same. */
export function lastRowsById(rows: readonly CopyRow[]): CopyRow[] {
  return [...new Map(rows.map((row) => [String(row.id).toLowerCase(), row])).values()]
}

/** Returns the embedded rows of all `parents`, the last one with each ID. A parent without the field has none. */
export function childrenOf(parents: readonly CopyRow[], { field }: ChildTable): CopyRow[] {
  const children = parents.flatMap((parent): CopyRow[] => {
    const rows = parent[field]
    return Array.isArray(rows) ? rows : []
  })
  return lastRowsById(children)
}
