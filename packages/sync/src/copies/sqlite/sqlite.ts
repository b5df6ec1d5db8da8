// A copy in a SQLite file. Decimals are numbers with their exact digits beside them (sqlite-decimals.ts), timestamps are
// texts that sort by time, and JSON is text. Every write is one transaction: a killed process leaves the last one whole.

import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { CopyColumn, CopyTable } from '../../tables.ts'
import {
  type Copy,
  CopyBusy,
  type CopyState,
  type KeptRow,
  type PageWrite,
  type RowSelection,
  type WalkEnd,
} from '../copy.ts'
import { quoted } from '../quoted.ts'
import { isBusy, sqliteProblem } from './sqlite-problem.ts'
import { asSqliteKeeps, markIds, peekState, readRows, readState, unmetIds } from './sqlite-reading.ts'
import { closeFile, lockNameOf, makeSchema, openFile, refuseOtherFile } from './sqlite-schema.ts'
import { type SqliteView, VIEWS } from './sqlite-views.ts'
import { forgetWalk, keepWalk } from './sqlite-walks.ts'
import { SqliteWriter } from './sqlite-writer.ts'

/** A copy in `file`, made where it is missing. */
export class SqliteCopy implements Copy {
  readonly name: string
  readonly #file: string
  /** The name, and the file where that is another: for messages about the file. */
  readonly #label: string
  readonly #views: readonly SqliteView[]
  readonly #statements = new Map<string, StatementSync>()
  readonly #writers = new Map<string, SqliteWriter>()
  #open: { readonly database: DatabaseSync; readonly lock: DatabaseSync } | null = null

  /** `name` is the copy's name in messages; the file by default. */
  constructor(file: string, name: string = file, views: readonly SqliteView[] = VIEWS) {
    // to SQLite `:memory:` and `file:…?mode=memory` would be no files
    this.#file = path.resolve(file)
    this.name = name
    this.#views = views
    this.#label = name === file ? name : `${name} (its ${path.basename(file)})`
  }

  async peek(): Promise<CopyState | null> {
    return this.#told(() => peekState(this.#file))
  }

  async open(tables: readonly CopyTable[]): Promise<CopyState> {
    return this.#told(() => {
      const lock = this.#lock()
      try {
        this.#open = { database: openFile(this.#file, this.#label), lock }
        const schema = { copy: this.#label, tables, views: this.#views }
        this.#transaction(() => makeSchema(this.#opened().database, schema))
        return readState((text) => this.#statement(text))
      } catch (error) {
        if (this.#open === null) lock.close()
        this.#close()
        throw error
      }
    })
  }

  async claim(storeId: string): Promise<void> {
    this.#told(() => this.#run('insert or replace into _sync_copy (one, store_id) values (1, ?)', [storeId]))
  }

  async write({ table, rows, isWhole, isFirst = false, unfinished = null, met = [] }: PageWrite): Promise<void> {
    this.#told(() =>
      this.#transaction(() => {
        const writer = this.#writer(table)
        if (isFirst) {
          writer.begin()
          forgetWalk((text) => this.#statement(text), table.name)
        }
        writer.write(rows, isWhole)
        if (met.length > 0) writer.meet(met)
        if (unfinished === null) return
        const marks = isWhole ? writer.marks : null
        keepWalk((text) => this.#statement(text), table.name, unfinished, marks)
      }),
    )
  }

  async end({ table, state, isWhole }: WalkEnd): Promise<number> {
    let removed = 0
    this.#told(() =>
      this.#transaction(() => {
        if (isWhole) removed = this.#writer(table).removeUnseen()
        forgetWalk((text) => this.#statement(text), table.name)
        const values = [table.name, state.since, state.wholeAt, state.startsAt]
        this.#run(
          'insert or replace into _sync_tables (table_name, since, whole_at, starts_at) values (?, ?, ?, ?)',
          values,
        )
      }),
    )
    return removed
  }

  async count(table: string): Promise<number> {
    const count = `select count(*) as rows from ${quoted(table)}`
    return this.#told(() => Number(this.#statement(count).get()?.rows))
  }

  async read(selection: RowSelection): Promise<KeptRow[]> {
    return this.#told(() => readRows((text) => this.#statement(text), selection))
  }

  asKept(column: CopyColumn, value: unknown): unknown {
    return asSqliteKeeps(column, value)
  }

  async mark(table: string, ids: readonly string[]): Promise<void> {
    this.#told(() => markIds(this.#opened().database, table, ids))
  }

  async unmet(table: string, after: string | null, most: number): Promise<string[]> {
    return this.#told(() => unmetIds(this.#opened().database, table, { after, most }))
  }

  async changedFiles(): Promise<string[]> {
    return []
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {
    this.#told(() => this.#close())
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

  /** Held by the operating system for as long as the process lives, however it ends. */
  #lock(): DatabaseSync {
    refuseOtherFile(this.#file, this.#label)
    mkdirSync(path.dirname(this.#file), { recursive: true })
    const lock = new DatabaseSync(lockNameOf(this.#file))
    try {
      lock.exec('begin exclusive')
      return lock
    } catch (error) {
      lock.close()
      if (isBusy(error)) throw new CopyBusy(this.name)
      throw error
    }
  }

  /** What `work` answers; what SQLite or the file system refuses is told with the copy's name. */
  #told<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw sqliteProblem(error, this.#label)
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
      // a full disk has rolled it back already
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
