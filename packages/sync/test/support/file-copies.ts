// Folders and rows for the tests of file copies.

import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CopyRow, NEW_TABLE } from '../../src/copies/copy.ts'
import { csvCopy } from '../../src/copies/files/csv-copy.ts'
import type { FileCopy, TableWriter } from '../../src/copies/files/file-copy.ts'
import type { FileCell, FileColumn, FileTable } from '../../src/copies/files/file-tables.ts'
import { parquetCopy } from '../../src/copies/files/parquet-copy.ts'
import { removePrevious, replaceFiles } from '../../src/copies/files/replace-files.ts'
import { xlsxCopy } from '../../src/copies/files/xlsx-copy.ts'
import { type CopyTable, findTable, TABLES } from '../../src/tables.ts'

/** Returns a function that runs statements in a SQLite file, like another program. */
export function statementRunner(database: string): (statement: string) => Promise<void> {
  return async (statement) => {
    using other = new DatabaseSync(database)
    other.exec(statement)
  }
}

/** The kinds of file copies: how to create one, the name of its file with orders, and its SQLite file. */
export const KINDS = [
  { kind: 'CSV', make: csvCopy, orders: 'orders.csv', database: '.store-sync.db' },
  {
    kind: 'XLSX',
    make: (folder: string) => xlsxCopy(path.join(folder, 'shop.xlsx')),
    orders: 'shop.xlsx',
    database: 'shop.xlsx.store-sync.db',
  },
  { kind: 'Parquet', make: parquetCopy, orders: 'orders.parquet', database: '.store-sync-parquet.db' },
]

export function requireTable(name: string): CopyTable {
  const table = findTable(name)
  if (table === null) throw new Error(`no table ${name}`)
  return table
}

/** Returns a copy that writes its files whenever it is closed, so that another program can read them. */
export function finishOnClose(copy: FileCopy): FileCopy {
  let isOpen = false
  const open = copy.open.bind(copy)
  const close = copy.close.bind(copy)
  copy.open = async (tables) => {
    const state = await open(tables)
    isOpen = true
    return state
  }
  copy.close = async () => {
    if (isOpen) await copy.finish()
    isOpen = false
    await close()
  }
  return copy
}

/** Opens the copy, writes orders, and finishes and closes it. */
export async function writeOrders(copy: FileCopy, rows: readonly CopyRow[]): Promise<void> {
  const table = requireTable('orders')
  await copy.open(TABLES)
  try {
    await copy.write({ table, rows, isFull: false })
    for (const each of TABLES) await copy.end({ table: each, state: WALKED, isFull: false })
    await copy.finish()
  } finally {
    await copy.close()
  }
}

export const WALKED = { ...NEW_TABLE, since: '2026-01-01T00:00:00.000Z' }

/** Writes the tables and replaces their files. */
export async function writeFiles(writer: TableWriter, tables: Iterable<FileTable>): Promise<void> {
  const files = await writer.write(tables)
  await replaceFiles(files)
  await removePrevious(files.map(({ to }) => to))
}

export function tableOf(name: string, rows: Iterable<FileCell[]>): FileTable {
  const columns: FileColumn[] = [{ name: 'name', kind: 'text', isMoney: false }]
  return { name, columns, rows }
}

/** Yields rows and then throws, like a full disk. */
export function* rowsThenError(rows: readonly FileCell[][]): Iterable<FileCell[]> {
  yield* rows
  throw new Error('the disk is full')
}

/** Calls `finish` so that it fails after the first view. */
export async function finishDamaged(copy: FileCopy, database: string): Promise<void> {
  await copy.open(TABLES)
  try {
    const other = new DatabaseSync(database)
    other.exec('drop view order_lines')
    other.close()
    await copy.finish()
  } finally {
    await copy.close()
  }
}
