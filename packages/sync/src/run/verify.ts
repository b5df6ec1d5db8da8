// Whether a copy is the store: every list is walked whole, each row is compared with what the copy keeps, and what the
// copy has besides is named. Nothing is mended here.

import type { Store, StoreExportClient } from '@store-export/client'
import { comparable } from '../copies/comparable.ts'
import { type Copy, CopyProblem, type CopyRow, type KeptRow, NEW_TABLE, type TableState } from '../copies/copy.ts'
import { type ChildTable, type CopyTable, TABLES } from '../tables.ts'
import { oneAhead } from './ahead.ts'
import { wholeList } from './lists.ts'
import { canAsk } from './plan.ts'
import { refuseOther, rowsOf } from './run.ts'

/** What a verification needs. */
export interface VerifyOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  /** Tables to compare; all of them unless said. */
  readonly tables?: readonly CopyTable[]
  /** Hears of each page, each difference and each table. */
  readonly observe?: (finding: Finding) => void
  readonly signal?: AbortSignal
}

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
  /** Whether any run mends its differences, since the list comes whole at each; otherwise a full one does. */
  readonly isWhole: boolean
}

/** What is said while it goes on. */
export type Finding =
  | { readonly event: 'page'; readonly table: string; readonly rows: number; readonly of: number | null }
  | ({ readonly event: 'difference' } & Difference)
  | ({ readonly event: 'verified' } & TableVerification)

/** How a copy compares. */
export interface Verification {
  readonly storeId: string
  readonly tables: readonly TableVerification[]
  /** Files that are not as the last run wrote them. */
  readonly changedFiles: readonly string[]
  /** Whether nothing differs but what is explained. */
  readonly isSame: boolean
}

/** So many of the rows that only the copy has are read at once. */
const UNMET_ROWS = 1000

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
      verified.push(...(await new TableComparison(options, table, known).follow(store)))
    }
    const changedFiles = await copy.changedFiles()
    const isSame = changedFiles.length === 0 && verified.every(({ differences }) => differences === 0)
    return { storeId: store.id, tables: verified, changedFiles, isSame }
  } finally {
    await copy.close()
  }
}

/** Counts of a table or of a child's. */
interface Tally {
  storeRows: number
  /** Rows of the store that the copy lacks. */
  missing: number
  /** Rows of the copy that were named as its alone. */
  extra: number
  differences: number
  changed: number
  leftOut: number
}

const COUNTED = { none: 'differences', changed: 'changed', left_out: 'leftOut' } as const

class TableComparison {
  readonly #options: VerifyOptions
  readonly #table: CopyTable
  readonly #known: TableState
  readonly #tallies: ReadonlyMap<string, Tally>

  constructor(options: VerifyOptions, table: CopyTable, known: TableState) {
    this.#options = options
    this.#table = table
    this.#known = known
    const names = [table, ...table.children].map(({ name }) => name)
    this.#tallies = new Map(
      names.map((name) => [name, { storeRows: 0, missing: 0, extra: 0, differences: 0, changed: 0, leftOut: 0 }]),
    )
  }

  async follow(store: Store): Promise<TableVerification[]> {
    const { client, observe, signal } = this.#options
    const { name } = this.#table
    let rows = 0
    for await (const page of oneAhead(wholeList(client, this.#table, signal === undefined ? {} : { signal }))) {
      signal?.throwIfAborted()
      await this.#comparePage(page.rows)
      rows += page.rows.length
      observe?.({ event: 'page', table: name, rows, of: rowsOf(store, name) })
    }
    // deleted in the store since they were copied: a run that asks for changes does not meet them
    for await (const id of this.#unmet()) this.#found({ table: name, id, kind: 'extra', columns: [], reason: null })
    const verified = await Promise.all([...this.#tallies].map((each) => this.#verification(...each)))
    for (const each of verified) observe?.({ event: 'verified', ...each })
    return verified
  }

  async *#unmet(): AsyncGenerator<string> {
    let ids: readonly string[]
    let after: string | null = null
    do {
      ids = await this.#options.copy.unmet(this.#table.name, after, UNMET_ROWS)
      yield* ids
      after = ids.at(-1) ?? null
    } while (ids.length === UNMET_ROWS)
  }

  async #comparePage(rows: readonly CopyRow[]): Promise<void> {
    const { copy } = this.#options
    const table = this.#table
    const ids = rows.map(idOf)
    const kept = byId(await copy.read({ table, by: 'id', ids }))
    for (const row of rows) this.#compareRow(table, row, { kept: kept.get(idOf(row)), parent: row })
    for (const child of table.children) {
      const reading = { table: child, by: child.parentColumn, ids }
      this.#compareChildren(child, rows, await copy.read(reading))
    }
    await copy.mark(table.name, ids)
  }

  #compareChildren(child: ChildTable, parents: readonly CopyRow[], read: readonly KeptRow[]): void {
    const kept = byId(read)
    const parentOf = new Map(parents.map((row) => [idOf(row), row]))
    for (const parent of parents) {
      const rows = parent[child.field]
      for (const row of Array.isArray(rows) ? rows : []) {
        this.#compareRow(child, row, { kept: kept.get(idOf(row)), parent })
        kept.delete(idOf(row))
      }
    }
    for (const [id, row] of kept) {
      const parent = parentOf.get(row[child.parentColumn] ?? '')
      this.#found({ table: child.name, id, kind: 'extra', columns: [], reason: this.#reasonOf(parent) })
    }
  }

  #compareRow(
    { name, columns }: Pick<CopyTable, 'name' | 'columns'>,
    row: CopyRow,
    { kept, parent }: { kept: KeptRow | undefined; parent: CopyRow },
  ): void {
    const { copy } = this.#options
    const tally = this.#tally(name)
    tally.storeRows += 1
    const difference = { table: name, id: idOf(row), reason: this.#reasonOf(parent) }
    if (kept === undefined) {
      this.#found({ ...difference, kind: 'missing', columns: [] })
      return
    }
    const different = columns.filter(
      (column) =>
        column.isCompared &&
        comparable(column.kind, copy.asKept(column, row[column.name])) !== (kept[column.name] ?? null),
    )
    if (different.length > 0)
      this.#found({ ...difference, kind: 'different', columns: different.map((column) => column.name) })
  }

  #found(difference: Difference): void {
    const tally = this.#tally(difference.table)
    tally[COUNTED[difference.reason ?? 'none']] += 1
    if (difference.kind !== 'different') tally[difference.kind] += 1
    this.#options.observe?.({ event: 'difference', ...difference })
  }

  #reasonOf(row: CopyRow | undefined): Reason | null {
    const { since, startsAt } = this.#known
    const stamp = row?.updated_at ?? row?.created_at
    const changedAt = typeof stamp === 'string' ? Date.parse(stamp) : Number.NaN
    if (since !== null && changedAt >= Date.parse(since)) return 'changed'
    return startsAt !== null && changedAt < Date.parse(startsAt) ? 'left_out' : null
  }

  async #verification(
    table: string,
    { storeRows, missing, extra, differences, changed, leftOut }: Tally,
  ): Promise<TableVerification> {
    const copyRows = await this.#options.copy.count(table)
    // lines of an order that is the copy's alone, or nobody's, were not named one by one
    const unnamed = Math.max(0, copyRows - (storeRows - missing + extra))
    const isWhole = !canAsk(this.#table, 'updated_since')
    return { table, storeRows, copyRows, differences: differences + unnamed, changed, leftOut, isWhole }
  }

  #tally(table: string): Tally {
    const tally = this.#tallies.get(table)
    if (tally === undefined) throw new Error(`${table} is not compared`)
    return tally
  }
}

function idOf(row: CopyRow): string {
  return String(row.id).toLowerCase()
}

function byId(rows: readonly KeptRow[]): Map<string, KeptRow> {
  return new Map(rows.map((row) => [(row.id ?? '').toLowerCase(), row]))
}
