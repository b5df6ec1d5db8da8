// Shows what a run would do, for `--dry-run`: reads the store and the first page of each walk, and writes nothing. Does
// not consider unfinished walks, which the run can resume.

import type { StoreExportClient } from '@store-export/client'
import { LIMITS } from '@store-export/contract'
import { type Copy, NEW_COPY, NEW_TABLE } from '../copies/copy.ts'
import { type CopyTable, TABLES } from '../tables.ts'
import { followPlan, type RowSource } from './follow-plan.ts'
import { listRows } from './list-rows.ts'
import { planQuery, type TablePlan, type TablePlanOptions, type WalkMode } from './plan-table.ts'
import { mayReread, readsAllRows, rereadPlan } from './reread.ts'
import { requireSameStore, storeRowCount } from './run.ts'

/** The run to preview. */
export interface PreviewOptions extends TablePlanOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  /** Tables to preview; defaults to all tables. */
  readonly tables?: readonly CopyTable[]
  /** Whether the run would prune. */
  readonly prunes?: boolean
  readonly signal?: AbortSignal
}

/** The requests that a run would send for a table. */
export interface TablePreview {
  readonly table: string
  readonly mode: WalkMode
  /** Start of the requested changes, RFC 3339; null for all rows. */
  readonly since: string | null
  /** Rows that the run would read, without embedded rows. If `isAtLeast` is true, a lower bound. */
  readonly rows: number
  /**
   * Whether `rows` is a lower bound: there can be further pages, and the walk is not full or the store does not report
   * the number of rows.
   */
  readonly isAtLeast: boolean
  /** Pages of IDs that `--prune` would read. It is a lower bound if the store does not report its number of rows. */
  readonly idsPages: number
}

/**
 * Yields a preview of each table, without creating or locking the copy. Throws the client's errors, the errors of
 * `Copy.peek`, and `CopyError` if the copy belongs to another store.
 */
export async function* preview(options: PreviewOptions): AsyncGenerator<TablePreview> {
  const { client, copy, signal, tables = TABLES } = options
  const signalOption = signal === undefined ? {} : { signal }
  const state = (await copy.peek()) ?? NEW_COPY
  const store = await client.store.get(signalOption)
  requireSameStore(copy, state, store)
  for (const table of tables) {
    const tableState = state.tables.get(table.name) ?? NEW_TABLE
    const previewTable = async (plan: TablePlan, source: RowSource): Promise<TablePreview> => {
      const { mode, since } = plan
      const first = await firstPage(source(client, table, { ...planQuery(plan), ...signalOption }))
      const isSame = readsAllRows(plan) || first?.storeFields == null || first.storeFields === tableState.storeFields
      if (!isSame && mayReread(tableState, options)) return previewTable(rereadPlan(plan), source)
      const total = mode === 'full' ? storeRowCount(store, table.name) : null
      const isAtLeast = total === null && (source !== listRows || first?.cursor != null)
      const rows = total ?? first?.rows.length ?? 0
      const isPruned = options.prunes === true && table.ids !== null && mode !== 'full'
      const idsPages = isPruned ? idPageCount(storeRowCount(store, table.name) ?? rows) : 0
      return { table: table.name, mode, since, rows, isAtLeast, idsPages }
    }
    yield await followPlan(table, tableState, options, previewTable)
  }
}

/** Returns at least 1, because an empty list has a page. */
function idPageCount(rows: number): number {
  return Math.max(1, Math.ceil(rows / LIMITS.pageRowsOfIds))
}

async function firstPage<T>(pages: AsyncIterable<T>): Promise<T | null> {
  for await (const page of pages) return page
  return null
}
