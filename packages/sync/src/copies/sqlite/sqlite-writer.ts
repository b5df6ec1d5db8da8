// Writes the rows of one table and its children into a SQLite file, within a transaction of the caller. Statements are
// prepared once: a first run writes millions of rows.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { exactJsonText } from '../../exact-json.ts'
import type { ChildTable, ColumnKind, CopyColumn, CopyTable } from '../../tables.ts'
import type { CopyRow } from '../copy.ts'
import { indexesOf } from '../indexes.ts'
import { quoted } from '../quoted.ts'
import { digitsName } from './sqlite-decimals.ts'
import { keptMarks } from './sqlite-walks.ts'

/** Writes one table. */
export class SqliteWriter {
  readonly #database: DatabaseSync
  readonly #table: CopyTable
  readonly #insert: RowStatement
  readonly #replace: RowStatement
  readonly #mark: StatementSync
  readonly #children: readonly ChildWriter[]
  /** Whether the walk of the whole list that is under way marks what it meets; null before its first page here. */
  #marks: boolean | null = null

  /** The tables are there. */
  constructor(database: DatabaseSync, table: CopyTable) {
    this.#database = database
    this.#table = table
    this.#insert = new RowStatement(database, 'insert', table)
    this.#replace = new RowStatement(database, 'upsert', table)
    this.#mark = database.prepare('insert or ignore into _sync_seen (table_name, id) values (?, ?)')
    this.#children = table.children.map((child) => new ChildWriter(database, child))
  }

  /** Whether the walk of the whole list that is under way marks what it meets; null where there is none. */
  get marks(): boolean | null {
    return this.#marks
  }

  /** Another walk begins. */
  begin(): void {
    this.#marks = null
  }

  /** The rows of a page. */
  write(rows: readonly CopyRow[], isWhole: boolean): void {
    if (isWhole) this.#marks ??= this.#beginWhole()
    // into empty tables nothing comes that would have to go before
    const isFirst = isWhole && this.#marks === false
    for (const row of rows) {
      const isNew = this.#insert.run(row) > 0
      if (!isNew) this.#replace.run(row)
      if (isWhole && this.#marks) this.#mark.run(this.#table.name, String(row.id))
      for (const child of this.#children) child.replace(row, isFirst && isNew)
    }
  }

  /** Rows of which a walk of the whole list brings the ids alone. */
  meet(ids: readonly string[]): void {
    this.#marks ??= this.#beginWhole()
    if (this.#marks) for (const id of ids) this.#mark.run(this.#table.name, id)
  }

  /** Ends a walk of the whole list: removes what it has not met. How many rows that were. */
  removeUnseen(): number {
    const marks = this.#marks ?? this.#beginWhole()
    this.#marks = null
    // what was written into an empty table is what was met
    if (marks === false) {
      for (const each of [this.#table, ...this.#table.children]) createIndexes(this.#database, each)
      return 0
    }
    const { name, children, owned } = this.#table
    const unseen = 'id not in (select id from _sync_seen where table_name = ?)'
    for (const each of owned) {
      const gone = `${quoted(each.ownerColumn)} in (select id from ${quoted(name)} where ${unseen})`
      this.#database.prepare(`delete from ${quoted(each.name)} where ${gone}`).run(name)
    }
    const removed = this.#database.prepare(`delete from ${quoted(name)} where ${unseen}`).run(name).changes
    for (const child of children)
      this.#database.exec(
        `delete from ${quoted(child.name)} where not exists
          (select 1 from ${quoted(name)} as parent where parent.id = ${quoted(child.name)}.${quoted(child.parentColumn)})`,
      )
    return Number(removed)
  }

  /**
   * Whether a walk marks the rows that it sees: a continued walk does as it began. For empty tables the indexes are created at
   * its end: ids are random, and each row would change another page of each index. If the walk does not end, the next
   * opening of the file creates them.
   */
  #beginWhole(): boolean {
    const marks = keptMarks((text) => this.#database.prepare(text), this.#table.name) ?? !this.#isEmpty()
    for (const table of [this.#table, ...this.#table.children]) {
      if (marks) createIndexes(this.#database, table)
      else for (const { name } of indexesOf(table)) this.#database.exec(`drop index if exists ${quoted(name)}`)
    }
    return marks
  }

  #isEmpty(): boolean {
    const names = [this.#table, ...this.#table.children].map(({ name }) => name)
    return names.every((name) => this.#database.prepare(`select 1 from ${quoted(name)} limit 1`).get() === undefined)
  }
}

/** Writes the children of rows. */
class ChildWriter {
  readonly #field: string
  readonly #remove: StatementSync
  readonly #replace: RowStatement

  constructor(database: DatabaseSync, child: ChildTable) {
    this.#field = child.field
    this.#remove = database.prepare(`delete from ${quoted(child.name)} where ${quoted(child.parentColumn)} = ?`)
    this.#replace = new RowStatement(database, 'upsert', child)
  }

  /** Children of `parent` take the place of those that are there; where there are none, nothing need be looked for. */
  replace(parent: CopyRow, hasNone: boolean): void {
    if (!hasNone) this.#remove.run(String(parent.id))
    const children = parent[this.#field]
    if (Array.isArray(children)) for (const each of children) this.#replace.run(each)
  }
}

/** A statement that takes a whole row. */
class RowStatement {
  readonly #statement: StatementSync
  readonly #columns: readonly WrittenColumn[]
  readonly #values: SQLInputValue[]

  constructor(database: DatabaseSync, verb: 'insert' | 'upsert', table: Pick<CopyTable, 'name' | 'columns'>) {
    const written = table.columns.flatMap(writtenColumns)
    const names = written.map(({ name }) => quoted(name))
    const places = names.map(() => '?')
    // a column that a newer version added keeps its value: `insert or replace` would empty it
    const changes = names.map((name) => `${name} = excluded.${name}`)
    const end = verb === 'insert' ? 'do nothing' : `do update set ${changes.join(', ')}`
    this.#statement = database.prepare(
      `insert into ${quoted(table.name)} (${names.join(', ')}) values (${places.join(', ')}) on conflict (id) ${end}`,
    )
    this.#columns = written
    this.#values = written.map(() => null)
  }

  /** How many rows were written. */
  run(row: CopyRow): number {
    for (const [index, { field, input }] of this.#columns.entries()) {
      const value = row[field]
      this.#values[index] = value === null || value === undefined ? null : input(value)
    }
    return Number(this.#statement.run(...this.#values).changes)
  }
}

/** Creates the indexes of the table that are missing. */
export function createIndexes(database: DatabaseSync, table: Pick<CopyTable, 'name' | 'columns'>): void {
  for (const { name, columns } of indexesOf(table)) {
    const names = columns.map(quoted).join(', ')
    database.exec(`create index if not exists ${quoted(name)} on ${quoted(table.name)} (${names})`)
  }
}

/** A column that a row statement fills. */
interface WrittenColumn {
  readonly name: string
  /** Field of the row that its value comes from. */
  readonly field: string
  readonly input: (value: NonNullable<unknown>) => SQLInputValue
}

function writtenColumns(column: CopyColumn): WrittenColumn[] {
  const { name, kind } = column
  if (kind !== 'decimal') return [{ name, field: name, input: inputOf(kind) }]
  return [
    { name, field: name, input: Number },
    { name: digitsName(column), field: name, input: String },
  ]
}

function inputOf(kind: ColumnKind): WrittenColumn['input'] {
  if (kind === 'json') return (value) => exactJsonText(value)
  return (value) => {
    if (typeof value === 'boolean') return value ? 1 : 0
    return typeof value === 'number' && kind === 'integer' ? value : String(value)
  }
}
