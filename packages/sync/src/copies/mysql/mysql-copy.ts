// Writes a copy to a database of MySQL or MariaDB. Each page is one transaction, so a killed run leaves only complete
// pages. The lock of a run belongs to its connection and ends with it.

import type { ChildTable, CopyColumn, CopyTable } from '../../tables.ts'
import {
  type Copy,
  CopyBusyError,
  type CopyRow,
  type CopyState,
  NEW_COPY,
  type PageWrite,
  type RowSelection,
  type StoredRow,
  type WalkEnd,
} from '../copy.ts'
import { childrenOf, lastRowsById } from '../page-rows.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { loadMySql, type MySqlDriver } from './load-mysql.ts'
import { markSeenIds, readRows, readState, readUnseenIds } from './mysql-reader.ts'
import { createSchema } from './mysql-schema.ts'
import { MySqlSession } from './mysql-session.ts'
import { type MySqlAddress, parseMySqlUrl } from './mysql-url.ts'
import { asMySqlStores, storedColumns, valuesOf } from './mysql-values.ts'
import { deleteWalk, markWalkSeen, needsMarks, removeUnseen, saveWalk } from './mysql-walks.ts'

/** Time to wait for the lock. After a run was killed, the server ends its connection and its lock a moment later. */
const LOCK_WAIT_SECONDS = 2
/**
 * A statement gets no more rows when its values have this many characters. A server rejects statements longer than its
 * `max_allowed_packet`, which is 16 MiB or more by default.
 */
const STATEMENT_CHARACTERS = 1 << 20

/** A copy in a database of MySQL or MariaDB. The database must exist. */
export class MySqlCopy implements Copy {
  readonly name: string
  readonly #address: MySqlAddress
  readonly #load: () => Promise<MySqlDriver>
  #session: MySqlSession | null = null
  /** Results of `needsMarks` by table, because the first page of a walk changes the result. */
  readonly #marksByTable = new Map<string, boolean>()

  /** `load` returns the driver. Throws `CopyError` if the URL is invalid. */
  constructor(url: string, load: () => Promise<MySqlDriver> = loadMySql) {
    this.#address = parseMySqlUrl(url)
    this.name = this.#address.name
    this.#load = load
  }

  async peek(): Promise<CopyState | null> {
    const session = await MySqlSession.open(await this.#load(), this.#address)
    try {
      return await readState(session)
    } finally {
      await session.end()
    }
  }

  async open(tables: readonly CopyTable[]): Promise<CopyState> {
    const session = await MySqlSession.open(await this.#load(), this.#address)
    this.#session = session
    try {
      // The name of a lock has at most 64 characters. A database can have as long a name, so the lock has its digest.
      const { rows } = await session.run(`select get_lock(concat('store-sync ', md5(database())), ?) as locked`, [
        LOCK_WAIT_SECONDS,
      ])
      if (Number(rows[0]?.locked) !== 1) throw new CopyBusyError(this.name)
      await createSchema(session, this.name, tables)
      return (await readState(session)) ?? NEW_COPY
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async claim(storeId: string): Promise<void> {
    await this.#opened().run('replace into _sync_copy (one, store_id) values (1, ?)', [storeId])
  }

  async write({ table, rows, isFull, isFirst = false, unfinished = null, seenIds = [] }: PageWrite): Promise<void> {
    const session = this.#opened()
    const parents = lastRowsById(rows)
    await session.transaction(async () => {
      if (isFirst) await this.#deleteWalk(table.name)
      const marks = isFull && (await this.#needsMarks(table))
      if (parents.length > 0) await this.#writeRows(table, parents)
      const seen = [...seenIds, ...parents.map((row) => String(row.id))]
      if (marks && seen.length > 0) await markWalkSeen(session, table.name, seen)
      if (unfinished !== null) await saveWalk(session, table.name, unfinished, isFull ? marks : null)
    })
  }

  async end({ table, state, isFull }: WalkEnd): Promise<number> {
    const session = this.#opened()
    return session.transaction(async () => {
      const removed = isFull && (await this.#needsMarks(table)) ? await removeUnseen(session, table) : 0
      await this.#deleteWalk(table.name)
      const { since, fullAt, startsAt, storeFields, rereadAt } = state
      await session.run(
        `replace into _sync_tables (table_name, since, whole_at, starts_at, store_fields, reread_at)
        values (?, ?, ?, ?, ?, ?)`,
        [table.name, since, fullAt, startsAt, storeFields, rereadAt],
      )
      return removed
    })
  }

  async count(table: string): Promise<number> {
    const { rows } = await this.#opened().run(`select count(*) as count from ${quoteIdentifier(table)}`)
    return Number(rows[0]?.count)
  }

  async read(selection: RowSelection): Promise<StoredRow[]> {
    return readRows(this.#opened(), selection)
  }

  asStored(column: CopyColumn, value: unknown): unknown {
    return asMySqlStores(column, value)
  }

  async markSeen(table: string, ids: readonly string[]): Promise<void> {
    await markSeenIds(this.#opened(), table, ids)
  }

  async unseenIds(table: string, after: string | null, limit: number): Promise<string[]> {
    return readUnseenIds(this.#opened(), table, after, limit)
  }

  async changedFiles(): Promise<string[]> {
    return []
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {
    const session = this.#session
    this.#session = null
    this.#marksByTable.clear()
    await session?.end()
  }

  async #writeRows(table: CopyTable, parents: readonly CopyRow[]): Promise<void> {
    await this.#upsert(table, parents)
    // The tables contain IDs in lower case, and their collation distinguishes case.
    const ids = parents.map((row) => String(row.id).toLowerCase())
    for (const child of table.children) {
      const children = childrenOf(parents, child)
      await this.#opened().run(
        `delete from ${quoteIdentifier(child.name)} where ${quoteIdentifier(child.parentColumn)} in (?)`,
        [ids],
      )
      await this.#upsert(child, children)
    }
  }

  /** Inserts rows or updates rows with the same IDs. Columns outside of the contract retain their values. */
  async #upsert({ name, columns }: CopyTable | ChildTable, rows: readonly CopyRow[]): Promise<void> {
    const stored = columns.flatMap(storedColumns)
    const names = stored.map((column) => quoteIdentifier(column.name))
    // MySQL prefers an alias of the new row over `values()`, but MariaDB has no such alias.
    const changes = names.map((column) => `${column} = values(${column})`)
    const statement = `insert into ${quoteIdentifier(name)} (${names.join(', ')}) values ?
      on duplicate key update ${changes.join(', ')}`
    let batch: (string | null)[][] = []
    let characters = 0
    for (const row of rows) {
      const values = valuesOf(this.name, stored, row)
      batch.push(values)
      // A null is the four letters of NULL in the statement.
      characters += values.reduce((sum, value) => sum + (value?.length ?? 4), 0)
      if (characters < STATEMENT_CHARACTERS) continue
      await this.#opened().run(statement, [batch])
      batch = []
      characters = 0
    }
    if (batch.length > 0) await this.#opened().run(statement, [batch])
  }

  async #deleteWalk(table: string): Promise<void> {
    this.#marksByTable.delete(table)
    await deleteWalk(this.#opened(), table)
  }

  async #needsMarks(table: CopyTable): Promise<boolean> {
    const known = this.#marksByTable.get(table.name)
    if (known !== undefined) return known
    const marks = await needsMarks(this.#opened(), table)
    this.#marksByTable.set(table.name, marks)
    return marks
  }

  #opened(): MySqlSession {
    if (this.#session === null) throw new Error(`${this.name} is not open`)
    return this.#session
  }
}
