// A copy as a folder of CSV files, as spreadsheets and programs read them: UTF-8 with a byte order mark, lines that end
// with CR LF, nothing between two commas where there is no value, and "" for the empty text. A text that a spreadsheet
// would take for a formula begins with an apostrophe.

import { open } from 'node:fs/promises'
import path from 'node:path'
import { type Options, stringify } from 'csv-stringify/sync'
import { FileCopy, type TableWriter } from './files.ts'
import { type NewFile, writeNew } from './files-replace.ts'
import { type FileColumn, type FileTable, pagesOf } from './files-tables.ts'

/** A text that already looks escaped gets one more apostrophe: whoever takes one away has the text as it was. */
const LOOKS_ESCAPED = /^'+[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

/** Options of CSV files. */
export interface CsvOptions {
  /** Between two values; a comma by default. */
  readonly delimiter?: string
  /** Whether a text that begins like a formula gets an apostrophe before it; it does by default. */
  readonly escapesFormulas?: boolean
}

/** A telephone number or the like: a spreadsheet calculates nothing with it. */
const SIGNED_DIGITS = /^\+\d+$/

/** So few that what is made of them is garbage at once, and never has to be kept. */
const PAGE_ROWS = 20
const BUFFER_BYTES = 1 << 17

/** A copy in `folder`, made where it is missing: a file for each table, and `.store-sync.db`. */
export function csvCopy(folder: string, options: CsvOptions = {}): FileCopy {
  return new FileCopy({
    name: folder,
    database: path.join(folder, '.store-sync.db'),
    writer: new CsvWriter(folder, options),
  })
}

/** Writes tables as CSV files. */
export class CsvWriter implements TableWriter {
  readonly scratch: readonly string[] = []
  readonly format: string
  readonly #folder: string
  readonly #options: Required<CsvOptions>

  constructor(folder: string, { delimiter = ',', escapesFormulas = true }: CsvOptions = {}) {
    this.#folder = folder
    this.#options = { delimiter, escapesFormulas }
    this.format = `${delimiter === ',' ? '' : delimiter}${escapesFormulas ? '' : 'plain'}`
  }

  fileOf(table: string): string {
    return path.join(this.#folder, `${table}.csv`)
  }

  async prepare(): Promise<void> {}

  write(tables: Iterable<FileTable>): Promise<readonly NewFile[]> {
    const write = (table: FileTable, file: string) => writeTable(textsOf(table, this.#options), file)
    return writeNew(tables, (table) => this.fileOf(table), write)
  }
}

async function writeTable(texts: Iterable<string>, file: string): Promise<void> {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  let used = 0
  await using handle = await open(file, 'w')
  for (const text of texts) {
    const bytes = Buffer.byteLength(text)
    if (used + bytes > BUFFER_BYTES) {
      await handle.appendFile(buffer.subarray(0, used))
      used = 0
    }
    if (bytes > BUFFER_BYTES) await handle.appendFile(text)
    else used += buffer.write(text, used)
  }
  await handle.appendFile(buffer.subarray(0, used))
}

function* textsOf({ columns, rows }: FileTable, written: Required<CsvOptions>): Iterable<string> {
  const options = optionsOf(columns, written)
  yield stringify([], { ...options, bom: true, header: true })
  for (const page of pagesOf(rows, PAGE_ROWS)) yield stringify(page, options)
}

function optionsOf(columns: readonly FileColumn[], { delimiter, escapesFormulas }: Required<CsvOptions>): Options {
  const isDecimal = columns.map(({ kind }) => kind === 'decimal')
  return {
    columns: columns.map(({ name }) => name),
    delimiter,
    record_delimiter: 'windows',
    escape_formulas: escapesFormulas,
    // alone they would end a line for many readers, and are only seen together with this delimiter
    quote_record_delimiter: true,
    // the empty text is not the same as none
    quoted_match: /^$/,
    cast: {
      boolean: (value) => String(value),
      string: (value, { index, header }) => {
        // an amount below zero is a number, not a formula
        const isNumber = isDecimal[index] ? value.startsWith('-') : SIGNED_DIGITS.test(value)
        if (!header && isNumber) return { value, escape_formulas: false }
        return escapesFormulas && LOOKS_ESCAPED.test(value) ? `'${value}` : value
      },
    },
  }
}
