// Writes a copy as an XLSX workbook with a sheet for each table and view. A cell has a type if a spreadsheet stores the
// value exactly, and is text otherwise. The library hucre streams a workbook for each table, and this module combines
// their sheets in one archive.

import { type FileHandle, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { writeXlsxStream, XLSX_MAX_ROWS_PER_SHEET } from 'hucre/xlsx'
import type { CopyColumnKind } from '../../tables.ts'
import { excelDay } from './excel-day.ts'
import { FileCopy, type TableWriter } from './file-copy.ts'
import type { FileCell, FileColumn, FileTable } from './file-tables.ts'
import { type NewFile, newName } from './replace-files.ts'
import {
  contentTypesXml,
  headerStyle,
  type SheetEntry,
  stylesXml,
  workbookRelationsXml,
  workbookXml,
} from './workbook-xml.ts'
import { ArchiveWriter, readParts } from './xlsx-archive.ts'
import { columnFormats, FORMATS } from './xlsx-formats.ts'
import { type SheetFilter, withHeaderAndFilter } from './xlsx-sheet.ts'

export interface WorkbookOptions {
  /** Maximum rows of a sheet, including its header; defaults to Excel's limit. Further rows are in another sheet. */
  readonly maxRowsPerSheet?: number
}

/** Excel's limit for the text of a cell. */
const CELL_CHARACTERS_MAX = 32_767
/** Maximum digits of a number that a spreadsheet stores exactly. */
const NUMBER_DIGITS_MAX = 15
/** Minimum widths of columns in characters. A longer name of a column makes it wider. */
const WIDTHS: Readonly<Record<CopyColumnKind, number>> = {
  uuid: 38,
  text: 28,
  integer: 10,
  boolean: 10,
  decimal: 14,
  timestamp: 24,
  json: 40,
}

/**
 * Returns a copy that stores its rows in the SQLite file `<file>.store-sync.db`, and writes them to the workbook
 * `file`.
 */
export function xlsxCopy(file: string, options: WorkbookOptions = {}): FileCopy {
  const database = `${file}.store-sync.db`
  return new FileCopy({ name: file, database, writer: new XlsxWriter(file, options) })
}

/** Writes tables as the sheets of one workbook. */
export class XlsxWriter implements TableWriter {
  readonly scratch: readonly string[]
  readonly format = ''
  readonly #file: string
  /** Path of the temporary workbook of one table. */
  readonly #sheet: string
  readonly #maxRows: number

  constructor(file: string, { maxRowsPerSheet = XLSX_MAX_ROWS_PER_SHEET }: WorkbookOptions = {}) {
    const { dir, base } = path.parse(file)
    this.#file = file
    this.#sheet = path.join(dir, `.${base}.sheet`)
    this.#maxRows = maxRowsPerSheet
    this.scratch = [this.#sheet]
  }

  fileOf(): string {
    return this.#file
  }

  async prepare(): Promise<void> {}

  async write(tables: Iterable<FileTable>): Promise<readonly NewFile[]> {
    const whole = newName(this.#file)
    try {
      await using file = await open(whole, 'w')
      const archive = new ArchiveWriter(file)
      const sheets: SheetEntry[] = []
      for (const table of tables) {
        await this.#writeSheet(table)
        sheets.push(...(await addSheets({ archive, sheet: this.#sheet, table: table.name, before: sheets.length })))
      }
      await archive.add('xl/workbook.xml', workbookXml(sheets))
      await archive.add('xl/styles.xml', stylesXml(FORMATS))
      await archive.add('xl/_rels/workbook.xml.rels', workbookRelationsXml(sheets.length))
      await archive.add('[Content_Types].xml', contentTypesXml(sheets.length))
      await archive.end()
      return [{ from: whole, to: this.#file }]
    } catch (error) {
      await rm(whole, { force: true })
      throw error
    } finally {
      await rm(this.#sheet, { force: true })
    }
  }

  async #writeSheet({ name, columns, rows }: FileTable): Promise<void> {
    const formats = columnFormats(columns)
    const note = `full text in ${path.basename(this.#file)}.store-sync.db`
    const bytes = writeXlsxStream(sheetRows(columns, rows, note), {
      name,
      columns: columns.map((column, index) => {
        const [numFmt, width] = [formats[index], Math.max(WIDTHS[column.kind], column.name.length + 2)]
        return { header: column.name, width, ...(numFmt === undefined ? {} : { style: { numFmt } }) }
      }),
      freezePane: { rows: 1 },
      maxRowsPerSheet: this.#maxRows,
    })
    await using file: FileHandle = await open(this.#sheet, 'w')
    for await (const chunk of bytes) await file.appendFile(chunk)
  }
}

interface SheetsToAdd {
  readonly archive: ArchiveWriter
  /** Path of the temporary workbook of this table. */
  readonly sheet: string
  readonly table: string
  /** Number of sheets already in the archive. */
  readonly before: number
}

/** Adds the sheets of one table to the archive and returns them. */
async function addSheets({ archive, sheet, table, before }: SheetsToAdd): Promise<SheetEntry[]> {
  await using file = await open(sheet, 'r')
  const sheets: SheetEntry[] = []
  const style = headerStyle(FORMATS)
  for (const part of await readParts(file)) {
    if (part.name.startsWith('xl/worksheets/')) {
      // `withHeaderAndFilter` sets `ref` after the last row.
      const filter: SheetFilter = { ref: '' }
      const name = `xl/worksheets/sheet${before + sheets.length + 1}.xml`
      const change = (chunks: AsyncIterable<Buffer>) => withHeaderAndFilter(chunks, { style, filter })
      await archive.copyChanged({ part, from: file, name, change })
      // A table with more rows than a sheet can have continues in sheets with a number.
      sheets.push({ name: sheets.length === 0 ? table : `${table} (${sheets.length + 1})`, filter: filter.ref })
    }
    // These two parts are the same in each workbook, so the first one provides them.
    const isShared = ['xl/theme/theme1.xml', '_rels/.rels'].includes(part.name)
    if (isShared && before === 0) await archive.copy(part, file, part.name)
  }
  return sheets
}

function* sheetRows(columns: readonly FileColumn[], rows: Iterable<FileCell[]>, note: string): Iterable<FileCell[]> {
  for (const row of rows)
    yield columns.map((column, index) => {
      const cell = typedCell(column, row[index] ?? null)
      return typeof cell === 'string' ? cellText(cell, note) : cell
    })
}

/**
 * Returns the value of a cell:
 *
 * - An integer of more than 15 digits becomes text.
 * - A timestamp becomes a date number, so that it sorts and subtracts. It stays text if the number would be another
 *   time.
 * - A decimal becomes a number, so that sums work, if the spreadsheet shows the same digits. Otherwise it stays text,
 *   because a number would be rounded to 15 digits, or lose zeros that show the precision of a measurement.
 */
function typedCell({ kind, isMoney }: FileColumn, cell: FileCell): FileCell {
  if (typeof cell === 'number') return Math.abs(cell) < 10 ** NUMBER_DIGITS_MAX ? cell : String(cell)
  if (kind === 'timestamp' && typeof cell === 'string') return excelDay(cell) ?? cell
  if (kind !== 'decimal' || typeof cell !== 'string') return cell
  const number = Number(cell)
  // What the spreadsheet shows: an amount has the format `0.00`, and another decimal has no format.
  const shown = isMoney ? number.toFixed(2) : String(number)
  // The length of a decimal is an upper bound of its digits. It is cheaper to compare, and mostly sufficient.
  return shown === cell && (cell.length <= NUMBER_DIGITS_MAX || digitsOf(cell) <= NUMBER_DIGITS_MAX) ? number : cell
}

function digitsOf(decimal: string): number {
  return decimal.replace(/^-/, '').replace('.', '').replace(/^0+/, '').length
}

/**
 * Returns the escaped text of a cell. If the text is too long for a cell, it is cut before it is escaped, so that no
 * escape is cut. It then ends with `note`.
 */
function cellText(text: string, note: string): string {
  return text.length > CELL_CHARACTERS_MAX ? escaped(cutText(text, note)) : escaped(text)
}

function cutText(text: string, note: string): string {
  const end = ` … [cut: ${text.length} characters, ${note}]`
  // The cut must not leave half of a surrogate pair.
  return text.slice(0, CELL_CHARACTERS_MAX - end.length).replace(/[\uD800-\uDBFF]$/, '') + end
}

/**
 * Escapes what hucre does not: text that XLSX would read as an escape (_xHHHH_), and U+FFFE and U+FFFF, which XML
 * forbids.
 */
function escaped(text: string): string {
  // Few texts contain these characters. A test costs half as much as replacements that find nothing.
  if (!/_x|[\uFFFE\uFFFF]/.test(text)) return text
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[\uFFFE\uFFFF]/g, (each) => `_x${each.charCodeAt(0).toString(16).toUpperCase()}_`)
}
