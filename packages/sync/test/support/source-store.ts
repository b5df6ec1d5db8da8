// A store that a history writes: emptied, filled, changed in short transactions, and in one that ends late.

import { customer, customerAddress, ENDPOINTS, type RevisionId } from '@store-export/contract'
import postgres from 'postgres'
import type { TestStore } from '../../../../test/support/platform.ts'
import { PlatformClock } from './platform-clock.ts'
import type { Random } from './random.ts'
import { StoreModel } from './store-model.ts'
import { addRows, changeRows, type Written, writeOnce } from './store-writes.ts'

/** How long a transaction may take to end: with what clocks differ by, less than the overlap of a run. */
const LATE_MS = 100_000

/** A store with a second connection, which is kept for other histories. */
export interface WrittenStore {
  readonly store: TestStore
  readonly late: postgres.Sql
}

/** Opens the second connection of a store. */
export function writtenStore(store: TestStore): WrittenStore {
  return { store, late: postgres(store.ownerUrl, { max: 1, onnotice: () => undefined }) }
}

/** How a history writes. */
export interface WritingStyle {
  readonly random: Random
  readonly revision: RevisionId
  /** Whether children go from one parent to another. */
  readonly movesChildren: boolean
}

/** The store of one history. */
export class SourceStore {
  readonly clock = new PlatformClock()
  readonly model: StoreModel
  readonly #store: WrittenStore
  readonly #style: WritingStyle
  #late: { readonly begunAt: number; readonly written: Written[] } | null = null
  /** A write of it that is under way. */
  #writing: Promise<void> | null = null

  constructor(store: WrittenStore, style: WritingStyle) {
    this.#store = store
    this.#style = style
    this.model = new StoreModel(style.revision)
  }

  /** Empties the store, and fills it by chance, with at most so many rows of each table. */
  async fill(most = 12): Promise<void> {
    const { random } = this.#style
    const tables = ['orders', 'products', 'customers', 'categories', 'customer_groups', 'locations']
    const present = tables.filter((table) => this.model.resources.some((each) => each.table === table))
    await this.#store.store.sql.unsafe(present.map((table) => `delete from ${table}`).join(';')).simple()
    // addresses last: they are of customers
    const ordered = this.model.resources.toSorted((one) => (one === customer ? -1 : one === customerAddress ? 1 : 0))
    for (const resource of ordered)
      if (random.chance(0.8)) await this.#inTransaction((writing) => addRows(writing, resource, most))
  }

  /** Makes a few writes; some of them in a transaction that goes on. */
  async write(most: number): Promise<void> {
    const { random, movesChildren } = this.#style
    for (let count = random.below(most + 1); count > 0; count -= 1) {
      if (random.chance(0.1)) await this.#writeLate()
      else await this.#inTransaction((writing) => writeOnce(writing, movesChildren))
      if (this.#late !== null && random.chance(0.2)) await this.endLate()
    }
  }

  /** Changes rows of a table that the store has, at the path of its list. */
  async changeAt(path: string): Promise<void> {
    const resource = ENDPOINTS.find((endpoint) => endpoint.path === path)?.resource
    if (resource === undefined || !this.model.resources.includes(resource)) return
    await this.#inTransaction((writing) => changeRows(writing, resource))
  }

  /** Lets time pass; what would end too late ends before. */
  async pass(ms: number): Promise<void> {
    const begunAt = this.#late?.begunAt ?? this.clock.now
    if (this.clock.now + ms - begunAt > LATE_MS) await this.endLate()
    this.clock.advance(ms)
  }

  /** Ends the transaction that goes on: one in five is taken back. */
  async endLate(): Promise<void> {
    // one that is being made elsewhere belongs to it
    await this.#writing
    const late = this.#late
    if (late === null) return
    this.#late = null
    const isTaken = this.#style.random.chance(0.2)
    await this.#store.late.unsafe(isTaken ? 'rollback' : 'commit')
    this.model.free()
    if (!isTaken) for (const { effects } of late.written) for (const effect of effects) effect(this.model)
  }

  async #writeLate(): Promise<void> {
    const { late } = this.#store
    if (this.#late === null) {
      await late.unsafe('begin')
      this.#late = { begunAt: this.clock.now, written: [] }
    }
    const { random } = this.#style
    const { written: ofLate } = this.#late
    const writing = writeOnce({ random, clock: this.clock, model: this.model, sql: late }, false)
    this.#writing = writing.then(() => undefined)
    const written = await writing
    this.#writing = null
    this.model.hold(written.holds)
    ofLate.push(written)
    await this.pass(0)
  }

  async #inTransaction(write: (writing: Parameters<typeof writeOnce>[0]) => Promise<Written>): Promise<void> {
    const { random } = this.#style
    const { sql } = this.#store.store
    await sql.unsafe('begin')
    const { effects } = await write({ random, clock: this.clock, model: this.model, sql })
    await sql.unsafe('commit')
    for (const effect of effects) effect(this.model)
    await this.pass(0)
  }
}
