// The tables and views of a copy of files, read from its SQLite file: their columns, their rows, and a digest that tells
// whether they are what they were.

import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type ColumnKind, TABLE_NAMES, TABLES } from '../../tables.ts'
import { quoted } from '../quoted.ts'
import { digitsName } from '../sqlite/sqlite-decimals.ts'

/** Type of a cell's value. Decimals and timestamps are strings, exactly as the service sent them. */
export type Cell = string | number | boolean | null

/** A column of a file. */
export interface FileColumn {
  readonly name: string
  readonly kind: ColumnKind
  /** Whether it is a decimal with exactly two digits after the point. */
  readonly isMoney: boolean
}

/** A table to be written; its rows can be walked again when a walk has ended. */
export interface FileTable {
  readonly name: string
  readonly columns: readonly FileColumn[]
  readonly rows: Iterable<Cell[]>
}

/** Views that people open first, and the tables that their columns are of. */
const FIRST: ReadonlyMap<string, readonly string[]> = new Map([
  ['orders_overview', ['orders']],
  ['order_lines', ['order_items', 'orders', 'products']],
])
/** Columns that a view computes, if they are not text. */
const MADE: ReadonlyMap<string, FileColumn> = new Map(
  [
    { name: 'lines', kind: 'integer', isMoney: false } as const,
    { name: 'line_total', kind: 'decimal', isMoney: true } as const,
  ].map((column) => [column.name, column]),
)
/** Counts up when a cell is written in another way, so that the next run writes every file anew. */
const FORMAT = 3
/** So few that the text of them is small garbage. */
const DIGEST_ROWS = 16

/** Names of what is written, in the order in which people meet it. */
export const FILE_NAMES: readonly string[] = [...FIRST.keys(), ...TABLE_NAMES]

/** Table whose walk brings the rows of a file: its own, its parent's, or orders for what is opened first. */
const BROUGHT_BY: ReadonlyMap<string, string> = new Map([
  ...[...FIRST.keys()].map((view): [string, string] => [view, 'orders']),
  ...TABLES.flatMap(({ name, children }) =>
    [name, ...children.map((child) => child.name)].map((each): [string, string] => [each, name]),
  ),
])

/** Names of what this copy has: a table that no run was asked for has no file, and no empty one. */
function namesOf(database: DatabaseSync): string[] {
  const rows = database.prepare('select table_name from _sync_tables').all()
  const walked = new Set(rows.map((row) => String(row.table_name)))
  const isHere = (table: string) =>
    walked.has(table) || database.prepare(`select 1 from "${table}" limit 1`).get() !== undefined
  return FILE_NAMES.filter((name) => isHere(BROUGHT_BY.get(name) ?? name))
}

const COLUMNS: ReadonlyMap<string, readonly FileColumn[]> = new Map(
  TABLES.flatMap((table) => [table, ...table.children]).map(({ name, columns }) => [
    name,
    columns.map((column) => ({ name: column.name, kind: column.kind, isMoney: column.isMoney })),
  ]),
)

/** The tables and views of these names, in their order. */
export function* tablesOf(database: DatabaseSync, names: readonly string[]): Iterable<FileTable> {
  for (const name of names) {
    const statement = selectOf(database, name)
    const columns = COLUMNS.get(name) ?? statement.columns().map((column) => viewColumn(name, column.name))
    yield { name, columns, rows: { [Symbol.iterator]: () => rowsOf(statement, columns) } }
  }
}

/**
 * A digest of what each file is made of, by the name of its table. `known` are digests of the last time: of tables that
 * `isTouched` denies they are taken as they are. A view changes with any table.
 */
export function digestsOf(
  database: DatabaseSync,
  known: ReadonlyMap<string, string>,
  isTouched: (table: string) => boolean,
): Map<string, string> {
  const names = new Set(namesOf(database))
  const digests = new Map<string, string>()
  for (const name of TABLE_NAMES.filter((each) => names.has(each))) {
    const shape = shapeOf(name)
    const last = known.get(name)
    const isKnown = last?.startsWith(`${shape} `) === true && !isTouched(name)
    digests.set(name, isKnown ? last : `${shape} ${digestOf(database, name)}`)
  }
  const tables = JSON.stringify([...digests])
  const viewText = database.prepare("select sql from sqlite_schema where type = 'view' and name = ?")
  for (const name of [...FIRST.keys()].filter((each) => names.has(each))) {
    const text = `${FORMAT} ${viewText.get(name)?.sql} ${tables}`
    digests.set(name, createHash('sha256').update(text).digest('base64'))
  }
  return digests
}

/** How a table is written, whatever its rows are: a version that writes it in another way takes no old digest as it is. */
function shapeOf(table: string): string {
  return createHash('sha256')
    .update(`${FORMAT} ${JSON.stringify(COLUMNS.get(table))}`)
    .digest('base64')
}

function digestOf(database: DatabaseSync, table: string): string {
  const hash = createHash('sha256')
  const rows = arraysOf(selectOf(database, table))
  for (const some of pagesOf(rows, DIGEST_ROWS)) hash.update(JSON.stringify(some))
  return hash.digest('base64')
}

/** Some rows at a time: one by one costs a call each. */
export function* pagesOf<Row>(rows: Iterable<Row>, pageRows: number): Iterable<Row[]> {
  let page: Row[] = []
  for (const row of rows) {
    page.push(row)
    if (page.length < pageRows) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** A view has its own order; a table's is that of creation, the same in every run, so that two files can be compared. */
function selectOf(database: DatabaseSync, name: string): StatementSync {
  const columns = COLUMNS.get(name)
  if (columns === undefined) return database.prepare(`select * from "${name}"`)
  const order = columns.some((column) => column.name === 'created_at') ? 'created_at, id' : 'id'
  return database.prepare(`select ${columns.map(sentDigits)} from "${name}" order by ${order}`)
}

function sentDigits({ name, kind }: FileColumn): string {
  return kind === 'decimal' ? `${quoted(digitsName({ name }))} as ${quoted(name)}` : quoted(name)
}

/** A column that is of none of the view's tables was made by the view. */
function viewColumn(view: string, name: string): FileColumn {
  const sources = FIRST.get(view) ?? []
  const known = sources.flatMap((table) => COLUMNS.get(table) ?? []).find((column) => column.name === name)
  return known ?? MADE.get(name) ?? { name, kind: 'text', isMoney: false }
}

/** Cells are what SQLite has, but for booleans; each row is an array of its own, and changed in place. */
function* rowsOf(statement: StatementSync, columns: readonly FileColumn[]): Iterator<Cell[]> {
  const booleans = columns.flatMap(({ kind }, index) => (kind === 'boolean' ? [index] : []))
  for (const row of arraysOf(statement)) {
    for (const index of booleans) if (row[index] !== null) row[index] = row[index] === 1
    yield row
  }
}

/** Rows as arrays: objects would leave several times as much behind for the garbage collector. */
function arraysOf(statement: StatementSync): Iterable<Cell[]> {
  statement.setReturnArrays(true)
  // the type does not know of the line above; no column holds bytes, nor a number beyond those of JavaScript
  return statement.iterate() as Iterable<unknown> as Iterable<Cell[]>
}
