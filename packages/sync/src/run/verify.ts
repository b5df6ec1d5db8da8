// Whether a copy is the store: every list is walked whole, or that of its ids, each row is compared with what the copy
// keeps, and what the copy has besides is named. Nothing is mended here.

import type { Store, StoreExportClient } from '@store-export/client'
import { type Copy, CopyProblem, NEW_TABLE, type TableState } from '../copies/copy.ts'
import { type CopyTable, TABLES } from '../tables.ts'
import { leavingNone } from './ahead.ts'
import { comparedQuickly, compareIds } from './compare-ids.ts'
import { compareRows } from './compare-rows.ts'
import { type Compared, type Finding, TableFindings, type TableVerification } from './findings.ts'
import { ListMissing } from './lists.ts'
import { refuseOther, rowsOf } from './run.ts'

/** What a verification needs. */
export interface VerifyOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  /** Tables to compare; all of them unless said. */
  readonly tables?: readonly CopyTable[]
  /** Compares ids and instants of last changes alone, where a table has a list of them: a fortieth of the requests. */
  readonly isQuick?: boolean
  /** Hears of each page, each difference and each table. */
  readonly observe?: (finding: Finding) => void
  readonly signal?: AbortSignal
}

/** How a copy compares. */
export interface Verification {
  readonly storeId: string
  readonly tables: readonly TableVerification[]
  /** Files that are not as the last run wrote them. */
  readonly changedFiles: readonly string[]
  /** Whether nothing differs but what is explained. */
  readonly isSame: boolean
}

/** Compares. Throws what the client throws, `CopyBusy`, and `CopyProblem` where there is no copy, or another store's. */
export async function verify(options: VerifyOptions): Promise<Verification> {
  const { client, copy, signal, tables = TABLES } = options
  if ((await copy.peek()) === null) throw new CopyProblem(`${copy.name} is no copy yet: run \`store-sync run\` first`)
  const state = await copy.open(TABLES)
  try {
    const store = await client.store.get(signal === undefined ? {} : { signal })
    refuseOther(copy, state, store)
    const verified: TableVerification[] = []
    for (const table of tables) {
      const known = state.tables.get(table.name) ?? NEW_TABLE
      verified.push(...(await compareTable({ ...options, store }, table, known)))
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
  known: TableState,
): Promise<TableVerification[]> {
  const { client, copy, observe, store, isQuick, signal: ended } = options
  const { name } = table
  const compare = (compared: Compared) =>
    leavingNone(ended, async (signal) => {
      const findings = new TableFindings({ copy, table, known, compared, observe })
      const observeRows = (rows: number) => observe?.({ event: 'page', table: name, rows, of: rowsOf(store, name) })
      const comparing = { client, copy, table, findings, signal, observeRows }
      await (compared === 'rows' ? compareRows(comparing) : compareIds(comparing, known))
      return findings.end()
    })
  if (isQuick !== true) return compare('rows')
  try {
    return await compare(comparedQuickly(table))
  } catch (error) {
    // the service is older than its lists of ids
    if (error instanceof ListMissing) return compare('rows')
    throw error
  }
}
