// What a comparison of one table finds: each difference is told, and counted by what explains it.

import type { Copy, CopyRow, TableState } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'
import { canAsk } from './plan.ts'

/** Where a copy is not the store. */
export interface Difference {
  readonly table: string
  readonly id: string
  /** `missing`: only the store has it. `extra`: only the copy has it. `different`: both do, with other values. */
  readonly kind: 'missing' | 'extra' | 'different'
  /** Columns whose values are different. */
  readonly columns: readonly string[]
  /** What explains it, so that nothing is wrong; null where nothing does. */
  readonly reason: Reason | null
}

/** `changed`: in the store, after the last run began; the next run fetches it. `left_out`: a run was told to, by since. */
export type Reason = 'changed' | 'left_out'

/** What is compared of each row: all of it, or its id and the instant of its last change. */
export type Compared = 'rows' | 'stamps'

/** How a table compares. */
export interface TableVerification {
  readonly table: string
  readonly storeRows: number
  readonly copyRows: number
  /** Differences that nothing explains. */
  readonly differences: number
  /** Differences that are changes of the store since the last run began. */
  readonly changed: number
  /** Rows that a run was told to leave out. */
  readonly leftOut: number
  /** What was compared of each row. */
  readonly compared: Compared
  /** Whether every run reads the whole list. */
  readonly isWhole: boolean
  /** The cheapest run that repairs its differences. */
  readonly repair: Repair
}

/** A run without options, with `--prune`, which removes rows that only the copy has, or with `--full`. */
export type Repair = 'run' | 'prune' | 'full'

/** What is said while it goes on. */
export type Finding =
  | { readonly event: 'page'; readonly table: string; readonly rows: number; readonly of: number | null }
  | ({ readonly event: 'difference' } & Difference)
  | ({ readonly event: 'verified' } & TableVerification)

/** So many of the rows that only the copy has are read at once. */
const UNMET_ROWS = 1000

/** Counts of a table or of a child's. */
interface Tally {
  storeRows: number
  /** Rows of the store that the copy lacks. */
  missing: number
  /** Rows of the copy that were named as its alone. */
  extra: number
  /** Those of them that nothing explains. */
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

const COUNTED = { none: 'differences', changed: 'changed', left_out: 'leftOut' } as const

/** Which table is compared, and who hears of it. */
export interface FindingsOptions {
  readonly copy: Copy
  readonly table: CopyTable
  readonly known: TableState
  readonly compared: Compared
  readonly observe: ((finding: Finding) => void) | undefined
}

/** The findings of a table and, where rows are compared, of its children. */
export class TableFindings {
  readonly #options: FindingsOptions
  readonly #tallies: ReadonlyMap<string, Tally>

  constructor(options: FindingsOptions) {
    this.#options = options
    const { table, compared } = options
    const names = [table, ...(compared === 'rows' ? table.children : [])].map(({ name }) => name)
    this.#tallies = new Map(names.map((name) => [name, newTally()]))
  }

  /** The store has this row, of the table or of its children. */
  met(table: string): void {
    this.#tally(table).storeRows += 1
  }

  /** A row is not as the store has it. */
  found(difference: Difference): void {
    const tally = this.#tally(difference.table)
    tally[COUNTED[difference.reason ?? 'none']] += 1
    if (difference.kind !== 'different') tally[difference.kind] += 1
    if (difference.kind === 'extra' && difference.reason === null) tally.unexplainedExtra += 1
    this.#options.observe?.({ event: 'difference', ...difference })
  }

  /** What explains that a row of the store is not in the copy as it is. */
  reasonOf(row: CopyRow | undefined): Reason | null {
    const { since, startsAt } = this.#options.known
    const stamp = row?.updated_at ?? row?.created_at
    const changedAt = typeof stamp === 'string' ? Date.parse(stamp) : Number.NaN
    if (since !== null && changedAt >= Date.parse(since)) return 'changed'
    return startsAt !== null && changedAt < Date.parse(startsAt) ? 'left_out' : null
  }

  /** All rows of the store were met, and marked: tells what only the copy has, and how the table compares. */
  async end(): Promise<TableVerification[]> {
    const { table, observe } = this.#options
    // deleted in the store since they were copied: a run that asks for changes does not meet them
    for await (const id of this.#unmet())
      this.found({ table: table.name, id, kind: 'extra', columns: [], reason: null })
    const verified = await Promise.all([...this.#tallies].map((each) => this.#verification(...each)))
    for (const each of verified) observe?.({ event: 'verified', ...each })
    return verified
  }

  async *#unmet(): AsyncGenerator<string> {
    const { copy, table } = this.#options
    let ids: readonly string[]
    let after: string | null = null
    do {
      ids = await copy.unmet(table.name, after, UNMET_ROWS)
      yield* ids
      after = ids.at(-1) ?? null
    } while (ids.length === UNMET_ROWS)
  }

  async #verification(
    name: string,
    { storeRows, missing, extra, unexplainedExtra, differences, changed, leftOut }: Tally,
  ): Promise<TableVerification> {
    const { copy, table, compared } = this.#options
    const copyRows = await copy.count(name)
    // lines of an order that is the copy's alone, or nobody's, were not named one by one
    const unnamed = Math.max(0, copyRows - (storeRows - missing + extra))
    const isWhole = !canAsk(table, 'updated_since')
    // a row of the table is removed by its id, and lines go with the order that they belong to
    const removable = name === table.name ? unexplainedExtra : 0
    const isPruned = table.ids !== null && differences === removable
    return {
      table: name,
      storeRows,
      copyRows,
      differences: differences + unnamed,
      changed,
      leftOut,
      compared,
      isWhole,
      repair: isWhole ? 'run' : isPruned ? 'prune' : 'full',
    }
  }

  #tally(table: string): Tally {
    const tally = this.#tallies.get(table)
    if (tally === undefined) throw new Error(`${table} is not compared`)
    return tally
  }
}

/** The id as texts are compared. */
export function idOf(row: CopyRow): string {
  return String(row.id).toLowerCase()
}
