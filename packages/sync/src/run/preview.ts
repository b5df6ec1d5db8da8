// What a run would ask for, without writing anything: one page of each list is read, and no more.

import type { StoreExportClient } from '@store-export/client'
import { LIMITS } from '@store-export/contract'
import { type Copy, NEW_COPY, NEW_TABLE } from '../copies/copy.ts'
import { type CopyTable, TABLES } from '../tables.ts'
import { followPlan, type Source } from './follow-plan.ts'
import { listOf } from './lists.ts'
import { type Mode, type PlanOptions, queryOf, type TablePlan } from './plan.ts'
import { refuseOther, rowsOf } from './run.ts'

/** What a preview needs. */
export interface PreviewOptions extends PlanOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  /** Tables to look at; all of them unless said. */
  readonly tables?: readonly CopyTable[]
  /** Whether the run would prune. */
  readonly prunes?: boolean
  readonly signal?: AbortSignal
}

/** What a run would ask of a table. */
export interface TablePreview {
  readonly table: string
  readonly mode: Mode
  /** From when, RFC 3339; null for all of it. */
  readonly since: string | null
  /** Rows that would come, children not counted. */
  readonly rows: number
  /** Whether there are more: the list has further pages, and the store does not say how many. */
  readonly isAtLeast: boolean
  /** Pages of ids that would be read to find what the store has deleted, as far as it says how many rows it has. */
  readonly idsPages: number
}

/** Looks at each table in turn. Nothing is made where there is no copy yet. Throws as `run` does. */
export async function* preview(options: PreviewOptions): AsyncGenerator<TablePreview> {
  const { client, copy, signal, tables = TABLES } = options
  const call = signal === undefined ? {} : { signal }
  const state = (await copy.peek()) ?? NEW_COPY
  const store = await client.store.get(call)
  refuseOther(copy, state, store)
  for (const table of tables) {
    const known = state.tables.get(table.name) ?? NEW_TABLE
    const look = async (plan: TablePlan, source: Source): Promise<TablePreview> => {
      const { mode, since } = plan
      const first = await firstOf(source(client, table, { ...queryOf(plan), ...call }))
      const total = mode === 'whole' ? rowsOf(store, table.name) : null
      const isAtLeast = total === null && (source !== listOf || first?.cursor != null)
      const rows = total ?? first?.rows.length ?? 0
      const isPruned = options.prunes === true && table.ids !== null && mode !== 'whole'
      const idsPages = isPruned ? pagesOfIds(rowsOf(store, table.name) ?? rows) : 0
      return { table: table.name, mode, since, rows, isAtLeast, idsPages }
    }
    yield await followPlan(table, known, options, look)
  }
}

/** An empty list has a page, too. */
function pagesOfIds(rows: number): number {
  return Math.max(1, Math.ceil(rows / LIMITS.pageRowsOfIds))
}

async function firstOf<T>(pages: AsyncIterable<T>): Promise<T | null> {
  for await (const page of pages) return page
  return null
}
