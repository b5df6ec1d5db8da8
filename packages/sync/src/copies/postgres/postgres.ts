// A copy in a schema of a PostgreSQL database, with columns of their own types. A page is one transaction, so that a run
// that is killed leaves the last one whole; the lock of a run belongs to its connection and ends with it.

import { setTimeout as wait } from 'node:timers/promises'
import type { CopyColumn, CopyTable } from '../../tables.ts'
import {
  type Copy,
  CopyBusy,
  CopyLost,
  CopyProblem,
  type CopyState,
  type KeptRow,
  type PageWrite,
  type RowSelection,
  type WalkEnd,
} from '../copy.ts'
import { qualified } from './postgres-names.ts'
import { pageStatement, pageValues } from './postgres-page.ts'
import { markIds, type PostgresSource, peekState, readRows, readState, unmetIds } from './postgres-reading.ts'
import { createIndexes, makeSchema } from './postgres-schema.ts'
import { PostgresSession } from './postgres-session.ts'
import { holdable } from './postgres-values.ts'
import { forgetWalk, markMet, removeUnmet, walkValue } from './postgres-walks.ts'

/** Where a PostgreSQL copy is. */
export interface PostgresPlace {
  /** postgres:// URL of the database. Not through a pooler that shares connections: the lock belongs to one. */
  readonly url: string
  /** Schema that is the copy's alone; `store_export` unless said. */
  readonly schema?: string
}

/** The server may take a moment to notice that a run was killed. */
const LOCK_WAIT_MS = 2000
const LOCK_PAUSE_MS = 100

/** A copy in a schema, made where it is missing. */
export class PostgresCopy implements Copy {
  readonly name: string
  readonly #url: string
  readonly #schema: string
  #session: PostgresSession | null = null
  /** Of each table whose whole list is being walked, whether the walk marks what it meets. */
  readonly #marking = new Map<string, boolean>()
  /** Tables of which there are marks or a walk that did not end. */
  readonly #traces = new Set<string>()

  constructor({ url, schema = 'store_export' }: PostgresPlace) {
    this.#url = url
    this.#schema = schema
    this.name = `${withoutPassword(url)}, schema ${schema}`
  }

  async peek(): Promise<CopyState | null> {
    const session = new PostgresSession(this.#url, this.name)
    try {
      return await peekState({ session, schema: this.#schema })
    } finally {
      await session.end()
    }
  }

  async open(tables: readonly CopyTable[]): Promise<CopyState> {
    const session = new PostgresSession(this.#url, this.name)
    this.#session = session
    try {
      await this.#lock()
      await session.transaction(() => makeSchema(session, { schema: this.#schema, copy: this.name, tables }))
      const state = await readState(this.#source())
      for (const table of state.unfinished.keys()) this.#traces.add(table)
      return state
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async claim(storeId: string): Promise<void> {
    await this.#run(
      `insert into ${this.#at('_sync_copy')} (one, store_id) values (1, $1)
      on conflict (one) do update set store_id = excluded.store_id`,
      [storeId],
    )
  }

  async write({ table, rows, isWhole, isFirst = false, unfinished = null, met = [] }: PageWrite): Promise<void> {
    if (isFirst) await this.#forgetWalk(table.name)
    const marks = isWhole && (await this.#isMarking(table))
    if (marks && met.length > 0) {
      this.#traces.add(table.name)
      await markMet(this.#source(), table.name, met)
    }
    if (rows.length === 0) return
    const values = pageValues(table, rows)
    if (unfinished !== null) values.push(walkValue(table.name, unfinished, isWhole ? marks : null))
    if (marks || unfinished !== null) this.#traces.add(table.name)
    await this.#run(pageStatement({ schema: this.#schema, table, marks, keepsWalk: unfinished !== null }), values)
  }

  async end({ table, state, isWhole }: WalkEnd): Promise<number> {
    return this.#opened().transaction(async () => {
      await this.#run('set local enable_seqscan = on')
      // a walk that is told to have ended has
      await this.#run('set local synchronous_commit = on')
      const removed = isWhole ? await this.#removeUnseen(table) : 0
      await this.#forgetWalk(table.name)
      if (isWhole)
        for (const each of [table, ...table.children]) await createIndexes(this.#opened(), this.#schema, each)
      await this.#run(
        `insert into ${this.#at('_sync_tables')} (table_name, since, whole_at, starts_at) values ($1, $2, $3, $4)
        on conflict (table_name) do update
          set since = excluded.since, whole_at = excluded.whole_at, starts_at = excluded.starts_at`,
        [table.name, state.since, state.wholeAt, state.startsAt],
      )
      return removed
    })
  }

  async count(table: string): Promise<number> {
    const [row] = await this.#run(`select count(*) as rows from ${this.#at(table)}`)
    return Number(row?.rows)
  }

  async read(selection: RowSelection): Promise<KeptRow[]> {
    return readRows(this.#source(), selection)
  }

  asKept(column: CopyColumn, value: unknown): unknown {
    return holdable(column, value)
  }

  async mark(table: string, ids: readonly string[]): Promise<void> {
    await markIds(this.#source(), table, ids)
  }

  async unmet(table: string, after: string | null, most: number): Promise<string[]> {
    return unmetIds(this.#source(), table, { after, most })
  }

  async changedFiles(): Promise<string[]> {
    return []
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {
    const session = this.#session
    this.#session = null
    this.#marking.clear()
    this.#traces.clear()
    await session?.end()
  }

  async #lock(): Promise<void> {
    // a connection whose other end vanished frees the lock within a minute or two
    const settings = [
      'tcp_keepalives_idle = 30',
      'tcp_keepalives_interval = 10',
      'client_connection_check_interval = 1000',
      // a page is small beside its table: until the server has statistics it would read all of a table for each page
      'enable_seqscan = off',
      // a plan that was kept from when the table was empty would do so, too: measured, pages became ever slower
      'plan_cache_mode = force_custom_plan',
      // what a crash of the server takes are the last pages, and no state is ever ahead of its pages: they are read again
      'synchronous_commit = off',
    ]
    const [row] = await this.#run(`select current_setting('server_encoding') as encoding`)
    if (row?.encoding !== 'UTF8')
      throw new CopyProblem(
        `the database of ${this.name} is in ${row?.encoding}, and only one in UTF8 holds every text`,
      )
    // not every server has them
    for (const setting of settings) await this.#run(`set ${setting}`).catch(unlessLost)
    const until = Date.now() + LOCK_WAIT_MS
    while (!(await this.#tryLock())) {
      if (Date.now() >= until) throw new CopyBusy(this.name)
      await wait(LOCK_PAUSE_MS)
    }
  }

  async #tryLock(): Promise<boolean> {
    const key = `hashtextextended('store-sync ' || current_database() || '.' || $1::text, 0)`
    const [row] = await this.#run(`select pg_try_advisory_lock(${key}) as locked`, [this.#schema])
    return row?.locked === true
  }

  /** Nothing is sent where there is nothing to forget. */
  async #forgetWalk(table: string): Promise<void> {
    this.#marking.delete(table)
    if (this.#traces.delete(table)) await forgetWalk(this.#source(), table)
  }

  /**
   * Whether a walk of the whole list has to mark what it meets: what it writes into an empty table is what it met. One that
   * goes on does as it began.
   */
  async #isMarking(table: CopyTable): Promise<boolean> {
    const known = this.#marking.get(table.name)
    if (known !== undefined) return known
    const names = [table, ...table.children].map(({ name }) => `exists (select from ${this.#at(name)})`)
    const began = `(select marks from ${this.#at('_sync_walks')} where table_name = $1)`
    const [row] = await this.#run(`select coalesce(${began}, ${names.join(' or ')}) as marks`, [table.name])
    this.#marking.set(table.name, row?.marks === true)
    return row?.marks === true
  }

  async #removeUnseen(table: CopyTable): Promise<number> {
    if (!(await this.#isMarking(table))) return 0
    return removeUnmet(this.#source(), table)
  }

  #run(text: string, values: (string | null)[] = []) {
    return this.#opened().run(text, values)
  }

  #opened(): PostgresSession {
    if (this.#session === null) throw new Error(`${this.name} is not open`)
    return this.#session
  }

  #source(): PostgresSource {
    return { session: this.#opened(), schema: this.#schema }
  }

  #at(table: string): string {
    return qualified(this.#schema, table)
  }
}

/** What follows the path is left out too: a password may be among it. */
function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'the PostgreSQL database'
  const { username, host, pathname } = new URL(url)
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`
}

function unlessLost(error: unknown): void {
  if (error instanceof CopyLost) throw error
}
