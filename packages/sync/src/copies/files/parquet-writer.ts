// Writes the tables of a copy as Parquet files. DuckDB asks for the rows as it writes them, as texts, and casts them: which
// types hold them without loss is looked at on the way.

import { rm } from 'node:fs/promises'
import path from 'node:path'
import { CopyProblem } from '../copy.ts'
import { quoted } from '../quoted.ts'
import type { TableWriter } from './files.ts'
import { type NewFile, writeNew } from './files-replace.ts'
import { type Cell, type FileTable, pagesOf } from './files-tables.ts'
import { type Engine, loadEngine, offerRows, openScratch, PAGE_ROWS } from './parquet-engine.ts'
import { fittingTypes, type ParquetType, usualTypes } from './parquet-types.ts'

/** Cells that are compressed together, and so in memory together. */
const GROUP_CELLS = 1 << 18

/** Writes tables as Parquet files. */
export class ParquetWriter implements TableWriter {
  readonly scratch: readonly string[]
  readonly format = ''
  readonly #folder: string
  /** Where DuckDB goes on when its memory is full. */
  readonly #overflow: string
  readonly #load: () => Promise<Engine>

  /** `load` gives the package that writes the files. */
  constructor(folder: string, load: () => Promise<Engine> = loadEngine) {
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
      return await writeNew(tables, (table) => this.fileOf(table), write)
    } catch (error) {
      throw problemOf(error, this.#folder)
    } finally {
      await rm(this.#overflow, { recursive: true, force: true })
    }
  }
}

interface Place {
  readonly file: string
  readonly overflow: string
}

/** A database for each table: what DuckDB keeps of one is not in memory with the next. */
async function writeTable(engine: Engine, table: FileTable, { file, overflow }: Place): Promise<void> {
  const { connection, close } = await openScratch(engine, overflow)
  try {
    const offered = offerRows(engine, connection, 'copied_rows')
    const names = table.columns.map(({ name }) => name)
    const copyAs = (types: readonly ParquetType[]) => {
      const pages = textPages(table, types)[Symbol.iterator]()
      return offered.run(copyStatement(file, names, types), { columns: names, pages })
    }
    await copyAs(usualTypes(table.columns)).catch((error: unknown) => {
      if (!(error instanceof Misfit)) throw error
      return copyAs(fittingTypes(table))
    })
  } finally {
    close()
  }
}

/** A value that its column's type would change. */
class Misfit extends Error {}

function* textPages({ rows }: FileTable, types: readonly ParquetType[]): Iterable<(string | null)[][]> {
  for (const page of pagesOf(rows, PAGE_ROWS))
    yield page.map((row) => row.map((cell, index) => textOf(cell, types[index])))
}

function textOf(cell: Cell, type: ParquetType | undefined): string | null {
  if (cell === null) return null
  if (type?.holds(cell) !== true) throw new Misfit()
  return String(cell)
}

function copyStatement(file: string, names: readonly string[], types: readonly ParquetType[]): string {
  const columns = names.map((name, index) => `${quoted(name)}::${types[index]?.type} as ${quoted(name)}`)
  const groupRows = Math.ceil(GROUP_CELLS / names.length / PAGE_ROWS) * PAGE_ROWS
  const options = `format parquet, compression zstd, row_group_size ${groupRows}`
  return `copy (select ${columns.join(', ')} from copied_rows()) to ${literal(file)} (${options})`
}

/** What the disk or its memory denies DuckDB is no defect of ours. */
function problemOf(error: unknown, folder: string): unknown {
  const isDenied = error instanceof Error && /^(?:IO|Out of Memory) Error/.test(error.message)
  return isDenied ? new CopyProblem(`${folder}: ${error.message}`, { cause: error }) : error
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
