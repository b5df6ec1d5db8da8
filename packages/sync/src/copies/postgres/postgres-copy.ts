// Writes a copy to a schema of a PostgreSQL database, with a native type for each column. What each failure leaves:
//
// - A killed run: complete pages, because one statement writes a page with its marks and its walk. The next run resumes
//   the walk. The advisory lock belongs to the connection and ends with it.
// - A crash of the server: pages commit asynchronously, so it can lose the last ones. It also empties the unlogged
//   tables of walks and marks, so no walk continues after pages that are lost. The next run starts the walk again.
// - Either failure after the end of a walk: all rows of the walk. The last commit of a walk is synchronous, because the
//   run then reports the table as synced.

import { setTimeout as wait } from 'node:timers/promises'
import type { CopyColumn, CopyTable } from '../../tables.ts'
import {
  type Copy,
  CopyBusyError,
  CopyError,
  type CopyState,
  CopyUnavailableError,
  type PageWrite,
  type RowSelection,
  type StoredRow,
  type WalkEnd,
} from '../copy.ts'
import { pageStatement, pageValues } from './page-statement.ts'
import { markSeenIds, peekState, readRows, readState, readUnseenIds } from './postgres-reader.ts'
import { createIndexes, createSchema } from './postgres-schema.ts'
import { PostgresSession } from './postgres-session.ts'
import { asPostgresStores } from './postgres-values.ts'
import { deleteWalk, markWalkSeen, removeUnseen, savedWalkValue } from './postgres-walks.ts'
import { qualifiedName } from './qualified-name.ts'
import type { SchemaConnection } from './schema-connection.ts'

/** The database and the schema of a copy. */
export interface PostgresCopyOptions {
  /**
   * postgres:// URL of the database. Don't use a pooler that shares connections: the lock belongs to one connection.
   */
  readonly url: string
  /** Schema that contains only the copy; defaults to `store_export`. */
  readonly schema?: string
}

/** Time to wait for the lock of a killed run, because the server closes the connection of that run late. */
const LOCK_WAIT_MS = 2000
const LOCK_PAUSE_MS = 100

/** A copy in a schema of a PostgreSQL database. `open` creates a missing schema. */
export class PostgresCopy implements Copy {
  readonly name: string
  readonly #url: string
  readonly #schema: string
  #session: PostgresSession | null = null
  /** Results of `#needsMarks` by table, because the first page of a walk changes the result. */
  readonly #marksByTable = new Map<string, boolean>()
  /** Tables with an unfinished walk or marks in the database. */
  readonly #tablesWithWalk = new Set<string>()

  constructor({ url, schema = 'store_export' }: PostgresCopyOptions) {
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
      await session.transaction(() => createSchema(session, { schema: this.#schema, copy: this.name, tables }))
      const state = await readState(this.#connection())
      for (const table of state.unfinished.keys()) this.#tablesWithWalk.add(table)
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

  async write({ table, rows, isFull, isFirst = false, unfinished = null, seenIds = [] }: PageWrite): Promise<void> {
    if (isFirst) await this.#deleteWalk(table.name)
    const marks = isFull && (await this.#needsMarks(table))
    if (marks && seenIds.length > 0) {
      this.#tablesWithWalk.add(table.name)
      // Commits before the page's statement. If the run is killed in between, `open` deletes marks without a walk.
      await markWalkSeen(this.#connection(), table.name, seenIds)
    }
    if (rows.length === 0 && unfinished === null) return
    const values = pageValues(table, rows)
    if (unfinished !== null) values.push(savedWalkValue(table.name, unfinished, isFull ? marks : null))
    if (marks || unfinished !== null) this.#tablesWithWalk.add(table.name)
    await this.#run(pageStatement({ schema: this.#schema, table, marks, savesWalk: unfinished !== null }), values)
  }

  async end({ table, state, isFull }: WalkEnd): Promise<number> {
    return this.#opened().transaction(async () => {
      // Unlike a page, the removal of unseen rows reads whole tables.
      await this.#run('set local enable_seqscan = on')
      await this.#run('set local synchronous_commit = on')
      const removed = isFull ? await this.#removeUnseen(table) : 0
      await this.#deleteWalk(table.name)
      // A new table gets its indexes after its rows.
      if (isFull) for (const each of [table, ...table.children]) await createIndexes(this.#opened(), this.#schema, each)
      const { since, fullAt, startsAt, storeFields, rereadAt } = state
      await this.#run(
        `insert into ${this.#at('_sync_tables')} (table_name, since, whole_at, starts_at, store_fields, reread_at)
        values ($1, $2, $3, $4, $5, $6)
        on conflict (table_name) do update
          set since = excluded.since, whole_at = excluded.whole_at, starts_at = excluded.starts_at,
            store_fields = excluded.store_fields, reread_at = excluded.reread_at`,
        [table.name, since, fullAt, startsAt, storeFields, rereadAt],
      )
      return removed
    })
  }

  async count(table: string): Promise<number> {
    const [row] = await this.#run(`select count(*) as rows from ${this.#at(table)}`)
    return Number(row?.rows)
  }

  async read(selection: RowSelection): Promise<StoredRow[]> {
    return readRows(this.#connection(), selection)
  }

  asStored(column: CopyColumn, value: unknown): unknown {
    return asPostgresStores(column, value)
  }

  async markSeen(table: string, ids: readonly string[]): Promise<void> {
    await markSeenIds(this.#connection(), table, ids)
  }

  async unseenIds(table: string, after: string | null, limit: number): Promise<string[]> {
    return readUnseenIds(this.#connection(), table, after, limit)
  }

  async changedFiles(): Promise<string[]> {
    return []
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {
    const session = this.#session
    this.#session = null
    this.#marksByTable.clear()
    this.#tablesWithWalk.clear()
    await session?.end()
  }

  async #lock(): Promise<void> {
    // The first three settings release the lock within two minutes if this machine disappears.
    const settings = [
      'tcp_keepalives_idle = 30',
      'tcp_keepalives_interval = 10',
      'client_connection_check_interval = 1000',
      // A page is small compared with its table. Without statistics, the server would scan the table for each page.
      'enable_seqscan = off',
      // A plan that the server cached for the empty table scans the table later. In a measurement, pages became slower.
      'plan_cache_mode = force_custom_plan',
      'synchronous_commit = off',
    ]
    const [row] = await this.#run(`select current_setting('server_encoding') as encoding`)
    if (row?.encoding !== 'UTF8')
      throw new CopyError(
        `the database of ${this.name} has the encoding ${row?.encoding}; use a database with the encoding UTF8`,
      )
    // Some servers lack some of these settings.
    for (const setting of settings) await this.#run(`set ${setting}`).catch(rethrowIfUnavailable)
    const until = Date.now() + LOCK_WAIT_MS
    while (!(await this.#tryLock())) {
      if (Date.now() >= until) throw new CopyBusyError(this.name)
      await wait(LOCK_PAUSE_MS)
    }
  }

  async #tryLock(): Promise<boolean> {
    const key = `hashtextextended('store-sync ' || current_database() || '.' || $1::text, 0)`
    const [row] = await this.#run(`select pg_try_advisory_lock(${key}) as locked`, [this.#schema])
    return row?.locked === true
  }

  /** Deletes the unfinished walk of a table and its marks. Sends no statement if there is none. */
  async #deleteWalk(table: string): Promise<void> {
    this.#marksByTable.delete(table)
    if (this.#tablesWithWalk.delete(table)) await deleteWalk(this.#connection(), table)
  }

  /**
   * Whether a full walk must mark the rows that it sees. A walk that started with empty tables needs no marks, because
   * they contain only rows of this walk. A resumed walk continues as it started.
   */
  async #needsMarks(table: CopyTable): Promise<boolean> {
    const known = this.#marksByTable.get(table.name)
    if (known !== undefined) return known
    const names = [table, ...table.children].map(({ name }) => `exists (select from ${this.#at(name)})`)
    const began = `(select marks from ${this.#at('_sync_unfinished')} where table_name = $1)`
    const [row] = await this.#run(`select coalesce(${began}, ${names.join(' or ')}) as marks`, [table.name])
    this.#marksByTable.set(table.name, row?.marks === true)
    return row?.marks === true
  }

  async #removeUnseen(table: CopyTable): Promise<number> {
    if (!(await this.#needsMarks(table))) return 0
    return removeUnseen(this.#connection(), table)
  }

  #run(text: string, values: (string | null)[] = []) {
    return this.#opened().run(text, values)
  }

  #opened(): PostgresSession {
    if (this.#session === null) throw new Error(`${this.name} is not open`)
    return this.#session
  }

  #connection(): SchemaConnection {
    return { session: this.#opened(), schema: this.#schema }
  }

  #at(table: string): string {
    return qualifiedName(this.#schema, table)
  }
}

/**
 * Returns the URL without its password and its query string, which can contain a password. Returns a phrase for an
 * invalid URL, because its parts are unknown.
 */
function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'the PostgreSQL database'
  const { username, host, pathname } = new URL(url)
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`
}

function rethrowIfUnavailable(error: unknown): void {
  if (error instanceof CopyUnavailableError) throw error
}
