// Compares a copy with the store, and repairs nothing. Reads the rows or the IDs of every list, compares each row with
// the copy, and then reports the rows that only the copy has.

import type { Store, StoreExportClient } from '@store-export/client'
import { type Copy, CopyError, NEW_TABLE, type TableState } from '../copies/copy.ts'
import { type CopyTable, TABLES } from '../tables.ts'
import { compareIds, quickCompareMode } from './compare-ids.ts'
import { compareRows } from './compare-rows.ts'
import { ListMissingError } from './list-rows.ts'
import { abortWhenDone } from './read-ahead.ts'
import { requireSameStore, storeRowCount } from './run.ts'
import { type CompareMode, TableDifferences, type TableVerification, type VerifyEvent } from './table-differences.ts'

/** The copy and the tables to compare, and how to report differences. */
export interface VerifyOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  /** Tables to compare; defaults to all tables. */
  readonly tables?: readonly CopyTable[]
  /**
   * Whether to compare only IDs and timestamps of tables that have an ID list and `updated_at`, in about 1/40 of the
   * requests; defaults to false.
   */
  readonly isQuick?: boolean
  /** Called after each page, difference and table. */
  readonly onEvent?: (event: VerifyEvent) => void
  readonly signal?: AbortSignal
}

/** What a verification found in all tables. */
export interface Verification {
  readonly storeId: string
  readonly tables: readonly TableVerification[]
  /** Names of files that differ from what the last run wrote. */
  readonly changedFiles: readonly string[]
  /** Whether every difference has a reason, and no file differs. */
  readonly isSame: boolean
}

/**
 * Compares the tables, closes the copy, and returns the result. Locks the copy, and adds missing tables and columns
 * like a run (`Copy.open`). Throws the client's errors, the errors of `Copy`, and the reason of an aborted signal.
 * Throws `CopyError` if there is no copy or it belongs to another store.
 */
export async function verify(options: VerifyOptions): Promise<Verification> {
  const { client, copy, signal, tables = TABLES } = options
  // Comes before `open`, which would create a missing copy.
  if ((await copy.peek()) === null) throw new CopyError(`${copy.name} is not a copy yet; run \`store-sync run\` first`)
  const state = await copy.open(TABLES)
  try {
    const store = await client.store.get(signal === undefined ? {} : { signal })
    requireSameStore(copy, state, store)
    const verified: TableVerification[] = []
    for (const table of tables) {
      const tableState = state.tables.get(table.name) ?? NEW_TABLE
      verified.push(...(await compareTable({ ...options, store }, table, tableState)))
    }
    const changedFiles = await copy.changedFiles()
    const isSame = changedFiles.length === 0 && verified.every(({ differences }) => differences === 0)
    return { storeId: store.id, tables: verified, changedFiles, isSame }
  } finally {
    await copy.close()
  }
}

async function compareTable(
  options: VerifyOptions & { readonly store: Store },
  table: CopyTable,
  state: TableState,
): Promise<TableVerification[]> {
  const { client, copy, onEvent, store, isQuick } = options
  const { name } = table
  const compare = (compared: CompareMode) =>
    abortWhenDone(options.signal, async (signal) => {
      const differences = new TableDifferences({ copy, table, state, compared, onEvent })
      const onRows = (rows: number) => onEvent?.({ event: 'page', table: name, rows, of: storeRowCount(store, name) })
      const comparison = { client, copy, table, differences, signal, onRows }
      await (compared === 'rows' ? compareRows(comparison) : compareIds(comparison, state))
      return differences.finish()
    })
  if (isQuick !== true) return compare('rows')
  try {
    return await compare(quickCompareMode(table))
  } catch (error) {
    // The service is older than its lists of IDs.
    if (error instanceof ListMissingError) return compare('rows')
    throw error
  }
}
