// One run: every table is walked, what changed or all of it, and the copy's state moves table by table, each only when
// its walk has come to its end. A run that is ended in the middle is made up for by the next one.

import type { Store, StoreExportClient } from '@store-export/client'
import { type Copy, CopyProblem, type CopyState, NEW_TABLE } from '../copies/copy.ts'
import { type CopyTable, TABLES } from '../tables.ts'
import { CopyKept, TableEmptied } from './emptying.ts'
import type { PlanOptions } from './plan.ts'
import { Pruner } from './prune.ts'
import { type PageSeen, type Walked, walkTable } from './walk-table.ts'

/** What a run needs. */
export interface RunOptions extends PlanOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  /** Tables to bring up to date; all of them unless said. */
  readonly tables?: readonly CopyTable[]
  /** Finds what the store has deleted by ids alone, and removes it, where a table is not walked whole anyway. */
  readonly prunes?: boolean
  /**
   * Whether a table that the store returns empty may lose all of its rows. By default it keeps them, and the run throws
   * `CopyKept` after all other work.
   */
  readonly allowsEmpty?: boolean
  /** Hears of each page and each table. */
  readonly observe?: (progress: Progress) => void
  readonly signal?: AbortSignal
}

/** How far a run is. */
export type Progress =
  | {
      readonly event: 'page'
      readonly table: string
      /** Rows of the walk so far, those that an earlier run has read included. */
      readonly rows: number
      /** Rows that an earlier run has read, which was ended in the middle: this one goes on behind them. */
      readonly rowsBefore: number
      /** Rows that the store has, where it says so and all of them are walked. */
      readonly of: number | null
    }
  /** So many ids of a table were read, to find what the store has deleted. */
  | { readonly event: 'ids'; readonly table: string; readonly ids: number; readonly of: number | null }
  /** The service has no lists of ids: nothing is pruned. */
  | { readonly event: 'unpruned'; readonly message: string }
  | ({ readonly event: 'table' } & TableSummary)
  /** The store returns no rows of a table, and the copy keeps its rows. */
  | { readonly event: 'kept'; readonly table: string; readonly rows: number }
  /** All rows are there: files that people open are written now. */
  | { readonly event: 'files' }

/** What a run did with a table. */
export interface TableSummary extends Walked {
  readonly table: string
  /** Ids read besides, to find what the store has deleted; null where they were not asked for, needed or there. */
  readonly ids: number | null
}

/** What a run did. */
export interface RunSummary {
  readonly storeId: string
  readonly tables: readonly TableSummary[]
}

/** Runs once. Throws what the client throws, `CopyBusy`, `CopyProblem` if the copy is another store's, and `CopyKept`. */
export async function run(options: RunOptions): Promise<RunSummary> {
  const { client, copy, observe, signal } = options
  // a key or an address that is wrong leaves nothing behind
  const store = await client.store.get(signal === undefined ? {} : { signal })
  const state = await copy.open(TABLES)
  try {
    refuseOther(copy, state, store)
    if (state.storeId === null) await copy.claim(store.id)
    const { summaries, kept } = await bringUpToDate(options, state, store)
    observe?.({ event: 'files' })
    await copy.finish()
    if (kept.length > 0) throw new CopyKept(copy.name, kept)
    return { storeId: store.id, tables: summaries }
  } finally {
    await copy.close()
  }
}

async function bringUpToDate(
  options: RunOptions,
  state: CopyState,
  store: Store,
): Promise<{ readonly summaries: TableSummary[]; readonly kept: TableEmptied[] }> {
  const { observe, tables = TABLES } = options
  const summaries: TableSummary[] = []
  const kept: TableEmptied[] = []
  const pruner = prunerOf(options, store)
  for (const table of tables) {
    const { name } = table
    const observePage = ({ mode, ...rows }: PageSeen) =>
      observe?.({ event: 'page', table: name, ...rows, of: mode === 'whole' ? rowsOf(store, name) : null })
    const known = { state: state.tables.get(name) ?? NEW_TABLE, unfinished: state.unfinished.get(name) ?? null }
    try {
      const { walked, state: after, isAllMet } = await walkTable({ ...options, observePage }, table, known)
      const pruned = table.ids === null || isAllMet ? null : await pruner?.prune(table, after)
      const removed = walked.removed + (pruned?.removed ?? 0)
      const summary = { table: name, ...walked, removed, ids: pruned?.ids ?? null }
      observe?.({ event: 'table', ...summary })
      summaries.push(summary)
    } catch (error) {
      if (!(error instanceof TableEmptied)) throw error
      observe?.({ event: 'kept', table: name, rows: error.rows })
      kept.push(error)
    }
  }
  return { summaries, kept }
}

const UNPRUNED =
  'the service is older than its lists of ids: what the store has deleted stays in the copy until a run with --full'

function prunerOf({ client, copy, prunes, allowsEmpty, observe, signal }: RunOptions, store: Store): Pruner | null {
  if (prunes !== true) return null
  return new Pruner({
    client,
    copy,
    allowsEmpty: allowsEmpty === true,
    ...(signal === undefined ? {} : { signal }),
    observeIds: (table, ids) => observe?.({ event: 'ids', table, ids, of: rowsOf(store, table) }),
    observeMissing: () => observe?.({ event: 'unpruned', message: UNPRUNED }),
  })
}

/** Throws where the copy is another store's. */
export function refuseOther({ name }: Copy, { storeId }: CopyState, { id }: Store): void {
  if (storeId === null || storeId === id) return
  throw new CopyProblem(`${name} is a copy of the store ${storeId}, and the key is of ${id}: give another destination`)
}

/** How many rows the store has of a table; null where it does not say. */
export function rowsOf({ counts }: Store, table: string): number | null {
  return new Map<string, number>(Object.entries(counts ?? {})).get(table) ?? null
}
