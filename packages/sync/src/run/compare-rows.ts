// Compares a table with the store row by row, and column by column: its list is walked whole, with its children.

import type { StoreExportClient } from '@store-export/client'
import { comparable } from '../copies/comparable.ts'
import type { Copy, CopyRow, KeptRow } from '../copies/copy.ts'
import type { ChildTable, CopyTable } from '../tables.ts'
import { oneAhead } from './ahead.ts'
import { idOf, type TableFindings } from './findings.ts'
import { wholeList } from './lists.ts'

/** A comparison of one table. */
export interface TableComparison {
  readonly client: StoreExportClient
  readonly copy: Copy
  readonly table: CopyTable
  readonly findings: TableFindings
  readonly signal: AbortSignal
  /** Called with the number of rows compared so far. */
  readonly observeRows: (rows: number) => void
}

/** Compares all rows of the store with the copy's, and marks them. */
export async function compareRows(comparison: TableComparison): Promise<void> {
  const { client, table, signal, observeRows } = comparison
  let rows = 0
  for await (const page of oneAhead(wholeList(client, table, { signal }))) {
    signal.throwIfAborted()
    await comparePage(comparison, page.rows)
    rows += page.rows.length
    observeRows(rows)
  }
}

async function comparePage(comparison: TableComparison, rows: readonly CopyRow[]): Promise<void> {
  const { copy, table } = comparison
  const ids = rows.map(idOf)
  const kept = byId(await copy.read({ table, by: 'id', ids }))
  for (const row of rows) compareRow(comparison, table, { row, kept: kept.get(idOf(row)), parent: row })
  for (const child of table.children) {
    const selection = { table: child, by: child.parentColumn, ids }
    compareChildren(comparison, child, rows, await copy.read(selection))
  }
  await copy.mark(table.name, ids)
}

function compareChildren(
  comparison: TableComparison,
  child: ChildTable,
  parents: readonly CopyRow[],
  read: readonly KeptRow[],
): void {
  const { findings } = comparison
  const kept = byId(read)
  const parentOf = new Map(parents.map((row) => [idOf(row), row]))
  for (const parent of parents) {
    const rows = parent[child.field]
    for (const row of Array.isArray(rows) ? rows : []) {
      compareRow(comparison, child, { row, kept: kept.get(idOf(row)), parent })
      kept.delete(idOf(row))
    }
  }
  for (const [id, row] of kept) {
    const parent = parentOf.get(row[child.parentColumn] ?? '')
    findings.found({ table: child.name, id, kind: 'extra', columns: [], reason: findings.reasonOf(parent) })
  }
}

/** A row of the store, and what the copy has of it. */
interface Pair {
  readonly row: CopyRow
  readonly kept: KeptRow | undefined
  /** The row that is asked for: itself, or that which it is within. */
  readonly parent: CopyRow
}

function compareRow(
  { copy, findings }: TableComparison,
  { name, columns }: Pick<CopyTable, 'name' | 'columns'>,
  { row, kept, parent }: Pair,
): void {
  findings.met(name)
  const difference = { table: name, id: idOf(row), reason: findings.reasonOf(parent) }
  if (kept === undefined) {
    findings.found({ ...difference, kind: 'missing', columns: [] })
    return
  }
  const different = columns.filter(
    (column) =>
      column.isCompared &&
      comparable(column.kind, copy.asKept(column, row[column.name])) !== (kept[column.name] ?? null),
  )
  if (different.length > 0)
    findings.found({ ...difference, kind: 'different', columns: different.map((column) => column.name) })
}

/** Rows by their ids. */
export function byId(rows: readonly KeptRow[]): Map<string, KeptRow> {
  return new Map(rows.map((row) => [(row.id ?? '').toLowerCase(), row]))
}
