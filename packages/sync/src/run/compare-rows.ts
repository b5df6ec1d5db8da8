// Compares a table with the store row by row and column by column, including embedded rows. This needs as many requests
// as a full walk, but finds what compare-ids.ts cannot: a value that changed without its timestamp.

import type { StoreExportClient } from '@store-export/client'
import { comparableText } from '../copies/comparable-text.ts'
import type { Copy, CopyRow, StoredRow } from '../copies/copy.ts'
import type { ChildTable, CopyTable } from '../tables.ts'
import { listAllRows } from './list-rows.ts'
import { readAhead } from './read-ahead.ts'
import { idOf, type TableDifferences } from './table-differences.ts'

/** The two sides of a comparison, and where to report its differences and its progress. */
export interface TableComparison {
  readonly client: StoreExportClient
  readonly copy: Copy
  readonly table: CopyTable
  readonly differences: TableDifferences
  readonly signal: AbortSignal
  /** Called with the number of rows compared so far. */
  readonly onRows: (rows: number) => void
}

/**
 * Compares all rows of the store with those of the copy, and marks them as seen in the copy. Does not report unmarked
 * rows of the copy, which the store has deleted; `TableDifferences.finish` does.
 */
export async function compareRows(comparison: TableComparison): Promise<void> {
  const { client, table, signal, onRows } = comparison
  let rows = 0
  for await (const page of readAhead(listAllRows(client, table, { signal }))) {
    signal.throwIfAborted()
    comparison.differences.noteFields(page.storeFields)
    await comparePage(comparison, page.rows)
    rows += page.rows.length
    onRows(rows)
  }
}

async function comparePage(comparison: TableComparison, rows: readonly CopyRow[]): Promise<void> {
  const { copy, table } = comparison
  const ids = rows.map(idOf)
  const stored = rowsById(await copy.read({ table, by: 'id', ids }))
  for (const row of rows) compareRow(comparison, table, { row, stored: stored.get(idOf(row)), parent: row })
  for (const child of table.children) {
    const selection = { table: child, by: child.parentColumn, ids }
    compareChildren(comparison, child, rows, await copy.read(selection))
  }
  await copy.markSeen(table.name, ids)
}

function compareChildren(
  comparison: TableComparison,
  child: ChildTable,
  parents: readonly CopyRow[],
  storedChildren: readonly StoredRow[],
): void {
  const { differences } = comparison
  const stored = rowsById(storedChildren)
  const parentById = new Map(parents.map((row) => [idOf(row), row]))
  for (const parent of parents) {
    const rows = parent[child.field]
    for (const row of Array.isArray(rows) ? rows : []) {
      compareRow(comparison, child, { row, stored: stored.get(idOf(row)), parent })
      stored.delete(idOf(row))
    }
  }
  // The rows that are left are only in the copy. Embedded rows have no timestamp, so the reason is that of their
  // parent.
  for (const [id, row] of stored) {
    const parent = parentById.get(row[child.parentColumn] ?? '')
    differences.add({ table: child.name, id, kind: 'extra', columns: [], reason: differences.reasonFor(parent) })
  }
}

interface RowPair {
  readonly row: CopyRow
  /** The row of the copy; undefined if it is missing. */
  readonly stored: StoredRow | undefined
  /** The row of the list: `row` itself, or the row that embeds it. */
  readonly parent: CopyRow
}

function compareRow(
  { copy, differences }: TableComparison,
  { name, columns }: Pick<CopyTable, 'name' | 'columns'>,
  { row, stored, parent }: RowPair,
): void {
  differences.countRow(name)
  const difference = { table: name, id: idOf(row), reason: differences.reasonFor(parent) }
  if (stored === undefined) {
    differences.add({ ...difference, kind: 'missing', columns: [] })
    return
  }
  // Compares with what the copy can store of the value, so that the limits of its database are no differences.
  const different = columns.filter(
    (column) =>
      column.isCompared &&
      comparableText(column.kind, copy.asStored(column, row[column.name])) !== (stored[column.name] ?? null),
  )
  if (different.length > 0)
    differences.add({ ...difference, kind: 'different', columns: different.map((column) => column.name) })
}

/** Returns rows by their IDs in lower case, which is the form that `idOf` returns. */
export function rowsById(rows: readonly StoredRow[]): Map<string, StoredRow> {
  return new Map(rows.map((row) => [(row.id ?? '').toLowerCase(), row]))
}
