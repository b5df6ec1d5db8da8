// A copy that people open as files. What is true is kept in a SQLite file beside them, so that every promise of a copy
// holds; the files are written from it when a run has come to its end, and only then.

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { childrenOf, RESOURCES } from '@store-export/contract'
import { type ColumnKind, type CopyTable, TABLE_NAMES, TABLES } from '../tables.ts'
import { type Copy, CopyBusy, type CopyState, type PageWrite, type WalkEnd } from './copy.ts'
import { SqliteCopy } from './sqlite.ts'

/** What a cell holds: decimals and instants are texts, exact. */
export type Cell = string | number | boolean | null

/** A column of a file. */
export interface FileColumn {
  readonly name: string
  readonly kind: ColumnKind
  /** Whether it is an amount: a decimal with exactly two digits after the point. */
  readonly isMoney: boolean
}

/** A table to be written; its rows can be walked once. */
export interface FileTable {
  readonly name: string
  readonly columns: readonly FileColumn[]
  readonly rows: Iterable<Cell[]>
}

/** Writes tables as files of one kind. */
export interface TableWriter {
  /** Takes the place of the last files with these tables, in this order; throws and leaves the last ones. */
  write(tables: Iterable<FileTable>): Promise<void>
}

/** Where a copy of files is. */
export interface FileCopyPlace {
  /** The folder or the file, as messages call it. */
  readonly name: string
  /** The SQLite file beside it. */
  readonly database: string
  readonly writer: TableWriter
}

/** Views that people open first, and the tables that their columns are of. */
const FIRST: ReadonlyMap<string, readonly string[]> = new Map([
  ['orders_overview', ['orders']],
  ['order_lines', ['order_items', 'orders', 'products']],
])

/** Names of what is written, in the order in which people meet it. */
export const FILE_NAMES: readonly string[] = [...FIRST.keys(), ...TABLE_NAMES]

const COLUMNS: ReadonlyMap<string, readonly FileColumn[]> = new Map(
  TABLES.flatMap((table) => [table, ...table.children]).map(({ name, columns }) => {
    const fields = [...RESOURCES, ...RESOURCES.flatMap(childrenOf)].find((resource) => resource.table === name)?.fields
    return [name, columns.map((each) => ({ ...each, isMoney: fields?.[each.name]?.type.kind === 'money' }))]
  }),
)

/** A copy whose files are written by `place.writer`. */
export class FileCopy implements Copy {
  readonly name: string
  readonly #place: FileCopyPlace
  readonly #copy: SqliteCopy

  constructor(place: FileCopyPlace) {
    this.name = place.name
    this.#place = place
    this.#copy = new SqliteCopy(place.database)
  }

  async open(tables: readonly CopyTable[]): Promise<CopyState> {
    await mkdir(path.dirname(this.#place.database), { recursive: true })
    try {
      return await this.#copy.open(tables)
    } catch (error) {
      throw error instanceof CopyBusy ? new CopyBusy(this.name) : error
    }
  }

  claim(storeId: string): Promise<void> {
    return this.#copy.claim(storeId)
  }

  write(page: PageWrite): Promise<void> {
    return this.#copy.write(page)
  }

  end(walk: WalkEnd): Promise<number> {
    return this.#copy.end(walk)
  }

  count(table: string): Promise<number> {
    return this.#copy.count(table)
  }

  /** Writes every file anew, from one moment of the SQLite file; files of a run that was killed before are made up for. */
  async finish(): Promise<void> {
    const database = new DatabaseSync(this.#place.database, { readOnly: true })
    try {
      database.exec('begin')
      await this.#place.writer.write(tablesOf(database))
    } finally {
      database.close()
    }
    await this.#copy.finish()
  }

  close(): Promise<void> {
    return this.#copy.close()
  }
}

function* tablesOf(database: DatabaseSync): Iterable<FileTable> {
  for (const name of FILE_NAMES) {
    const isView = FIRST.has(name)
    // a view has its own order; a table's is the same in every run, so that two files can be compared
    const statement = database.prepare(`select * from "${name}"${isView ? '' : ' order by id'}`)
    const columns = COLUMNS.get(name) ?? statement.columns().map((column) => viewColumn(name, column.name))
    yield { name, columns, rows: rowsOf(statement.iterate(), columns) }
  }
}

/** A column that is of none of the view's tables was made by the view: it is what its values are. */
function viewColumn(view: string, name: string): FileColumn {
  const sources = FIRST.get(view) ?? []
  const known = sources.flatMap((table) => COLUMNS.get(table) ?? []).find((column) => column.name === name)
  return known ?? { name, kind: 'text', isMoney: false }
}

function* rowsOf(rows: Iterable<Record<string, SQLOutputValue>>, columns: readonly FileColumn[]): Iterable<Cell[]> {
  for (const row of rows) yield columns.map((column) => cellOf(column, row[column.name]))
}

function cellOf({ kind }: FileColumn, value: SQLOutputValue | undefined): Cell {
  if (value === null || value === undefined) return null
  if (kind === 'boolean') return value === 1
  return typeof value === 'number' ? value : String(value)
}
