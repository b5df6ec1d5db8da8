// Writes the rows of one table and its embedded tables to a SQLite file. The caller provides the transaction. A writer
// prepares its statements once, because a first run can write millions of rows. Values of `marks` in a full walk:
//
// - null: the walk has had no page in this run.
// - true: the tables had rows. Each row that the walk returns is marked as seen, and its end removes the others.
// - false: the tables were empty. They contain only rows of this walk, so nothing is marked or removed. Their indexes
//   are created at the end: IDs are random, so each row would otherwise change another page of each index. If the walk
//   does not end, the next `open` creates them.
//
// A resumed walk continues as it started, because it saves `marks`.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { exactJsonText } from '../../exact-json.ts'
import type { ChildTable, CopyColumn, CopyColumnKind, CopyTable } from '../../tables.ts'
import type { CopyRow } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { tableIndexes } from '../table-indexes.ts'
import { digitsName } from './sqlite-decimals.ts'
import { readWalkMarks } from './sqlite-walks.ts'

/** Writes one table and its embedded tables. `SqliteCopy` has a writer for each table until it is closed. */
export class SqliteWriter {
  readonly #database: DatabaseSync
  readonly #table: CopyTable
  readonly #insert: RowStatement
  readonly #replace: RowStatement
  readonly #mark: StatementSync
  readonly #children: readonly ChildWriter[]
  #marks: boolean | null = null

  /** Prepares the statements, so the tables must exist. */
  constructor(database: DatabaseSync, table: CopyTable) {
    this.#database = database
    this.#table = table
    this.#insert = new RowStatement(database, 'insert', table)
    this.#replace = new RowStatement(database, 'upsert', table)
    this.#mark = database.prepare('insert or ignore into _sync_seen (table_name, id) values (?, ?)')
    this.#children = table.children.map((child) => new ChildWriter(database, child))
  }

  /** Whether the current full walk marks rows; null before its first page in this run. */
  get marks(): boolean | null {
    return this.#marks
  }

  /** Forgets `marks` of the previous walk. Must be called before the first page of a new walk. */
  startWalk(): void {
    this.#marks = null
  }

  /**
   * Writes the rows of a page. If `isFull` and the walk marks rows, also marks them. `isFull` is whether the page is
   * from a full walk.
   */
  write(rows: readonly CopyRow[], isFull: boolean): void {
    if (isFull) this.#marks ??= this.#startFullWalk()
    // If the tables were empty before the walk, a new row has no embedded rows to remove.
    const wereEmpty = isFull && this.#marks === false
    for (const row of rows) {
      // An insert that does nothing shows that the row exists, without another query.
      const isNew = this.#insert.run(row) > 0
      if (!isNew) this.#replace.run(row)
      if (isFull && this.#marks) this.#mark.run(this.#table.name, String(row.id))
      for (const child of this.#children) child.replace(row, wereEmpty && isNew)
    }
  }

  /** Marks rows that a full walk of IDs has seen. */
  markSeen(ids: readonly string[]): void {
    this.#marks ??= this.#startFullWalk()
    if (this.#marks) for (const id of ids) this.#mark.run(this.#table.name, id)
  }

  /**
   * Ends a full walk: removes unseen rows with their embedded and owned rows, or creates the indexes of a new table.
   * Returns the number of removed rows of the table itself. The caller deletes the marks.
   */
  removeUnseen(): number {
    // A resumed walk can end without a page, if the run before it wrote all pages.
    const marks = this.#marks ?? this.#startFullWalk()
    this.#marks = null
    if (marks === false) {
      for (const each of [this.#table, ...this.#table.children]) createIndexes(this.#database, each)
      return 0
    }
    const { name, children, owned } = this.#table
    const unseen = 'id not in (select id from _sync_seen where table_name = ?)'
    // Owned rows come first, because they are found by their owners.
    for (const each of owned) {
      const isOwnedByUnseen = `${quoteIdentifier(each.ownerColumn)} in (select id from ${quoteIdentifier(name)} where ${unseen})`
      this.#database.prepare(`delete from ${quoteIdentifier(each.name)} where ${isOwnedByUnseen}`).run(name)
    }
    const removed = this.#database.prepare(`delete from ${quoteIdentifier(name)} where ${unseen}`).run(name).changes
    for (const child of children)
      this.#database.exec(
        `delete from ${quoteIdentifier(child.name)} where not exists
          (select 1 from ${quoteIdentifier(name)} as parent where parent.id = ${quoteIdentifier(child.name)}.${quoteIdentifier(child.parentColumn)})`,
      )
    return Number(removed)
  }

  /**
   * Returns whether the walk marks rows. If it does, creates missing indexes. Otherwise, drops all indexes, also those
   * that `open` has created before a resumed walk.
   */
  #startFullWalk(): boolean {
    const marks = readWalkMarks((text) => this.#database.prepare(text), this.#table.name) ?? !this.#isEmpty()
    for (const table of [this.#table, ...this.#table.children]) {
      if (marks) createIndexes(this.#database, table)
      else
        for (const { name } of tableIndexes(table)) this.#database.exec(`drop index if exists ${quoteIdentifier(name)}`)
    }
    return marks
  }

  #isEmpty(): boolean {
    const names = [this.#table, ...this.#table.children].map(({ name }) => name)
    return names.every(
      (name) => this.#database.prepare(`select 1 from ${quoteIdentifier(name)} limit 1`).get() === undefined,
    )
  }
}

class ChildWriter {
  readonly #field: string
  readonly #remove: StatementSync
  readonly #replace: RowStatement

  constructor(database: DatabaseSync, child: ChildTable) {
    this.#field = child.field
    this.#remove = database.prepare(
      `delete from ${quoteIdentifier(child.name)} where ${quoteIdentifier(child.parentColumn)} = ?`,
    )
    this.#replace = new RowStatement(database, 'upsert', child)
  }

  /** Replaces the embedded rows of `parent`. `hasNone` is whether the table has no rows of this parent yet. */
  replace(parent: CopyRow, hasNone: boolean): void {
    if (!hasNone) this.#remove.run(String(parent.id))
    const children = parent[this.#field]
    if (Array.isArray(children)) for (const each of children) this.#replace.run(each)
  }
}

class RowStatement {
  readonly #statement: StatementSync
  readonly #columns: readonly WrittenColumn[]
  /** Values of the current row. All rows use the same array, because a run can write millions of rows. */
  readonly #values: SQLInputValue[]

  constructor(database: DatabaseSync, verb: 'insert' | 'upsert', table: Pick<CopyTable, 'name' | 'columns'>) {
    const written = table.columns.flatMap(writtenColumns)
    const names = written.map(({ name }) => quoteIdentifier(name))
    const places = names.map(() => '?')
    // Unlike `insert or replace`, this preserves the values of columns that a newer version added.
    const changes = names.map((name) => `${name} = excluded.${name}`)
    const end = verb === 'insert' ? 'do nothing' : `do update set ${changes.join(', ')}`
    this.#statement = database.prepare(
      `insert into ${quoteIdentifier(table.name)} (${names.join(', ')}) values (${places.join(', ')}) on conflict (id) ${end}`,
    )
    this.#columns = written
    this.#values = written.map(() => null)
  }

  /** Returns the number of rows written: 1, or 0 if `insert` finds a row with the same ID. */
  run(row: CopyRow): number {
    for (const [index, { field, input }] of this.#columns.entries()) {
      const value = row[field]
      this.#values[index] = value === null || value === undefined ? null : input(value)
    }
    return Number(this.#statement.run(...this.#values).changes)
  }
}

/** Creates the missing indexes of `tableIndexes`. */
export function createIndexes(database: DatabaseSync, table: Pick<CopyTable, 'name' | 'columns'>): void {
  for (const { name, columns } of tableIndexes(table)) {
    const names = columns.map(quoteIdentifier).join(', ')
    database.exec(`create index if not exists ${quoteIdentifier(name)} on ${quoteIdentifier(table.name)} (${names})`)
  }
}

interface WrittenColumn {
  readonly name: string
  /** Field of the row that has the value of the column. */
  readonly field: string
  readonly input: (value: NonNullable<unknown>) => SQLInputValue
}

function writtenColumns(column: CopyColumn): WrittenColumn[] {
  const { name, kind } = column
  if (kind !== 'decimal') return [{ name, field: name, input: inputOf(kind) }]
  return [
    // A number for computing, and the digits that the service sent.
    { name, field: name, input: Number },
    { name: digitsName(column), field: name, input: String },
  ]
}

function inputOf(kind: CopyColumnKind): WrittenColumn['input'] {
  if (kind === 'json') return (value) => exactJsonText(value)
  return (value) => {
    if (typeof value === 'boolean') return value ? 1 : 0
    return typeof value === 'number' && kind === 'integer' ? value : String(value)
  }
}
