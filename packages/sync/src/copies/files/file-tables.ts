// Reads the tables and views of a file copy from its SQLite file: columns, rows, and a digest that shows whether they
// have changed.

import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CopyColumnKind, TABLE_NAMES, TABLES } from '../../tables.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { digitsName } from '../sqlite/sqlite-decimals.ts'

/** The value of a cell. Decimals and timestamps are strings, exactly as the service sent them. */
export type FileCell = string | number | boolean | null

/** A column of a file. A decimal has a single column, unlike in a SQLite copy. */
export interface FileColumn {
  readonly name: string
  readonly kind: CopyColumnKind
  /** Whether the values are decimals with exactly two digits after the point: amounts of money, and weights. */
  readonly isMoney: boolean
}

/** A table to write. You can iterate over its rows several times, but not at the same time. */
export interface FileTable {
  readonly name: string
  readonly columns: readonly FileColumn[]
  readonly rows: Iterable<FileCell[]>
}

/** The tables that give the columns of each view their kinds. The first table with a column of the name counts. */
const VIEW_SOURCES: ReadonlyMap<string, readonly string[]> = new Map([
  ['orders_overview', ['orders']],
  ['order_lines', ['order_items', 'orders', 'products']],
])
/** Columns that a view computes, except columns of strings. */
const COMPUTED_COLUMNS: ReadonlyMap<string, FileColumn> = new Map(
  [
    { name: 'lines', kind: 'integer', isMoney: false } as const,
    { name: 'line_total', kind: 'decimal', isMoney: true } as const,
  ].map((column) => [column.name, column]),
)
/**
 * Version of the cells' format. Increase it if the format of a cell changes. The next run then writes all files again.
 */
const FORMAT_VERSION = 3
/** Number of rows that a digest gets at once: few, because their JSON becomes garbage immediately. */
const DIGEST_ROWS = 16

/** Names of all tables and views, in the order of the sheets of a workbook. */
export const FILE_NAMES: readonly string[] = [...VIEW_SOURCES.keys(), ...TABLE_NAMES]

/** The table whose walk reads the rows of a table or view: the table itself, its parent, or `orders` for a view. */
const SYNCED_WITH: ReadonlyMap<string, string> = new Map([
  ...[...VIEW_SOURCES.keys()].map((view): [string, string] => [view, 'orders']),
  ...TABLES.flatMap(({ name, children }) =>
    [name, ...children.map((child) => child.name)].map((each): [string, string] => [each, name]),
  ),
])

/**
 * Returns the names of tables that have rows or that a run has synced, with their embedded tables and views. Other
 * tables get no file, not even an empty one.
 */
function presentNames(database: DatabaseSync): string[] {
  const rows = database.prepare('select table_name from _sync_tables').all()
  const walked = new Set(rows.map((row) => String(row.table_name)))
  const isHere = (table: string) =>
    walked.has(table) || database.prepare(`select 1 from "${table}" limit 1`).get() !== undefined
  return FILE_NAMES.filter((name) => isHere(SYNCED_WITH.get(name) ?? name))
}

const COLUMNS: ReadonlyMap<string, readonly FileColumn[]> = new Map(
  TABLES.flatMap((table) => [table, ...table.children]).map(({ name, columns }) => [
    name,
    columns.map((column) => ({ name: column.name, kind: column.kind, isMoney: column.isMoney })),
  ]),
)

/** Yields the tables and views with these names. */
export function* readTables(database: DatabaseSync, names: readonly string[]): Iterable<FileTable> {
  for (const name of names) {
    const statement = prepareSelect(database, name)
    const columns = COLUMNS.get(name) ?? statement.columns().map((column) => viewColumn(name, column.name))
    yield { name, columns, rows: { [Symbol.iterator]: () => readRows(statement, columns) } }
  }
}

/**
 * Returns a digest for each table and view of `presentNames`. A table has its digest from `known` unless `isChanged`
 * returns true or its columns differ. A view has a new digest if its query or the digest of any table has changed.
 */
export function computeDigests(
  database: DatabaseSync,
  known: ReadonlyMap<string, string>,
  isChanged: (table: string) => boolean,
): Map<string, string> {
  const names = new Set(presentNames(database))
  const digests = new Map<string, string>()
  for (const name of TABLE_NAMES.filter((each) => names.has(each))) {
    const shape = shapeDigest(name)
    const last = known.get(name)
    const isKnown = last?.startsWith(`${shape} `) === true && !isChanged(name)
    digests.set(name, isKnown ? last : `${shape} ${rowsDigest(database, name)}`)
  }
  const tables = JSON.stringify([...digests])
  const viewText = database.prepare("select sql from sqlite_schema where type = 'view' and name = ?")
  for (const name of [...VIEW_SOURCES.keys()].filter((each) => names.has(each))) {
    const text = `${FORMAT_VERSION} ${viewText.get(name)?.sql} ${tables}`
    digests.set(name, createHash('sha256').update(text).digest('base64'))
  }
  return digests
}

/**
 * Returns a digest of the columns and the format of a table, so that a new version of them changes the table's digest.
 */
function shapeDigest(table: string): string {
  return createHash('sha256')
    .update(`${FORMAT_VERSION} ${JSON.stringify(COLUMNS.get(table))}`)
    .digest('base64')
}

function rowsDigest(database: DatabaseSync, table: string): string {
  const hash = createHash('sha256')
  const rows = iterateArrays(prepareSelect(database, table))
  for (const some of inPages(rows, DIGEST_ROWS)) hash.update(JSON.stringify(some))
  return hash.digest('base64')
}

/** Yields rows in arrays of at most `pageRows`, which needs fewer calls than single rows. */
export function* inPages<Row>(rows: Iterable<Row>, pageRows: number): Iterable<Row[]> {
  let page: Row[] = []
  for (const row of rows) {
    page.push(row)
    if (page.length < pageRows) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/**
 * Prepares a query in the order of creation, or of IDs for a table without that time. The fixed order lets you compare
 * the files of two runs. Views have their own order.
 */
function prepareSelect(database: DatabaseSync, name: string): StatementSync {
  const columns = COLUMNS.get(name)
  if (columns === undefined) return database.prepare(`select * from "${name}"`)
  const order = columns.some((column) => column.name === 'created_at') ? 'created_at, id' : 'id'
  return database.prepare(`select ${columns.map(sentDigits)} from "${name}" order by ${order}`)
}

/** Selects a column. For a decimal, selects the digits that the service sent, not the number for computing. */
function sentDigits({ name, kind }: FileColumn): string {
  return kind === 'decimal'
    ? `${quoteIdentifier(digitsName({ name }))} as ${quoteIdentifier(name)}`
    : quoteIdentifier(name)
}

/** Returns the column of one of the view's tables, or a column that the view computes. */
function viewColumn(view: string, name: string): FileColumn {
  const sources = VIEW_SOURCES.get(view) ?? []
  const known = sources.flatMap((table) => COLUMNS.get(table) ?? []).find((column) => column.name === name)
  return known ?? COMPUTED_COLUMNS.get(name) ?? { name, kind: 'text', isMoney: false }
}

/**
 * Yields rows with booleans in place of SQLite's 0 and 1. Each row is a new array, which the function changes in place.
 */
function* readRows(statement: StatementSync, columns: readonly FileColumn[]): Iterator<FileCell[]> {
  const booleans = columns.flatMap(({ kind }, index) => (kind === 'boolean' ? [index] : []))
  for (const row of iterateArrays(statement)) {
    for (const index of booleans) if (row[index] !== null) row[index] = row[index] === 1
    yield row
  }
}

/** Returns the rows as arrays, because objects would create several times as much garbage. */
function iterateArrays(statement: StatementSync): Iterable<FileCell[]> {
  statement.setReturnArrays(true)
  // The type ignores `setReturnArrays`. No column contains bytes or integers that JavaScript cannot represent.
  return statement.iterate() as Iterable<unknown> as Iterable<FileCell[]>
}
