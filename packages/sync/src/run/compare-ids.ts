// Compares which rows a table and the store have, and when each row was last changed. The list of IDs needs about 1/40
// of the requests of compare-rows.ts. It does not find a row whose value changed without its timestamp.

import { comparableText } from '../copies/comparable-text.ts'
import type { StoredRow, TableState } from '../copies/copy.ts'
import type { CopyColumn, CopyTable } from '../tables.ts'
import { rowsById, type TableComparison } from './compare-rows.ts'
import { type IdRow, listIds } from './list-ids.ts'
import { listRows } from './list-rows.ts'
import { hasParameter } from './plan-table.ts'
import { readAhead } from './read-ahead.ts'
import { type CompareMode, type DifferenceReason, idOf } from './table-differences.ts'

const UPDATED_AT = 'updated_at'
const CREATED_SINCE = 'created_since'

/**
 * Returns what a quick verification compares: timestamps, or whole rows of a table without timestamps or an ID list.
 */
export function quickCompareMode({ ids, columns }: CopyTable): CompareMode {
  return ids !== null && columns.some(({ name }) => name === UPDATED_AT) ? 'timestamps' : 'rows'
}

/**
 * Compares IDs and timestamps, and marks the rows as seen. If the service is older than the list of IDs, throws
 * `ListMissingError` before it adds a difference.
 */
export async function compareIds(comparison: TableComparison, state: TableState): Promise<void> {
  await new IdsComparison(comparison, state).compare()
}

class IdsComparison {
  readonly #comparison: TableComparison
  readonly #state: TableState
  readonly #columns: readonly CopyColumn[]
  /** Whether the current rows were created before `startsAt` of the copy, so that the run skipped them. */
  #isBeforeStart = false
  /** IDs of missing rows without a timestamp. The list of IDs does not have their time of creation. */
  readonly #withoutTimestamp = new Set<string>()

  constructor(comparison: TableComparison, state: TableState) {
    this.#comparison = comparison
    this.#state = state
    this.#columns = comparison.table.columns.filter(({ name }) => name === 'id' || name === UPDATED_AT)
  }

  async compare(): Promise<void> {
    const { client, table, differences, signal, onRows } = this.#comparison
    const firstIdInCopy = await this.#findFirstIdInCopy()
    this.#isBeforeStart = firstIdInCopy !== null
    let rows = 0
    for await (const page of readAhead(listIds(client, table, signal))) {
      signal.throwIfAborted()
      await this.#comparePage(page, firstIdInCopy)
      rows += page.length
      onRows(rows)
    }
    const created = this.#withoutTimestamp.size === 0 ? new Set<string>() : await this.#idsCreatedSinceLastRun()
    for (const id of this.#withoutTimestamp)
      differences.add({
        table: table.name,
        id,
        kind: 'missing',
        columns: [],
        reason: created.has(id) ? 'changed' : null,
      })
  }

  async #comparePage(rows: readonly IdRow[], firstIdInCopy: string | null): Promise<void> {
    const { copy, table } = this.#comparison
    const ids = rows.map((row) => idOf({ ...row }))
    const stored = rowsById(await copy.read({ table: { name: table.name, columns: this.#columns }, by: 'id', ids }))
    for (const row of rows) {
      const id = idOf({ ...row })
      if (id === firstIdInCopy) this.#isBeforeStart = false
      this.#compareRow(row, id, stored.get(id))
    }
    await copy.markSeen(table.name, ids)
  }

  #compareRow(row: IdRow, id: string, stored: StoredRow | undefined): void {
    const { copy, table, differences } = this.#comparison
    differences.countRow(table.name)
    if (stored === undefined) {
      const reason = this.#reasonForMissing(row)
      if (reason === 'unknown') this.#withoutTimestamp.add(id)
      else differences.add({ table: table.name, id, kind: 'missing', columns: [], reason })
      return
    }
    const [updatedAt] = this.#columns.filter(({ name }) => name === UPDATED_AT)
    if (updatedAt === undefined) return
    const timestamp = comparableText(updatedAt.kind, copy.asStored(updatedAt, row.updated_at))
    if (timestamp === (stored[UPDATED_AT] ?? null)) return
    const reason = differences.reasonFor({ ...row })
    differences.add({ table: table.name, id, kind: 'different', columns: [UPDATED_AT], reason })
  }

  /** Returns the reason; null if there is none, and `unknown` if the time of creation would show it. */
  #reasonForMissing(row: IdRow): DifferenceReason | 'unknown' | null {
    if (row.updated_at !== null) return this.#comparison.differences.reasonFor({ ...row })
    // The list returns IDs in the order of creation, so `--since` skipped all rows before the first one created since
    // `startsAt`.
    if (this.#isBeforeStart) return 'left_out'
    return hasParameter(this.#comparison.table, CREATED_SINCE) && this.#state.since !== null ? 'unknown' : null
  }

  /**
   * Returns the ID of the first row that was created since `startsAt`; '' if all rows are older. Returns null if the
   * copy has no `startsAt`, or if the list cannot filter by creation.
   */
  async #findFirstIdInCopy(): Promise<string | null> {
    const { client, table, signal } = this.#comparison
    const { startsAt } = this.#state
    if (startsAt === null || !hasParameter(table, CREATED_SINCE)) return null
    for await (const { rows } of listRows(client, table, { createdSince: startsAt, signal }))
      for (const row of rows) return idOf(row)
    return ''
  }

  /** Returns the IDs of rows that the store has created since the last run. The next run reads these rows. */
  async #idsCreatedSinceLastRun(): Promise<Set<string>> {
    const { client, table, signal } = this.#comparison
    const created = new Set<string>()
    const query = { createdSince: this.#state.since ?? '', signal }
    for await (const { rows } of readAhead(listRows(client, table, query)))
      for (const row of rows) created.add(idOf(row))
    return created
  }
}
