// Runs an Apps Script with replacements for Google's globals. It needs its own process, because Google's functions are
// synchronous. Reads a `SheetRun` as JSON from standard input and prints a `SheetOutcome` as JSON.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import vm from 'node:vm'

type CellValue = string | number

/** The input of a run. */
export interface SheetRun {
  readonly code: string
  readonly properties: Readonly<Record<string, string>>
  /** Cells of the sheet "Orders"; null if there is no such sheet yet. */
  readonly cells: readonly (readonly CellValue[])[] | null
}

/** The result of a run. */
export interface SheetOutcome {
  readonly properties: Readonly<Record<string, string>>
  readonly cells: readonly (readonly CellValue[])[] | null
  readonly sleptMs: readonly number[]
  /** Message of the error that stopped the script; null if it succeeded. */
  readonly error: string | null
}

/** Rows of a new sheet. Google's sheets have 1,000. */
const ROWS_OF_NEW_SHEET = 300

/** A sheet that does not grow by itself, and that reads text that begins like a formula as a formula. */
class Sheet {
  readonly cells: CellValue[][]
  private rowsMax: number

  constructor(cells: readonly (readonly CellValue[])[]) {
    this.cells = cells.map((row) => [...row])
    this.rowsMax = Math.max(ROWS_OF_NEW_SHEET, cells.length)
  }

  getLastRow = () => this.cells.length
  getMaxRows = () => this.rowsMax
  insertRowsAfter(row: number, count: number) {
    if (row !== this.rowsMax) throw new Error('this sheet can only add rows at the end')
    this.rowsMax += count
  }
  getRange(row: number, column: number, rows: number, columns: number) {
    if (rows < 1 || row + rows - 1 > this.rowsMax) throw new Error('the range is outside the sheet')
    return {
      getValues: () => this.cells.slice(row - 1, row - 1 + rows).map((cells) => cells.slice(column - 1, columns)),
      setValues: (values: CellValue[][]) => {
        if (values.length !== rows || values.some((each) => each.length !== columns)) throw new Error('another size')
        for (const [at, each] of values.entries()) this.cells[row - 1 + at] = each.map(written)
      },
    }
  }
}

/** Returns the content of a cell after a value was set. */
function written(value: CellValue): CellValue {
  if (typeof value !== 'string') return value
  if (value.startsWith("'")) return value.slice(1)
  return /^[=+]/.test(value) ? '#ERROR!' : value
}

function fetchNow(url: string, { headers }: { headers: Record<string, string> }) {
  const options = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  const { stdout } = spawnSync('curl', ['--silent', '--include', ...options, url], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (stdout === '') throw new Error(`Address unavailable: ${url}`)
  const end = stdout.indexOf('\r\n\r\n')
  const [first = '', ...lines] = stdout.slice(0, end).split('\r\n')
  return {
    getResponseCode: () => Number(first.split(' ')[1]),
    getHeaders: () => Object.fromEntries(lines.map((line) => line.split(': '))),
    getContentText: () => stdout.slice(end + 4),
  }
}

function run({ code, properties: given, cells }: SheetRun): SheetOutcome {
  const properties = new Map(Object.entries(given))
  const sleptMs: number[] = []
  let sheet = cells === null ? null : new Sheet(cells)
  const insertSheet = () => {
    sheet = new Sheet([])
    return sheet
  }
  const context = vm.createContext({
    UrlFetchApp: { fetch: fetchNow },
    LockService: { getScriptLock: () => ({ tryLock: () => true }) },
    PropertiesService: {
      getScriptProperties: () => ({
        getProperty: (name: string) => properties.get(name) ?? null,
        setProperties: (values: Record<string, string>) => {
          for (const [name, value] of Object.entries(values)) properties.set(name, value)
        },
      }),
    },
    SpreadsheetApp: { getActiveSpreadsheet: () => ({ getSheetByName: () => sheet, insertSheet }) },
    Utilities: {
      sleep: (ms: number) => {
        sleptMs.push(ms)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
      },
    },
  })
  let error: string | null = null
  try {
    vm.runInContext(`${code}\nsyncOrders()`, context)
  } catch (cause) {
    error = String(cause)
  }
  return { properties: Object.fromEntries(properties), cells: sheet?.cells ?? null, sleptMs, error }
}

const given: SheetRun = JSON.parse(readFileSync(0, 'utf8'))
process.stdout.write(JSON.stringify(run(given)))
