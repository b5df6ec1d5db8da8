// A copy as a folder of CSV files, as spreadsheets and programs read them: UTF-8 with a byte order mark, lines that end
// with CR LF, nothing between two commas where there is no value, and "" for the empty text. A text that a spreadsheet
// would take for a formula begins with an apostrophe.

import { open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { type Options, stringify } from 'csv-stringify/sync'
import { type Cell, type FileColumn, FileCopy, type FileTable, type TableWriter } from './files.ts'

/** A text that already looks escaped gets one more apostrophe: whoever takes one away has the text as it was. */
const LOOKS_ESCAPED = /^'+[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

const PAGE_ROWS = 200

/** A copy in `folder`, made where it is missing: a file for each table, and `.store-sync.db`. */
export function csvCopy(folder: string): FileCopy {
  return new FileCopy({
    name: folder,
    database: path.join(folder, '.store-sync.db'),
    writer: new CsvWriter(folder),
  })
}

/** Writes tables as CSV files. */
export class CsvWriter implements TableWriter {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** No file changes before all are written. */
  async write(tables: Iterable<FileTable>): Promise<void> {
    const written: { readonly from: string; readonly to: string }[] = []
    try {
      for (const table of tables) {
        const from = path.join(this.#folder, `.${table.name}.csv.new`)
        written.push({ from, to: path.join(this.#folder, `${table.name}.csv`) })
        await writeTable(table, from)
      }
      for (const { from, to } of written) await rename(from, to)
    } catch (error) {
      for (const { from } of written) await rm(from, { force: true })
      throw error
    }
  }
}

async function writeTable({ columns, rows }: FileTable, file: string): Promise<void> {
  const options = optionsOf(columns)
  await using handle = await open(file, 'w')
  await handle.appendFile(stringify([], { ...options, bom: true, header: true }))
  for (const page of pagesOf(rows)) await handle.appendFile(stringify(page, options))
  await handle.sync()
}

function optionsOf(columns: readonly FileColumn[]): Options {
  const isDecimal = columns.map(({ kind }) => kind === 'decimal')
  return {
    columns: columns.map(({ name }) => name),
    record_delimiter: 'windows',
    escape_formulas: true,
    // alone they would end a line for many readers, and are only seen together with this delimiter
    quote_record_delimiter: true,
    // the empty text is not the same as none
    quoted_match: /^$/,
    cast: {
      boolean: (value) => String(value),
      string: (value, { index, header }) => {
        // an amount below zero is a number, not a formula
        if (!header && isDecimal[index] && value.startsWith('-')) return { value, escape_formulas: false }
        return LOOKS_ESCAPED.test(value) ? `'${value}` : value
      },
    },
  }
}

/** A few at a time: row by row costs a write each. */
function* pagesOf(rows: Iterable<Cell[]>): Iterable<Cell[][]> {
  let page: Cell[][] = []
  for (const row of rows) {
    page.push(row)
    if (page.length < PAGE_ROWS) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
