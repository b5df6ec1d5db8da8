// Separates differences that are errors from those with a known reason. For example, a row changed at or after the
// start of the table's next incremental sync (`since`). Counts the differences of one table by reason, and chooses the
// cheapest run that repairs them:
//
// - `run`: every run reads all rows of the table, or the next run rereads it because the store serves other fields.
// - `prune`: all differences are rows that the store has deleted, or rows embedded in them, and the table has a list of
//   IDs.
// - `full`: any other difference. A row can differ although its timestamp did not move.

import type { Copy, CopyRow, TableState } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'
import { hasParameter } from './plan-table.ts'
import { mayReread } from './reread.ts'

/** A row that differs between the store and the copy. */
export interface Difference {
  readonly table: string
  readonly id: string
  /** `missing`: only the store has the row. `extra`: only the copy has it. `different`: both have it. */
  readonly kind: 'missing' | 'extra' | 'different'
  /** Columns with different values; empty unless `kind` is `different`. */
  readonly columns: readonly string[]
  /** Reason for which the difference is expected; null if it is an error. */
  readonly reason: DifferenceReason | null
}

/**
 * `changed`: the row changed at or after the table's `since`, so the next run reads it. `left_out`: `--since` skipped
 * it.
 */
export type DifferenceReason = 'changed' | 'left_out'

/** The compared part of each row: all columns, or its ID and `updated_at`. */
export type CompareMode = 'rows' | 'timestamps'

/** How many rows of one table differ, and the run that repairs them. */
export interface TableVerification {
  readonly table: string
  /** Rows of the store that were compared. */
  readonly storeRows: number
  /** Rows in the copy. */
  readonly copyRows: number
  /** Number of differences without a reason, also of embedded rows that have no event because their parent is extra. */
  readonly differences: number
  /** Number of differences whose reason is `changed`. */
  readonly changed: number
  /** Number of differences whose reason is `left_out`. */
  readonly leftOut: number
  readonly compared: CompareMode
  /** Whether every run reads all rows of the table. */
  readonly isAlwaysFull: boolean
  /** The cheapest run that repairs the differences; null without differences. */
  readonly repair: RepairRun | null
}

/** A run without options, with `--prune`, or with `--full`. */
export type RepairRun = 'run' | 'prune' | 'full'

/** An event in a verification, for programs and people that follow it. */
export type VerifyEvent =
  | { readonly event: 'page'; readonly table: string; readonly rows: number; readonly of: number | null }
  | ({ readonly event: 'difference' } & Difference)
  | ({ readonly event: 'verified' } & TableVerification)

/** Number of extra rows that one statement reads from the copy. */
const EXTRA_BATCH_ROWS = 1000

interface Tally {
  storeRows: number
  missing: number
  extra: number
  /** Extra rows without a reason. */
  unexplainedExtra: number
  differences: number
  changed: number
  leftOut: number
}

const newTally = (): Tally => ({
  storeRows: 0,
  missing: 0,
  extra: 0,
  unexplainedExtra: 0,
  differences: 0,
  changed: 0,
  leftOut: 0,
})

const TALLY_FIELDS = { none: 'differences', changed: 'changed', left_out: 'leftOut' } as const

/** The table to compare, its state in the copy, and where to report differences. */
export interface TableDifferencesOptions {
  readonly copy: Copy
  readonly table: CopyTable
  readonly state: TableState
  readonly compared: CompareMode
  readonly onEvent: ((event: VerifyEvent) => void) | undefined
}

/** Collects the differences of a table. If whole rows are compared, includes its embedded tables. */
export class TableDifferences {
  readonly #options: TableDifferencesOptions
  readonly #tallies: ReadonlyMap<string, Tally>
  #isRereadNext = false

  constructor(options: TableDifferencesOptions) {
    this.#options = options
    const { table, compared } = options
    const names = [table, ...(compared === 'rows' ? table.children : [])].map(({ name }) => name)
    this.#tallies = new Map(names.map((name) => [name, newTally()]))
  }

  /**
   * Records the digest of the columns that a page was read from; null if the service sends none. If it differs from the
   * digest of the copy, and a reread is allowed (`mayReread`), the next run reads all rows again.
   */
  noteFields(storeFields: string | null): void {
    const { state } = this.#options
    if (storeFields !== null && storeFields !== state.storeFields && mayReread(state, {})) this.#isRereadNext = true
  }

  /** Counts a row of the store. */
  countRow(table: string): void {
    this.#tally(table).storeRows += 1
  }

  /** Counts a difference by its reason, and reports it. */
  add(difference: Difference): void {
    const tally = this.#tally(difference.table)
    tally[TALLY_FIELDS[difference.reason ?? 'none']] += 1
    if (difference.kind !== 'different') tally[difference.kind] += 1
    if (difference.kind === 'extra' && difference.reason === null) tally.unexplainedExtra += 1
    this.#options.onEvent?.({ event: 'difference', ...difference })
  }

  /**
   * Returns why this row, or the rows that it embeds, can differ between the store and the copy; null if there is no
   * reason, or for `undefined`. Compares its `updated_at`, or else its `created_at`, with the state of the table.
   */
  reasonFor(row: CopyRow | undefined): DifferenceReason | null {
    const { since, startsAt } = this.#options.state
    const timestamp = row?.updated_at ?? row?.created_at
    const changedAt = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
    if (since !== null && changedAt >= Date.parse(since)) return 'changed'
    return startsAt !== null && changedAt < Date.parse(startsAt) ? 'left_out' : null
  }

  /**
   * Adds the extra rows and returns the results. Call this after all rows of the store were compared and marked as seen
   * (`Copy.markSeen`).
   */
  async finish(): Promise<TableVerification[]> {
    const { table, onEvent } = this.#options
    // The store has deleted these rows. An incremental sync does not return deleted rows.
    for await (const id of this.#extraIds())
      this.add({ table: table.name, id, kind: 'extra', columns: [], reason: null })
    const verified = await Promise.all([...this.#tallies].map((each) => this.#verify(...each)))
    for (const each of verified) onEvent?.({ event: 'verified', ...each })
    return verified
  }

  async *#extraIds(): AsyncGenerator<string> {
    const { copy, table } = this.#options
    let ids: readonly string[]
    let after: string | null = null
    do {
      ids = await copy.unseenIds(table.name, after, EXTRA_BATCH_ROWS)
      yield* ids
      after = ids.at(-1) ?? null
    } while (ids.length === EXTRA_BATCH_ROWS)
  }

  async #verify(
    name: string,
    { storeRows, missing, extra, unexplainedExtra, differences, changed, leftOut }: Tally,
  ): Promise<TableVerification> {
    const { copy, table, compared } = this.#options
    const copyRows = await copy.count(name)
    // Counts embedded rows that have no `difference` event, because the store does not have their parent.
    const unreported = Math.max(0, copyRows - (storeRows - missing + extra))
    const isAlwaysFull = !hasParameter(table, 'updated_since')
    // --prune removes extra rows of the table itself, with their embedded rows. It removes no other embedded rows.
    const removable = name === table.name ? unexplainedExtra : 0
    const isPruned = table.ids !== null && differences === removable
    const repair = isAlwaysFull || this.#isRereadNext ? 'run' : isPruned ? 'prune' : 'full'
    const all = differences + unreported
    return {
      table: name,
      storeRows,
      copyRows,
      differences: all,
      changed,
      leftOut,
      compared,
      isAlwaysFull,
      repair: all === 0 ? null : repair,
    }
  }

  #tally(table: string): Tally {
    const tally = this.#tallies.get(table)
    if (tally === undefined) throw new Error(`${table} is not compared`)
    return tally
  }
}

/** Returns the ID of a row in lower case, which is the form that comparisons use. */
export function idOf(row: CopyRow): string {
  return String(row.id).toLowerCase()
}
