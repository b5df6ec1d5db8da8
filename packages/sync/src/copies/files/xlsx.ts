// A copy as an XLSX workbook: a sheet for each table, typed where a spreadsheet keeps the value as it is, and text
// everywhere else. hucre streams a workbook of one table; the sheets are then put together in one archive.

import { type FileHandle, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { writeXlsxStream, XLSX_MAX_ROWS_PER_SHEET } from 'hucre/xlsx'
import type { ColumnKind } from '../../tables.ts'
import { FileCopy, type TableWriter } from './files.ts'
import { type NewFile, newName } from './files-replace.ts'
import type { Cell, FileColumn, FileTable } from './files-tables.ts'
import { ArchiveWriter, readParts } from './xlsx-archive.ts'
import { dayOf } from './xlsx-days.ts'
import { FORMATS, formatsOf } from './xlsx-formats.ts'
import {
  contentTypesXml,
  headerStyle,
  type SheetEntry,
  stylesXml,
  workbookRelationsXml,
  workbookXml,
} from './xlsx-parts.ts'
import { type SheetFilter, withHeaderAndFilter } from './xlsx-sheet.ts'

/** How a workbook is written. */
export interface WorkbookOptions {
  /** Rows of a sheet, its header included, before the table goes on in another; what Excel can hold unless said. */
  readonly maxRowsPerSheet?: number
}

/** Characters that a cell can hold. */
const MOST_CHARACTERS = 32_767
/** Digits that a spreadsheet keeps of a number. */
const MOST_DIGITS = 15
const WIDTHS: Readonly<Record<ColumnKind, number>> = {
  uuid: 38,
  text: 28,
  integer: 10,
  boolean: 10,
  decimal: 14,
  timestamp: 24,
  json: 40,
}

/** A copy in the workbook `file`, and in `<file>.store-sync.db`. */
export function xlsxCopy(file: string, options: WorkbookOptions = {}): FileCopy {
  const database = `${file}.store-sync.db`
  return new FileCopy({ name: file, database, writer: new XlsxWriter(file, options) })
}

/** Writes tables as the sheets of one workbook. */
export class XlsxWriter implements TableWriter {
  readonly scratch: readonly string[]
  readonly format = ''
  readonly #file: string
  /** The workbook of one table. */
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
    const formats = formatsOf(columns)
    const note = `the whole is in ${path.basename(this.#file)}.store-sync.db`
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
  /** The workbook of this table alone. */
  readonly sheet: string
  readonly table: string
  /** Sheets that are in the archive already. */
  readonly before: number
}

/** Returns the sheets that were added. */
async function addSheets({ archive, sheet, table, before }: SheetsToAdd): Promise<SheetEntry[]> {
  await using file = await open(sheet, 'r')
  const sheets: SheetEntry[] = []
  const style = headerStyle(FORMATS)
  for (const part of await readParts(file)) {
    if (part.name.startsWith('xl/worksheets/')) {
      const filter: SheetFilter = { ref: '' }
      const name = `xl/worksheets/sheet${before + sheets.length + 1}.xml`
      const change = (chunks: AsyncIterable<Buffer>) => withHeaderAndFilter(chunks, { style, filter })
      await archive.copyChanged({ part, from: file, name, change })
      sheets.push({ name: sheets.length === 0 ? table : `${table} (${sheets.length + 1})`, filter: filter.ref })
    }
    const isShared = ['xl/theme/theme1.xml', '_rels/.rels'].includes(part.name)
    if (isShared && before === 0) await archive.copy(part, file, part.name)
  }
  return sheets
}

function* sheetRows(columns: readonly FileColumn[], rows: Iterable<Cell[]>, note: string): Iterable<Cell[]> {
  for (const row of rows)
    yield columns.map((column, index) => {
      const cell = typedCell(column, row[index] ?? null)
      return typeof cell === 'string' ? cellText(cell, note) : cell
    })
}

/**
 * An instant as a day, so that it sorts and subtracts, where it comes back from that. A decimal as a number where the
 * spreadsheet shows the very digits that were sent, so that sums work; as text where it would round them (it keeps 15)
 * or drop zeros that say how exact a measure is.
 */
function typedCell({ kind, isMoney }: FileColumn, cell: Cell): Cell {
  if (typeof cell === 'number') return Math.abs(cell) < 10 ** MOST_DIGITS ? cell : String(cell)
  if (kind === 'timestamp' && typeof cell === 'string') return dayOf(cell) ?? cell
  if (kind !== 'decimal' || typeof cell !== 'string') return cell
  const number = Number(cell)
  const shown = isMoney ? number.toFixed(2) : String(number)
  return shown === cell && (cell.length <= MOST_DIGITS || digitsOf(cell) <= MOST_DIGITS) ? number : cell
}

function digitsOf(decimal: string): number {
  return decimal.replace(/^-/, '').replace('.', '').replace(/^0+/, '').length
}

/** Text as the file holds it; what is too long for a cell is cut, and the cell says so. */
function cellText(text: string, note: string): string {
  return text.length > MOST_CHARACTERS ? escaped(cutText(text, note)) : escaped(text)
}

function cutText(text: string, note: string): string {
  const end = ` … [cut: ${text.length} characters, ${note}]`
  // no half of a character at the cut
  return text.slice(0, MOST_CHARACTERS - end.length).replace(/[\uD800-\uDBFF]$/, '') + end
}

/** hucre escapes control characters as _xHHHH_: a text that looks like that already, and what XML lacks besides. */
function escaped(text: string): string {
  // nearly every text has none of these: to look costs half of replacing nothing
  if (!/_x|[\uFFFE\uFFFF]/.test(text)) return text
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[\uFFFE\uFFFF]/g, (each) => `_x${each.charCodeAt(0).toString(16).toUpperCase()}_`)
}
