// A copy in a SQLite file. Decimals and instants are texts, exact and in the order of their values; JSON is text.
// Every write is one transaction, so that a process that is killed leaves the last one whole.

import { realpathSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type ChildTable, type ColumnKind, type CopyColumn, type CopyTable, TABLE_NAMES } from '../tables.ts'
import {
  type Copy,
  CopyBusy,
  CopyProblem,
  type CopyRow,
  type CopyState,
  type PageWrite,
  type TableState,
  type WalkEnd,
} from './copy.ts'
import { VIEWS } from './sqlite-views.ts'

const TYPES: Readonly<Record<ColumnKind, string>> = {
  uuid: 'text',
  text: 'text',
  integer: 'integer',
  boolean: 'integer',
  decimal: 'text',
  timestamp: 'text',
  json: 'text',
}
const BUSY = 5
/** How long a write waits for somebody who reads or writes the file with another program. */
const WAIT_MS = 5000

/** A copy in `file`, made where it is missing. */
export class SqliteCopy implements Copy {
  readonly name: string
  readonly #file: string
  readonly #statements = new Map<string, StatementSync>()
  #open: { readonly database: DatabaseSync; readonly lock: DatabaseSync } | null = null

  constructor(file: string) {
    this.#file = file
    this.name = file
  }

  async open(tables: readonly CopyTable[]): Promise<CopyState> {
    const lock = this.#lock()
    try {
      const database = new DatabaseSync(this.#file, { timeout: WAIT_MS })
      this.#open = { database, lock }
      return this.#prepare(database, tables)
    } catch (error) {
      if (this.#open === null) lock.close()
      await this.close()
      throw error
    }
  }

  #prepare(database: DatabaseSync, tables: readonly CopyTable[]): CopyState {
    refuseForeign(database, this.name)
    database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = off')
    this.#transaction(() => {
      database.exec(STATE)
      for (const table of tables) {
        const isWider = [table, ...table.children].map((each) => this.#makeTable(each)).some(Boolean)
        // what was read before lacks the new columns: the next walk of the whole list fills them
        if (isWider) this.#run('update _sync_tables set since = null where table_name = ?', [table.name])
      }
      database.exec('delete from _sync_seen')
      for (const view of VIEWS) database.exec(view)
    })
    return this.#state()
  }

  async claim(storeId: string): Promise<void> {
    this.#run('insert or replace into _sync_copy (one, store_id) values (1, ?)', [storeId])
  }

  async write({ table, rows, isWhole }: PageWrite): Promise<void> {
    this.#transaction(() => {
      for (const row of rows) {
        this.#upsert(table, row)
        if (isWhole)
          this.#run('insert or ignore into _sync_seen (table_name, id) values (?, ?)', [table.name, String(row.id)])
        for (const child of table.children) this.#replaceChildren(child, row)
      }
    })
  }

  async end({ table, state, isWhole }: WalkEnd): Promise<number> {
    let removed = 0
    this.#transaction(() => {
      if (isWhole) removed = this.#removeUnseen(table)
      this.#run('delete from _sync_seen where table_name = ?', [table.name])
      const values = [table.name, state.since, state.wholeAt]
      this.#run('insert or replace into _sync_tables (table_name, since, whole_at) values (?, ?, ?)', values)
    })
    return removed
  }

  async count(table: string): Promise<number> {
    return Number(this.#statement(`select count(*) as rows from ${quoted(table)}`).get()?.rows)
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {
    this.#statements.clear()
    this.#open?.database.close()
    this.#open?.lock.close()
    this.#open = null
  }

  /** Held by the operating system for as long as the process lives, however it ends. */
  #lock(): DatabaseSync {
    const lock = new DatabaseSync(`${realPath(this.#file)}-run`)
    try {
      lock.exec('begin exclusive')
      return lock
    } catch (error) {
      lock.close()
      if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) throw new CopyBusy(this.name)
      throw error
    }
  }

  #state(): CopyState {
    const copy = this.#statement('select store_id from _sync_copy').get()
    const rows = this.#statement('select table_name, since, whole_at from _sync_tables').all()
    const tables = rows.map(({ table_name: name, since, whole_at: wholeAt }): [string, TableState] => [
      String(name),
      { since: textOrNull(since), wholeAt: textOrNull(wholeAt) },
    ])
    return { storeId: textOrNull(copy?.store_id), tables: new Map(tables) }
  }

  /** A column that the contract has and the table lacks is added; whether there was one. */
  #makeTable({ name, columns, ...rest }: CopyTable | ChildTable): boolean {
    const { database } = this.#opened()
    const declared = columns.map(
      (column) => `${quoted(column.name)} ${TYPES[column.kind]}${column.name === 'id' ? ' primary key' : ''}`,
    )
    database.exec(`create table if not exists ${quoted(name)} (${declared.join(', ')}) strict`)
    const present = new Set(
      database
        .prepare('select name from pragma_table_info(?)')
        .all(name)
        .map((row) => String(row.name)),
    )
    const added = columns.filter((each) => !present.has(each.name))
    for (const column of added) {
      database.exec(`alter table ${quoted(name)} add column ${quoted(column.name)} ${TYPES[column.kind]}`)
    }
    if ('parentColumn' in rest) {
      const index = quoted(`${name}_${rest.parentColumn}`)
      database.exec(`create index if not exists ${index} on ${quoted(name)} (${quoted(rest.parentColumn)})`)
    }
    return added.length > 0
  }

  #upsert({ name, columns }: Pick<CopyTable, 'name' | 'columns'>, row: CopyRow): void {
    const names = columns.map((column) => quoted(column.name)).join(', ')
    const places = columns.map(() => '?').join(', ')
    const values = columns.map((column) => inputOf(column, row[column.name]))
    this.#run(`insert or replace into ${quoted(name)} (${names}) values (${places})`, values)
  }

  #replaceChildren(child: ChildTable, row: CopyRow): void {
    this.#run(`delete from ${quoted(child.name)} where ${quoted(child.parentColumn)} = ?`, [String(row.id)])
    const children = row[child.field]
    for (const each of Array.isArray(children) ? children : []) this.#upsert(child, each)
  }

  #removeUnseen({ name, children }: CopyTable): number {
    const gone = `select id from ${quoted(name)} where id not in (select id from _sync_seen where table_name = ?)`
    for (const child of children) {
      this.#run(`delete from ${quoted(child.name)} where ${quoted(child.parentColumn)} in (${gone})`, [name])
    }
    return this.#run(`delete from ${quoted(name)} where id in (${gone})`, [name])
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

const STATE = `
create table if not exists _sync_copy (one integer primary key check (one = 1), store_id text not null) strict;
create table if not exists _sync_tables (table_name text primary key, since text, whole_at text) strict;
create table if not exists _sync_seen (table_name text, id text, primary key (table_name, id)) strict, without rowid`

/** A file with tables of these names that is no copy is somebody else's: its rows would be removed. */
function refuseForeign(database: DatabaseSync, name: string): void {
  const objects = database.prepare("select name from sqlite_schema where type in ('table', 'view')").all()
  const present = objects.map((row) => String(row.name))
  const ours = [...TABLE_NAMES, 'orders_overview', 'order_lines']
  const foreign = present.find((each) => ours.includes(each))
  if (foreign !== undefined && !present.includes('_sync_copy'))
    throw new CopyProblem(`${name} has a table ${foreign} and is no copy of a store: give another file`)
}

/** One file has one lock, by whichever name it is called. */
function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return path.join(realpathSync(path.dirname(path.resolve(file))), path.basename(file))
  }
}

function inputOf({ kind }: CopyColumn, value: unknown): SQLInputValue {
  if (value === null || value === undefined) return null
  if (kind === 'json') return JSON.stringify(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' && kind === 'integer' ? value : String(value)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
