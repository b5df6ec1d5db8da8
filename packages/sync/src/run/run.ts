// Performs one run, in an order that makes failures harmless:
//
// 1. Requests the store. A wrong key or address creates nothing.
// 2. Opens the copy, which locks it, and checks that it belongs to this store.
// 3. Walks the tables one after the other. With `prunes`, also prunes those that were not read in full. The state of a
//    table advances only when its walk has ended, so the next run completes an interrupted run.
// 4. Writes the files of a copy that has files.
// 5. Fails if the store returned tables empty. Their rows are still in the copy (empty-tables.ts).

import type { Store, StoreExportClient } from '@store-export/client'
import { type Copy, CopyError, type CopyState, NEW_TABLE } from '../copies/copy.ts'
import { type CopyTable, TABLES } from '../tables.ts'
import { EmptyTableError, EmptyTablesError } from './empty-tables.ts'
import type { TablePlanOptions } from './plan-table.ts'
import { Pruner } from './pruner.ts'
import { type WalkProgress, type WalkResult, walkTable } from './walk-table.ts'

/** The copy and the tables to sync, and how to report progress. */
export interface SyncOptions extends TablePlanOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  /** Tables to sync; defaults to all tables. */
  readonly tables?: readonly CopyTable[]
  /**
   * Whether to read the IDs of tables that are not read in full, and to remove rows that the store has deleted;
   * defaults to false.
   */
  readonly prunes?: boolean
  /**
   * Whether to remove all rows of a table if the store returns none; defaults to false. If false, the copy retains the
   * rows of such a table, and the run throws `EmptyTablesError` after all other work.
   */
  readonly allowsEmpty?: boolean
  /** Called for each event. An error that it throws ends the run. */
  readonly onProgress?: (progress: SyncProgress) => void
  readonly signal?: AbortSignal
}

/** An event in a run, for programs and people that follow it. */
export type SyncProgress =
  | {
      readonly event: 'page'
      readonly table: string
      /** Rows of the walk so far, including `rowsBefore`. */
      readonly rows: number
      /** Rows that an interrupted run has read. This run continues after them. */
      readonly rowsBefore: number
      /**
       * Rows of the table in the store; null if the walk is not full, or if the store does not report its number of
       * rows.
       */
      readonly of: number | null
    }
  /**
   * The run has read a page of IDs, to find deleted rows. `ids` is their number so far. `of` is the number of rows in
   * the store; null if the store does not report it.
   */
  | { readonly event: 'ids'; readonly table: string; readonly ids: number; readonly of: number | null }
  /** The service has no lists of IDs, so the run prunes no table from here on. */
  | { readonly event: 'prune_unavailable'; readonly message: string }
  | ({ readonly event: 'table' } & TableSummary)
  /** The store serves other fields than in the last run, so the run reads all rows of the table again. */
  | { readonly event: 'reread'; readonly table: string }
  /** The store returns no rows of a table, and the copy retains its rows. `rows` is their number. */
  | { readonly event: 'retained'; readonly table: string; readonly rows: number }
  /** The run has handled all tables. It now writes the files of a copy that has files. */
  | { readonly event: 'files' }

/** What a run did to one table. */
export interface TableSummary extends WalkResult {
  readonly table: string
  /** IDs that the run read to find deleted rows; null if it did not prune the table. */
  readonly ids: number | null
}

/** What a run did, in the order of the tables. */
export interface SyncSummary {
  readonly storeId: string
  readonly tables: readonly TableSummary[]
}

/**
 * Syncs the tables once, closes the copy, and returns what it did. Throws the client's errors, the errors of `Copy`,
 * and the reason of an aborted signal. Throws `CopyError` if the copy belongs to another store, and `EmptyTablesError`
 * after all other work if the store returned tables empty.
 */
export async function run(options: SyncOptions): Promise<SyncSummary> {
  const { client, copy, onProgress, signal } = options
  const store = await client.store.get(signal === undefined ? {} : { signal })
  const state = await copy.open(TABLES)
  try {
    requireSameStore(copy, state, store)
    if (state.storeId === null) await copy.claim(store.id)
    const { summaries, emptyTables } = await syncTables(options, state, store)
    onProgress?.({ event: 'files' })
    await copy.finish()
    if (emptyTables.length > 0) throw new EmptyTablesError(copy.name, emptyTables)
    return { storeId: store.id, tables: summaries }
  } finally {
    await copy.close()
  }
}

async function syncTables(
  options: SyncOptions,
  state: CopyState,
  store: Store,
): Promise<{ readonly summaries: TableSummary[]; readonly emptyTables: EmptyTableError[] }> {
  const { onProgress, tables = TABLES } = options
  const summaries: TableSummary[] = []
  const emptyTables: EmptyTableError[] = []
  const pruner = createPruner(options, store)
  for (const table of tables) {
    const { name } = table
    const onPage = ({ mode, ...rows }: WalkProgress) =>
      onProgress?.({ event: 'page', table: name, ...rows, of: mode === 'full' ? storeRowCount(store, name) : null })
    const onReread = () => onProgress?.({ event: 'reread', table: name })
    const known = { state: state.tables.get(name) ?? NEW_TABLE, unfinished: state.unfinished.get(name) ?? null }
    try {
      const { result, state: after, isComplete } = await walkTable({ ...options, onPage, onReread }, table, known)
      const pruned = table.ids === null || isComplete ? null : await pruner?.prune(table, after)
      const removed = result.removed + (pruned?.removed ?? 0)
      const summary = { table: name, ...result, removed, ids: pruned?.ids ?? null }
      onProgress?.({ event: 'table', ...summary })
      summaries.push(summary)
    } catch (error) {
      if (!(error instanceof EmptyTableError)) throw error
      onProgress?.({ event: 'retained', table: name, rows: error.rows })
      emptyTables.push(error)
    }
  }
  return { summaries, emptyTables }
}

const PRUNE_UNAVAILABLE =
  'the service has no lists of IDs, so --prune removes nothing; run with --full to remove deleted rows'

function createPruner(
  { client, copy, prunes, allowsEmpty, onProgress, signal }: SyncOptions,
  store: Store,
): Pruner | null {
  if (prunes !== true) return null
  return new Pruner({
    client,
    copy,
    allowsEmpty: allowsEmpty === true,
    ...(signal === undefined ? {} : { signal }),
    onIds: (table, ids) => onProgress?.({ event: 'ids', table, ids, of: storeRowCount(store, table) }),
    onListMissing: () => onProgress?.({ event: 'prune_unavailable', message: PRUNE_UNAVAILABLE }),
  })
}

/** Throws `CopyError` if the copy belongs to another store. */
export function requireSameStore({ name }: Copy, { storeId }: CopyState, { id }: Store): void {
  if (storeId === null || storeId === id) return
  throw new CopyError(
    `${name} is a copy of store ${storeId}, but the key belongs to store ${id}; use another destination`,
  )
}

/** Returns the number of rows of a table in the store; null if the store does not report it. */
export function storeRowCount({ counts }: Store, table: string): number | null {
  return new Map<string, number>(Object.entries(counts ?? {})).get(table) ?? null
}
