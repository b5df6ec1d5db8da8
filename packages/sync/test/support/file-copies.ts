// A folder for the tests of copies that are files, and rows for them.

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import type { CopyRow } from '../../src/copies/copy.ts'
import { csvCopy } from '../../src/copies/files/csv-copy.ts'
import type { FileCopy, TableWriter } from '../../src/copies/files/file-copy.ts'
import type { FileCell, FileColumn, FileTable } from '../../src/copies/files/file-tables.ts'
import { parquetCopy } from '../../src/copies/files/parquet-copy.ts'
import { removePrevious, replaceFiles } from '../../src/copies/files/replace-files.ts'
import { xlsxCopy } from '../../src/copies/files/xlsx-copy.ts'
import { type CopyTable, findTable, TABLES } from '../../src/tables.ts'

/** A folder of the test's own. */
export async function aFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** A folder that goes with the test. */
export async function aPlace(): Promise<string> {
  const { folder, remove } = await aFolder()
  onTestFinished(remove)
  return folder
}

/** Runs statements in the SQLite file `database`, as another program does. */
export function changing(database: string): (statement: string) => Promise<void> {
  return async (statement) => {
    using other = new DatabaseSync(database)
    other.exec(statement)
  }
}

/** Every kind of files: how a copy is made in a folder, the file that holds its orders, and the database it is written from. */
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

/** The table of that name. */
export function theTable(name: string): CopyTable {
  const table = findTable(name)
  if (table === null) throw new Error(`there is no table ${name}`)
  return table
}

/** The copy, whose files are written whenever it is closed: so is what another program reads. */
export function finishing(copy: FileCopy): FileCopy {
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

/** Opens the copy, writes these orders, finishes and closes it. */
export async function writeOrders(copy: FileCopy, rows: readonly CopyRow[]): Promise<void> {
  const table = theTable('orders')
  await copy.open(TABLES)
  try {
    await copy.write({ table, rows, isFull: false })
    for (const each of TABLES) await copy.end({ table: each, state: WALKED, isFull: false })
    await copy.finish()
  } finally {
    await copy.close()
  }
}

/** The state of a table that was walked once. */
export const WALKED = { since: '2026-01-01T00:00:00.000Z', fullAt: null, startsAt: null }

/** Writes the tables, and puts their files in the place of the last ones. */
export async function writeFiles(writer: TableWriter, tables: Iterable<FileTable>): Promise<void> {
  const files = await writer.write(tables)
  await replaceFiles(files)
  await removePrevious(files.map(({ to }) => to))
}

/** A table of one column of texts. */
export function tableOf(name: string, rows: Iterable<FileCell[]>): FileTable {
  const columns: FileColumn[] = [{ name: 'name', kind: 'text', isMoney: false }]
  return { name, columns, rows }
}

/** Rows that end in the middle, as where the disk does. */
export function* failing(rows: readonly FileCell[][]): Iterable<FileCell[]> {
  yield* rows
  throw new Error('the disk is full')
}

/** Makes the copy's `finish` fail in the middle, as a file that is damaged would, after the first table was written. */
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
