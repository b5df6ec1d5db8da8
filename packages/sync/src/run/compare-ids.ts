// Compares a table with the store by the list of its ids, a fortieth of the requests: which rows there are, and when each
// was last changed. A row that was changed and kept its stamp is not found so.

import { comparable } from '../copies/comparable.ts'
import type { KeptRow, TableState } from '../copies/copy.ts'
import type { CopyColumn, CopyTable } from '../tables.ts'
import { oneAhead } from './ahead.ts'
import { byId, type TableComparison } from './compare-rows.ts'
import { type Compared, idOf, type Reason } from './findings.ts'
import { idsOf, type MetRow } from './ids.ts'
import { listOf } from './lists.ts'
import { canAsk } from './plan.ts'

const STAMP = 'updated_at'

/** What is compared of the table where little is to be asked for: all of a row that has no stamp, or no list of ids. */
export function comparedQuickly({ ids, columns }: CopyTable): Compared {
  return ids !== null && columns.some(({ name }) => name === STAMP) ? 'stamps' : 'rows'
}

/** Compares ids and stamps with the copy's, and marks the rows. Throws `ListMissing` before anything is found. */
export async function compareIds(comparison: TableComparison, known: TableState): Promise<void> {
  await new IdsComparison(comparison, known).follow()
}

class IdsComparison {
  readonly #comparison: TableComparison
  readonly #known: TableState
  readonly #columns: readonly CopyColumn[]
  /** Whether rows that come now were created before the copy begins. */
  #isBefore = false
  /** Rows that the copy lacks and that were never changed: when they were created the ids do not say. */
  readonly #unstamped = new Set<string>()

  constructor(comparison: TableComparison, known: TableState) {
    this.#comparison = comparison
    this.#known = known
    this.#columns = comparison.table.columns.filter(({ name }) => name === 'id' || name === STAMP)
  }

  async follow(): Promise<void> {
    const { client, table, findings, signal, observeRows } = this.#comparison
    const firstWithin = await this.#findFirstWithin()
    this.#isBefore = firstWithin !== null
    let rows = 0
    for await (const page of oneAhead(idsOf(client, table, signal))) {
      signal.throwIfAborted()
      await this.#comparePage(page, firstWithin)
      rows += page.length
      observeRows(rows)
    }
    const created = this.#unstamped.size === 0 ? new Set<string>() : await this.#createdLately()
    for (const id of this.#unstamped)
      findings.found({
        table: table.name,
        id,
        kind: 'missing',
        columns: [],
        reason: created.has(id) ? 'changed' : null,
      })
  }

  async #comparePage(rows: readonly MetRow[], firstWithin: string | null): Promise<void> {
    const { copy, table } = this.#comparison
    const ids = rows.map((row) => idOf({ ...row }))
    const kept = byId(await copy.read({ table: { name: table.name, columns: this.#columns }, by: 'id', ids }))
    for (const row of rows) {
      const id = idOf({ ...row })
      if (id === firstWithin) this.#isBefore = false
      this.#compareRow(row, id, kept.get(id))
    }
    await copy.mark(table.name, ids)
  }

  #compareRow(row: MetRow, id: string, kept: KeptRow | undefined): void {
    const { copy, table, findings } = this.#comparison
    findings.met(table.name)
    if (kept === undefined) {
      const reason = this.#reasonOf(row)
      if (reason === 'unknown') this.#unstamped.add(id)
      else findings.found({ table: table.name, id, kind: 'missing', columns: [], reason })
      return
    }
    const [stamp] = this.#columns.filter(({ name }) => name === STAMP)
    if (stamp === undefined || comparable(stamp.kind, copy.asKept(stamp, row.updated_at)) === (kept[STAMP] ?? null))
      return
    findings.found({
      table: table.name,
      id,
      kind: 'different',
      columns: [STAMP],
      reason: findings.reasonOf({ ...row }),
    })
  }

  #reasonOf(row: MetRow): Reason | 'unknown' | null {
    if (row.updated_at !== null) return this.#comparison.findings.reasonOf({ ...row })
    // ids come in the order in which their rows were created
    if (this.#isBefore) return 'left_out'
    return canAsk(this.#comparison.table, CREATED) && this.#known.since !== null ? 'unknown' : null
  }

  /** Id of the first row that was created since the copy begins, empty where there is none; null where it has no beginning. */
  async #findFirstWithin(): Promise<string | null> {
    const { client, table, signal } = this.#comparison
    const { startsAt } = this.#known
    if (startsAt === null || !canAsk(table, CREATED)) return null
    for await (const { rows } of listOf(client, table, { createdSince: startsAt, signal }))
      for (const row of rows) return idOf(row)
    return ''
  }

  /** Ids of rows that were created since the last run began: the next one fetches them. */
  async #createdLately(): Promise<Set<string>> {
    const { client, table, signal } = this.#comparison
    const created = new Set<string>()
    const query = { createdSince: this.#known.since ?? '', signal }
    for await (const { rows } of oneAhead(listOf(client, table, query))) for (const row of rows) created.add(idOf(row))
    return created
  }
}

const CREATED = 'created_since'
