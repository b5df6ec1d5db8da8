// A folder for the tests of copies that are files, and rows for them.

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { CopyRow } from '../src/copies/copy.ts'
import type { Cell, FileColumn, FileCopy, FileTable } from '../src/copies/files.ts'
import { findTable, TABLES } from '../src/tables.ts'

/** A folder of the test's own. */
export async function aFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
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
  const table = findTable('orders')
  if (table === null) throw new Error('there is no table orders')
  await copy.open(TABLES)
  try {
    await copy.write({ table, rows, isWhole: false })
    await copy.finish()
  } finally {
    await copy.close()
  }
}

/** A table of one column of texts. */
export function tableOf(name: string, rows: Iterable<Cell[]>): FileTable {
  const columns: FileColumn[] = [{ name: 'name', kind: 'text', isMoney: false }]
  return { name, columns, rows }
}

/** Rows that end in the middle, as where the disk does. */
export function* failing(rows: readonly Cell[][]): Iterable<Cell[]> {
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
