// What a test knows of a store that it writes: which rows there are, which of them a transaction holds, and which a copy
// may have otherwise until everything is walked again.

import { includesRevision, RESOURCES, type Resource, type RevisionId } from '@store-export/contract'
import { TABLES } from '../../src/index.ts'
import type { Random } from './random.ts'

/** A row that is there. */
export interface LiveRow {
  readonly id: string
  /** Id of the row that it belongs to: of an address its customer. */
  readonly parentId: string | null
}

/** Takes effect when the transaction of a write ends well. */
export type Effect = (model: StoreModel) => void

/** Tables whose every run is a walk of the whole list: nothing of them may lag behind. */
const ALWAYS_WHOLE = new Set(['store', 'categories', 'customer_groups', 'locations'])

/** Knows one store. */
export class StoreModel {
  revision: RevisionId
  readonly #rows = new Map<string, Map<string, LiveRow>>()
  readonly #held = new Set<string>()
  /** When each row that may lag behind began to, by table and id. */
  readonly #lagging = new Map<string, Map<string, number>>()
  #moment = 0

  constructor(revision: RevisionId) {
    this.revision = revision
  }

  /** The resources that the store has tables for, without its one row. */
  get resources(): Resource[] {
    return RESOURCES.filter(({ table, since }) => table !== 'store' && includesRevision(this.revision, since))
  }

  /** Whether the store stamps changes of the resource's rows. */
  stampsUpdates({ fields }: Resource): boolean {
    return fields.updated_at !== undefined && includesRevision(this.revision, fields.updated_at.since)
  }

  add(table: string, row: LiveRow): void {
    this.#of(this.#rows, table).set(row.id, row)
  }

  /** Removes the row, with the addresses of a customer. */
  remove(table: string, id: string): void {
    this.#of(this.#rows, table).delete(id)
    this.lags(table, id)
    if (table !== 'customers') return
    for (const row of this.rows('customer_addresses'))
      if (row.parentId === id) this.remove('customer_addresses', row.id)
  }

  rows(table: string): LiveRow[] {
    return [...this.#of(this.#rows, table).values()]
  }

  /** At most `count` rows that no transaction holds. */
  some(random: Random, table: string, count: number): LiveRow[] {
    const free = this.rows(table).filter(({ id, parentId }) => !this.#held.has(id) && !this.#held.has(parentId ?? ''))
    return random.some(free, count)
  }

  /** A transaction that goes on holds these rows. */
  hold(ids: readonly string[]): void {
    for (const id of ids) this.#held.add(id)
  }

  /** Whether a transaction holds it. */
  isHeld(id: string): boolean {
    return this.#held.has(id)
  }

  /** No transaction goes on. */
  free(): void {
    this.#held.clear()
  }

  /** A copy may have this row otherwise: nothing tells of the change. */
  lags(table: string, id: string): void {
    this.#moment += 1
    if (!ALWAYS_WHOLE.has(table)) this.#of(this.#lagging, table).set(id, this.#moment)
  }

  /** A later change tells of the row again. */
  isTold(table: string, id: string): void {
    this.#of(this.#lagging, table).delete(id)
  }

  /** Ids of rows that a copy may have otherwise. */
  lagging(table: string): ReadonlySet<string> {
    return new Set(this.#of(this.#lagging, table).keys())
  }

  /** The moment, for `caughtUp`. */
  get moment(): number {
    return this.#moment
  }

  /** Everything that happened until `moment` was met by a walk of the whole. */
  caughtUp(moment: number, tables: readonly string[] = [...this.#lagging.keys()]): void {
    for (const table of tables)
      for (const [id, since] of this.#of(this.#lagging, table))
        if (since <= moment) this.#of(this.#lagging, table).delete(id)
  }

  /** What was deleted until `moment` was found by the ids of the tables that have a list of them. */
  pruned(moment: number): void {
    for (const { name, ids } of TABLES) {
      if (ids === null) continue
      const lagging = this.#of(this.#lagging, name)
      for (const [id, since] of lagging) if (since <= moment && !this.#of(this.#rows, name).has(id)) lagging.delete(id)
    }
  }

  #of<T>(map: Map<string, Map<string, T>>, table: string): Map<string, T> {
    const known = map.get(table) ?? new Map<string, T>()
    map.set(table, known)
    return known
  }
}
