// Writes the tables of a copy as Parquet files. DuckDB reads the rows as strings while it writes, and casts them. A
// cast can round, so the writer checks each value first. If a value does not fit its type, it writes the table again
// with other types.

import { rm } from 'node:fs/promises'
import path from 'node:path'
import { CopyError } from '../copy.ts'
import { createRowFunction, type DuckDb, loadDuckDb, openScratchDatabase, PAGE_ROWS } from '../duckdb/load-duckdb.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import type { TableWriter } from './file-copy.ts'
import { type FileCell, type FileTable, inPages } from './file-tables.ts'
import { fittingTypes, type ParquetType, usualTypes } from './parquet-types.ts'
import { type NewFile, writeNewFiles } from './replace-files.ts'

/** Minimum cells of a row group in a long table. A row group is in memory until DuckDB compresses it. */
const GROUP_CELLS = 1 << 18

/** Writes each table as a Parquet file in a folder. */
export class ParquetWriter implements TableWriter {
  readonly scratch: readonly string[]
  readonly format = ''
  readonly #folder: string
  /** Folder for DuckDB's temporary files. */
  readonly #overflow: string
  readonly #load: () => Promise<DuckDb>

  constructor(folder: string, load: () => Promise<DuckDb> = loadDuckDb) {
    this.#folder = folder
    this.#overflow = path.join(folder, '.parquet.overflow')
    this.#load = load
    this.scratch = [this.#overflow]
  }

  fileOf(table: string): string {
    return path.join(this.#folder, `${table}.parquet`)
  }

  async prepare(): Promise<void> {
    await this.#load()
  }

  async write(tables: Iterable<FileTable>): Promise<readonly NewFile[]> {
    const engine = await this.#load()
    const write = (table: FileTable, file: string) => writeTable(engine, table, { file, overflow: this.#overflow })
    try {
      return await writeNewFiles(tables, (table) => this.fileOf(table), write)
    } catch (error) {
      throw translateError(error, this.#folder)
    } finally {
      await rm(this.#overflow, { recursive: true, force: true })
    }
  }
}

interface WritePaths {
  readonly file: string
  readonly overflow: string
}

/** Uses a new database for each table, which frees DuckDB's memory between tables. */
async function writeTable(engine: DuckDb, table: FileTable, { file, overflow }: WritePaths): Promise<void> {
  const { connection, close } = await openScratchDatabase(engine, overflow)
  try {
    const rowFunction = createRowFunction(engine, connection, 'copied_rows')
    const names = table.columns.map(({ name }) => name)
    const copyAs = (types: readonly ParquetType[]) => {
      const pages = textPages(table, types)[Symbol.iterator]()
      return rowFunction.run(copyStatement(file, names, types), { columns: names, pages })
    }
    await copyAs(usualTypes(table.columns)).catch((error: unknown) => {
      if (!(error instanceof UnfitValue)) throw error
      return copyAs(fittingTypes(table))
    })
  } finally {
    close()
  }
}

/** Thrown for a value that the type of its column would change. */
class UnfitValue extends Error {}

/** Yields the cells as strings. Throws `UnfitValue` if a type would change a value. */
function* textPages({ rows }: FileTable, types: readonly ParquetType[]): Iterable<(string | null)[][]> {
  for (const page of inPages(rows, PAGE_ROWS))
    yield page.map((row) => row.map((cell, index) => textOf(cell, types[index])))
}

function textOf(cell: FileCell, type: ParquetType | undefined): string | null {
  if (cell === null) return null
  if (type?.holds(cell) !== true) throw new UnfitValue()
  return String(cell)
}

function copyStatement(file: string, names: readonly string[], types: readonly ParquetType[]): string {
  const columns = names.map(
    (name, index) => `${quoteIdentifier(name)}::${types[index]?.type} as ${quoteIdentifier(name)}`,
  )
  // A row group consists of whole chunks of DuckDB.
  const groupRows = Math.ceil(GROUP_CELLS / names.length / PAGE_ROWS) * PAGE_ROWS
  const options = `format parquet, compression zstd, row_group_size ${groupRows}`
  return `copy (select ${columns.join(', ')} from copied_rows()) to ${literal(file)} (${options})`
}

/** Returns DuckDB's errors about the disk and about memory as a `CopyError`, and other errors unchanged. */
function translateError(error: unknown, folder: string): unknown {
  const isExpected = error instanceof Error && /^(?:IO|Out of Memory) Error/.test(error.message)
  return isExpected ? new CopyError(`${folder}: ${error.message}`, { cause: error }) : error
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
