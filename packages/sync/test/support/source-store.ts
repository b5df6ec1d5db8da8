// The store of a history: fills and changes it in short transactions, and in one that stays open for longer.

import { customer, customerAddress, ENDPOINTS, type RevisionId } from '@store-export/contract'
import postgres from 'postgres'
import type { TestStore } from '../../../../test/support/platform.ts'
import { PlatformClock } from './platform-clock.ts'
import type { Random } from './random.ts'
import { StoreModel } from './store-model.ts'
import { addRows, changeRows, type Written, writeOnce } from './store-writes.ts'

/** Longest open transaction in ms. With the difference of the clocks, it must be less than the overlap of a run. */
const OPEN_TRANSACTION_MS_MAX = 100_000

/** A store with a second connection. Other histories use both again. */
export interface WrittenStore {
  readonly store: TestStore
  readonly late: postgres.Sql
}

export function openWrittenStore(store: TestStore): WrittenStore {
  return { store, late: postgres(store.ownerUrl, { max: 1, onnotice: () => undefined }) }
}

export interface SourceWriteOptions {
  readonly random: Random
  readonly revision: RevisionId
  /** Whether embedded rows move from one parent to another. */
  readonly movesChildren: boolean
}

export class SourceStore {
  readonly clock = new PlatformClock()
  readonly model: StoreModel
  readonly #store: WrittenStore
  readonly #style: SourceWriteOptions
  #openTransaction: { readonly startedAt: number; readonly written: Written[] } | null = null
  /** The current write in the open transaction. */
  #writing: Promise<void> | null = null

  constructor(store: WrittenStore, style: SourceWriteOptions) {
    this.#store = store
    this.#style = style
    this.model = new StoreModel(style.revision)
  }

  /** Deletes all rows, then adds random rows, at most `most` to each table. */
  async fill(most = 12): Promise<void> {
    const { random } = this.#style
    const tables = ['orders', 'products', 'customers', 'categories', 'customer_groups', 'locations']
    const present = tables.filter((table) => this.model.resources.some((each) => each.table === table))
    await this.#store.store.sql.unsafe(present.map((table) => `delete from ${table}`).join(';')).simple()
    // Addresses come last because they belong to customers.
    const ordered = this.model.resources.toSorted((one) => (one === customer ? -1 : one === customerAddress ? 1 : 0))
    for (const resource of ordered)
      if (random.chance(0.8)) await this.#inTransaction((writing) => addRows(writing, resource, most))
  }

  /** Makes up to `most` writes, some of them in a transaction that stays open. */
  async write(most: number): Promise<void> {
    const { random, movesChildren } = this.#style
    for (let count = random.below(most + 1); count > 0; count -= 1) {
      if (random.chance(0.1)) await this.#writeInOpenTransaction()
      else await this.#inTransaction((writing) => writeOnce(writing, movesChildren))
      if (this.#openTransaction !== null && random.chance(0.2)) await this.endOpenTransaction()
    }
  }

  /** Changes rows of the table whose list has this path. */
  async changeAt(path: string): Promise<void> {
    const resource = ENDPOINTS.find((endpoint) => endpoint.path === path)?.resource
    if (resource === undefined || !this.model.resources.includes(resource)) return
    await this.#inTransaction((writing) => changeRows(writing, resource))
  }

  /** Advances the clock. Ends the open transaction if it would be open for too long. */
  async advance(ms: number): Promise<void> {
    const startedAt = this.#openTransaction?.startedAt ?? this.clock.now
    if (this.clock.now + ms - startedAt > OPEN_TRANSACTION_MS_MAX) await this.endOpenTransaction()
    this.clock.advance(ms)
  }

  /** Ends the open transaction. One in five is rolled back. */
  async endOpenTransaction(): Promise<void> {
    // A write that another call has started belongs to the transaction.
    await this.#writing
    const late = this.#openTransaction
    if (late === null) return
    this.#openTransaction = null
    const isRolledBack = this.#style.random.chance(0.2)
    await this.#store.late.unsafe(isRolledBack ? 'rollback' : 'commit')
    this.model.free()
    if (!isRolledBack) for (const { effects } of late.written) for (const effect of effects) effect(this.model)
  }

  async #writeInOpenTransaction(): Promise<void> {
    const { late } = this.#store
    if (this.#openTransaction === null) {
      await late.unsafe('begin')
      this.#openTransaction = { startedAt: this.clock.now, written: [] }
    }
    const { random } = this.#style
    const { written: ofLate } = this.#openTransaction
    const writing = writeOnce({ random, clock: this.clock, model: this.model, sql: late }, false)
    this.#writing = writing.then(() => undefined)
    const written = await writing
    this.#writing = null
    this.model.hold(written.holds)
    ofLate.push(written)
    await this.advance(0)
  }

  async #inTransaction(write: (writing: Parameters<typeof writeOnce>[0]) => Promise<Written>): Promise<void> {
    const { random } = this.#style
    const { sql } = this.#store.store
    await sql.unsafe('begin')
    const { effects } = await write({ random, clock: this.clock, model: this.model, sql })
    await sql.unsafe('commit')
    for (const effect of effects) effect(this.model)
    await this.advance(0)
  }
}
