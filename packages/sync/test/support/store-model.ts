// A model of a store that a test writes: its rows, the rows that an open transaction has locked, and the rows that may
// be stale in a copy until a full sync.

import { includesRevision, RESOURCES, type Resource, type RevisionId } from '@store-export/contract'
import { TABLES } from '../../src/index.ts'
import type { Random } from './random.ts'

export interface LiveRow {
  readonly id: string
  /** ID of the owner: the customer of an address. */
  readonly parentId: string | null
}

/** A change of the model after a write was committed. */
export type Effect = (model: StoreModel) => void

/** Tables that every run reads in full, so that they are never stale. */
const ALWAYS_FULL = new Set(['store', 'categories', 'customer_groups', 'locations'])

export class StoreModel {
  revision: RevisionId
  readonly #rows = new Map<string, Map<string, LiveRow>>()
  readonly #held = new Set<string>()
  /** Stale rows by table and ID, and the moment since when they are stale. */
  readonly #stale = new Map<string, Map<string, number>>()
  #moment = 0

  constructor(revision: RevisionId) {
    this.revision = revision
  }

  /** The resources that this schema version has, without the store itself. */
  get resources(): Resource[] {
    return RESOURCES.filter(({ table, since }) => table !== 'store' && includesRevision(this.revision, since))
  }

  /** Whether the store has `updated_at` for the resource. */
  tracksUpdates({ fields }: Resource): boolean {
    return fields.updated_at !== undefined && includesRevision(this.revision, fields.updated_at.since)
  }

  add(table: string, row: LiveRow): void {
    this.#of(this.#rows, table).set(row.id, row)
  }

  /** Removes the row, and the addresses of a customer. */
  remove(table: string, id: string): void {
    this.#of(this.#rows, table).delete(id)
    this.markStale(table, id)
    if (table !== 'customers') return
    for (const row of this.rows('customer_addresses'))
      if (row.parentId === id) this.remove('customer_addresses', row.id)
  }

  rows(table: string): LiveRow[] {
    return [...this.#of(this.#rows, table).values()]
  }

  /** Returns at most `count` rows that no transaction has locked. */
  some(random: Random, table: string, count: number): LiveRow[] {
    const unlocked = this.rows(table).filter(
      ({ id, parentId }) => !this.#held.has(id) && !this.#held.has(parentId ?? ''),
    )
    return random.some(unlocked, count)
  }

  /** Marks rows as locked by the open transaction. */
  hold(ids: readonly string[]): void {
    for (const id of ids) this.#held.add(id)
  }

  /** Whether the open transaction has locked the row. */
  isHeld(id: string): boolean {
    return this.#held.has(id)
  }

  free(): void {
    this.#held.clear()
  }

  /** Marks a row as stale: no incremental sync returns its change. */
  markStale(table: string, id: string): void {
    this.#moment += 1
    if (!ALWAYS_FULL.has(table)) this.#of(this.#stale, table).set(id, this.#moment)
  }

  /** Marks a row as current: an incremental sync returns its last change. */
  markCurrent(table: string, id: string): void {
    this.#of(this.#stale, table).delete(id)
  }

  /** Returns the IDs of stale rows. */
  staleIds(table: string): ReadonlySet<string> {
    return new Set(this.#of(this.#stale, table).keys())
  }

  /** The current moment, for `fullySynced` and `pruned`. */
  get moment(): number {
    return this.#moment
  }

  /** Marks rows as current that became stale up to `moment`, because a full sync has read the tables since then. */
  fullySynced(moment: number, tables: readonly string[] = [...this.#stale.keys()]): void {
    for (const table of tables)
      for (const [id, since] of this.#of(this.#stale, table))
        if (since <= moment) this.#of(this.#stale, table).delete(id)
  }

  /** Forgets stale rows that were deleted up to `moment`, because a run has pruned them. */
  pruned(moment: number): void {
    for (const { name, ids } of TABLES) {
      if (ids === null) continue
      const stale = this.#of(this.#stale, name)
      for (const [id, since] of stale) if (since <= moment && !this.#of(this.#rows, name).has(id)) stale.delete(id)
    }
  }

  #of<T>(map: Map<string, Map<string, T>>, table: string): Map<string, T> {
    const known = map.get(table) ?? new Map<string, T>()
    map.set(table, known)
    return known
  }
}
