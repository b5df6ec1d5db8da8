// Runs the script for Google Sheets against a store under load, and compares the tabs with the store.

import { LATEST_REVISION } from '../../packages/contract/src/index.ts'
import { type CopyColumn, TABLES } from '../../packages/sync/src/tables.ts'
import { Spreadsheet } from './apps-script.ts'
import { compareRows, rowsById } from './compare.ts'
import type { ConnectorResult } from './connector-result.ts'
import { type DemoStore, RUNS, withDemoStore } from './demo-store.ts'
import type { CellValue } from './google-services.ts'
import type { Rows } from './read-store.ts'

const DAY_MS = 24 * 3_600_000
const EPOCH_DAY = 25_569
/** The call at which Google stops the execution, by run. */
const STOPPED_AT_CALLS: Readonly<Record<number, number>> = { 1: 700, 2: 200, 3: 450 }

/** Tests the script with several runs while writers change the store, and returns the differences. */
export async function testGoogleSheets(): Promise<ConnectorResult[]> {
  return [await withDemoStore(LATEST_REVISION, exportUnderLoad)]
}

async function exportUnderLoad(store: DemoStore): Promise<ConnectorResult> {
  const spreadsheet = await Spreadsheet.connect(store.url, store.key)
  const transactions = await store.syncUnderLoad(async (run) => {
    // Removed addresses appear in the first export of a day.
    if (run === RUNS) spreadsheet.waitMs(DAY_MS)
    const executions = await spreadsheet.export('exportNow', { stopAtCall: STOPPED_AT_CALLS[run] ?? null })
    const failed = executions.find(({ error }) => error !== null)
    if (failed !== undefined) throw new Error(`the script stopped: ${failed.error}`)
  })
  const differences = compareRows(withoutEmptyText(await store.read()), rowsOfTabs(spreadsheet))
  return { tool: 'Google Sheets', version: 'Code.gs, without Google', transactions, differences }
}

/** Returns the rows of all tabs, as the service returns them. An empty cell is null. */
export function rowsOfTabs(spreadsheet: Spreadsheet): Rows {
  const tabs = TABLES.flatMap(({ name, columns, children }) => [
    { table: name, tab: name, columns },
    ...children.map((child) => ({ table: `${name}.${child.field}`, tab: child.name, columns: child.columns })),
  ])
  return new Map(
    tabs.map(({ table, tab, columns }) => {
      const rows = spreadsheet.rows(tab)
      const values = rows.map((row) => columns.map((column) => [column.name, cellValue(row[column.name], column)]))
      return [table, rowsById(tab, values.map(Object.fromEntries))]
    }),
  )
}

function cellValue(cell: CellValue | undefined, { kind, isMoney }: CopyColumn): unknown {
  if (cell === '' || cell === undefined) return null
  if (kind === 'timestamp' && typeof cell === 'number')
    return new Date(Math.round((cell - EPOCH_DAY) * DAY_MS)).toISOString()
  if (isMoney && typeof cell === 'number') return cell.toFixed(2)
  return cell
}

/** Returns the rows with null in place of empty strings, because a cell does not distinguish them. */
export function withoutEmptyText(rows: Rows): Rows {
  const cleaned = (row: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === '' ? null : value]))
  return new Map([...rows].map(([table, byId]) => [table, new Map([...byId].map(([id, row]) => [id, cleaned(row)]))]))
}
