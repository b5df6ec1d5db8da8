// Writes a copy as a folder of CSV files for spreadsheets and programs. The files are UTF-8 with a byte order mark, and
// their lines end with CR LF. Null is an empty field, and an empty string is "". By default, a string that a
// spreadsheet would run as a formula gets an apostrophe before it. Negative decimals and telephone numbers get none.

import { open } from 'node:fs/promises'
import path from 'node:path'
import { type Options, stringify } from 'csv-stringify/sync'
import { FileCopy, type TableWriter } from './file-copy.ts'
import { type FileColumn, type FileTable, inPages } from './file-tables.ts'
import { type NewFile, writeNewFiles } from './replace-files.ts'

/**
 * Matches strings that already look escaped. Such a string gets one more apostrophe, so that a program that removes one
 * gets the original string. The escapes are the full-width forms of `=`, `+`, `-`, and `@`.
 */
const LOOKS_ESCAPED = /^'+[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

export interface CsvCopyOptions {
  /** Separator of values; defaults to a comma. */
  readonly delimiter?: string
  /** Whether a string that looks like a formula gets an apostrophe before it; defaults to true. */
  readonly escapesFormulas?: boolean
}

/** Matches strings such as telephone numbers, which get no apostrophe because they are harmless as a formula. */
const SIGNED_DIGITS = /^\+\d+$/

/**
 * Number of rows that the writer converts at once. With so few rows, their strings die in the young generation of the
 * heap.
 */
const PAGE_ROWS = 20
/** Bytes that the writer collects before it appends them to the file. A longer page is appended by itself. */
const BUFFER_BYTES = 1 << 17

/**
 * Returns a copy in a folder: a file for each synced table and view, and `.store-sync.db`. `open` creates a missing
 * folder.
 */
export function csvCopy(folder: string, options: CsvCopyOptions = {}): FileCopy {
  return new FileCopy({
    name: folder,
    database: path.join(folder, '.store-sync.db'),
    writer: new CsvWriter(folder, options),
  })
}

/** Writes each table as a CSV file in a folder. */
export class CsvWriter implements TableWriter {
  readonly scratch: readonly string[] = []
  readonly format: string
  readonly #folder: string
  readonly #options: Required<CsvCopyOptions>

  constructor(folder: string, { delimiter = ',', escapesFormulas = true }: CsvCopyOptions = {}) {
    this.#folder = folder
    this.#options = { delimiter, escapesFormulas }
    this.format = `${delimiter === ',' ? '' : delimiter}${escapesFormulas ? '' : 'plain'}`
  }

  fileOf(table: string): string {
    return path.join(this.#folder, `${table}.csv`)
  }

  async prepare(): Promise<void> {}

  write(tables: Iterable<FileTable>): Promise<readonly NewFile[]> {
    const write = (table: FileTable, file: string) => writeTable(csvTexts(table, this.#options), file)
    return writeNewFiles(tables, (table) => this.fileOf(table), write)
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

function* csvTexts({ columns, rows }: FileTable, written: Required<CsvCopyOptions>): Iterable<string> {
  const options = stringifyOptions(columns, written)
  yield stringify([], { ...options, bom: true, header: true })
  for (const page of inPages(rows, PAGE_ROWS)) yield stringify(page, options)
}

function stringifyOptions(
  columns: readonly FileColumn[],
  { delimiter, escapesFormulas }: Required<CsvCopyOptions>,
): Options {
  const isDecimal = columns.map(({ kind }) => kind === 'decimal')
  return {
    columns: columns.map(({ name }) => name),
    delimiter,
    record_delimiter: 'windows',
    escape_formulas: escapesFormulas,
    // Many readers end a line at a single CR or LF, but the library quotes only the record delimiter CR LF.
    quote_record_delimiter: true,
    // Quotes the empty string, so that it differs from null.
    quoted_match: /^$/,
    cast: {
      // The library would write 1 for true, and an empty field for false.
      boolean: (value) => String(value),
      string: (value, { index, header }) => {
        // A negative decimal, such as an amount or a coordinate, is a number and not a formula.
        const isNumber = isDecimal[index] ? value.startsWith('-') : SIGNED_DIGITS.test(value)
        if (!header && isNumber) return { value, escape_formulas: false }
        return escapesFormulas && LOOKS_ESCAPED.test(value) ? `'${value}` : value
      },
    },
  }
}
