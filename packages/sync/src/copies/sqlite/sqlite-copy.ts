// Writes a copy to a SQLite file. Decimals are numbers with their exact digits in a second column (sqlite-decimals.ts).
// Timestamps are strings that sort by time, and JSON is text. Each page is one transaction, so a killed run leaves only
// complete pages.

import path from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { CopyColumn, CopyTable } from '../../tables.ts'
import type { Copy, CopyState, PageWrite, RowSelection, StoredRow, WalkEnd } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { type FileSignature, requireDatabaseFile } from '../require-database-file.ts'
import { lockFile } from './lock-file.ts'
import { asSqliteStores, markSeenIds, peekState, readRows, readState, readUnseenIds } from './sqlite-reader.ts'
import { closeFile, createSchema, openFile } from './sqlite-schema.ts'
import { type SqliteView, VIEWS } from './sqlite-views.ts'
import { deleteWalk, saveWalk } from './sqlite-walks.ts'
import { SqliteWriter } from './sqlite-writer.ts'
import { translateSqliteError } from './translate-sqlite-error.ts'

/** First bytes of every SQLite file that is not empty. */
const SQLITE_FILE: FileSignature = { format: 'SQLite', bytes: 'SQLite format 3\0', offset: 0, canBeEmpty: true }

/** A copy in a SQLite file. `open` creates a missing file. */
export class SqliteCopy implements Copy {
  readonly name: string
  readonly #file: string
  /** The name and, if it differs, the file, for messages about the file. */
  readonly #label: string
  readonly #views: readonly SqliteView[]
  readonly #statements = new Map<string, StatementSync>()
  readonly #writers = new Map<string, SqliteWriter>()
  #open: { readonly database: DatabaseSync; readonly lock: DatabaseSync } | null = null

  /** `name` is the copy's name in messages. `open` drops these `views` and creates them again. */
  constructor(file: string, name: string = file, views: readonly SqliteView[] = VIEWS) {
    // The path is absolute, because SQLite creates no file for the names `:memory:` and `file:…?mode=memory`.
    this.#file = path.resolve(file)
    this.name = name
    this.#views = views
    this.#label = name === file ? name : `${name} (its ${path.basename(file)})`
  }

  async peek(): Promise<CopyState | null> {
    return this.#translateErrors(() => peekState(this.#file))
  }

  async open(tables: readonly CopyTable[]): Promise<CopyState> {
    return this.#translateErrors(() => {
      const lock = this.#lock()
      try {
        this.#open = { database: openFile(this.#file, this.#label), lock }
        const schema = { copy: this.#label, tables, views: this.#views }
        this.#transaction(() => createSchema(this.#opened().database, schema))
        return readState((text) => this.#statement(text))
      } catch (error) {
        // `#close` also closes the lock of an open file.
        if (this.#open === null) lock.close()
        this.#close()
        throw error
      }
    })
  }

  async claim(storeId: string): Promise<void> {
    this.#translateErrors(() => this.#run('insert or replace into _sync_copy (one, store_id) values (1, ?)', [storeId]))
  }

  async write({ table, rows, isFull, isFirst = false, unfinished = null, seenIds = [] }: PageWrite): Promise<void> {
    this.#translateErrors(() =>
      this.#transaction(() => {
        const writer = this.#writer(table)
        if (isFirst) {
          writer.startWalk()
          deleteWalk((text) => this.#statement(text), table.name)
        }
        writer.write(rows, isFull)
        if (seenIds.length > 0) writer.markSeen(seenIds)
        if (unfinished === null) return
        const marks = isFull ? writer.marks : null
        saveWalk((text) => this.#statement(text), table.name, unfinished, marks)
      }),
    )
  }

  async end({ table, state, isFull }: WalkEnd): Promise<number> {
    let removed = 0
    this.#translateErrors(() =>
      this.#transaction(() => {
        if (isFull) removed = this.#writer(table).removeUnseen()
        deleteWalk((text) => this.#statement(text), table.name)
        const { since, fullAt, startsAt, storeFields, rereadAt } = state
        this.#run(
          `insert or replace into _sync_tables (table_name, since, whole_at, starts_at, store_fields, reread_at)
          values (?, ?, ?, ?, ?, ?)`,
          [table.name, since, fullAt, startsAt, storeFields, rereadAt],
        )
      }),
    )
    return removed
  }

  async count(table: string): Promise<number> {
    const count = `select count(*) as rows from ${quoteIdentifier(table)}`
    return this.#translateErrors(() => Number(this.#statement(count).get()?.rows))
  }

  async read(selection: RowSelection): Promise<StoredRow[]> {
    return this.#translateErrors(() => readRows((text) => this.#statement(text), selection))
  }

  asStored(column: CopyColumn, value: unknown): unknown {
    return asSqliteStores(column, value)
  }

  async markSeen(table: string, ids: readonly string[]): Promise<void> {
    this.#translateErrors(() => markSeenIds(this.#opened().database, table, ids))
  }

  async unseenIds(table: string, after: string | null, limit: number): Promise<string[]> {
    return this.#translateErrors(() => readUnseenIds(this.#opened().database, table, after, limit))
  }

  async changedFiles(): Promise<string[]> {
    return []
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {
    this.#translateErrors(() => this.#close())
  }

  #close(): void {
    this.#statements.clear()
    this.#writers.clear()
    const open = this.#open
    this.#open = null
    if (open === null) return
    try {
      closeFile(open.database)
    } finally {
      open.lock.close()
    }
  }

  #lock(): DatabaseSync {
    requireDatabaseFile(this.#file, this.#label, SQLITE_FILE)
    return lockFile(this.#file, this.name)
  }

  /** Runs `work`. Throws errors of SQLite and of the file system with messages that have the copy's name. */
  #translateErrors<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw translateSqliteError(error, this.#label)
    }
  }

  #writer(table: CopyTable): SqliteWriter {
    const known = this.#writers.get(table.name)
    if (known !== undefined) return known
    const writer = new SqliteWriter(this.#opened().database, table)
    this.#writers.set(table.name, writer)
    return writer
  }

  #transaction(work: () => void): void {
    const { database } = this.#opened()
    database.exec('begin immediate')
    try {
      work()
      database.exec('commit')
    } catch (error) {
      // After an error such as a full disk, SQLite has already rolled back.
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }

  #run(text: string, values: SQLInputValue[]): number {
    return Number(this.#statement(text).run(...values).changes)
  }

  #statement(text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const statement = this.#opened().database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }

  #opened() {
    if (this.#open === null) throw new Error(`${this.name} is not open`)
    return this.#open
  }
}
