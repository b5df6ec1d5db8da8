// Tests all kinds of copies that are files. All files are from one run, and a run writes only files that changed.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { CopyError, type CopyRow, NEW_TABLE } from '../src/copies/copy.ts'
import { csvCopy } from '../src/copies/files/csv-copy.ts'
import type { FileCopy } from '../src/copies/files/file-copy.ts'
import { FileRecords } from '../src/copies/files/file-records.ts'
import { FILE_NAMES } from '../src/copies/files/file-tables.ts'
import { parquetCopy } from '../src/copies/files/parquet-copy.ts'
import { FileInUseError, newName, replaceFiles } from '../src/copies/files/replace-files.ts'
import { TABLES } from '../src/tables.ts'
import { readCsv } from './support/csv-reader.ts'
import { KINDS, requireTable, WALKED, writeOrders } from './support/file-copies.ts'
import { createTestFolder } from './support/folders.ts'

const ORDER = { id: 'a', status: 'paid', total: '1.00', created_at: '2026-01-01T00:00:00.000Z', items: [] }
const GROUP = { id: 'g', name: 'Regulars' }

/** Syncs customer groups like a run: with a full walk. */
async function writeGroups(copy: FileCopy, rows: readonly CopyRow[]): Promise<void> {
  const table = requireTable('customer_groups')
  await copy.open(TABLES)
  try {
    await copy.write({ table, rows, isFull: true })
    await copy.end({ table, state: NEW_TABLE, isFull: true })
    await copy.finish()
  } finally {
    await copy.close()
  }
}

/** Returns the inode and bytes of the files that people see. */
function visibleFiles(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.includes('.store-sync'))
  return Object.fromEntries(
    names.map((name) => {
      const file = path.join(folder, name)
      return [name, statSync(file).isFile() ? `${statSync(file).ino} ${readFileSync(file).toString('base64')}` : '']
    }),
  )
}

function changedNames(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.keys(after).filter((name) => before[name] !== after[name])
}

test.each(KINDS)('if no row changed since the last run, a run writes no file of a $kind copy', async ({ make }) => {
  const folder = await createTestFolder()
  await writeOrders(make(folder), [ORDER])
  await writeGroups(make(folder), [GROUP])
  const before = visibleFiles(folder)
  await writeOrders(make(folder), [ORDER])
  await writeGroups(make(folder), [GROUP])
  await writeOrders(make(folder), [])
  expect(changedNames(before, visibleFiles(folder))).toEqual([])
})

test('until a table is synced for the first time, the CSV copy has no file for this table', async () => {
  const folder = await createTestFolder()
  const copy = csvCopy(folder)
  const table = requireTable('orders')
  await copy.open(TABLES)
  await copy.end({ table, state: WALKED, isFull: false })
  await copy.finish()
  await copy.close()
  const files = ['orders.csv', 'order_items.csv', 'orders_overview.csv', 'order_lines.csv']
  expect(
    readdirSync(folder)
      .filter((name) => name.endsWith('.csv'))
      .toSorted(),
  ).toEqual(files.toSorted())
  await writeOrders(csvCopy(folder), [])
  expect(readdirSync(folder)).toContain('customer_groups.csv')
})

test('if a CSV copy and a Parquet copy share a folder, a run of each copy updates its own orders file', async () => {
  const folder = await createTestFolder()
  await writeOrders(csvCopy(folder), [ORDER])
  await writeOrders(parquetCopy(folder), [ORDER])
  const before = visibleFiles(folder)
  const changed = [{ ...ORDER, total: '2.00' }]
  await writeOrders(csvCopy(folder), changed)
  await writeOrders(parquetCopy(folder), changed)
  expect(changedNames(before, visibleFiles(folder))).toEqual(expect.arrayContaining(['orders.csv', 'orders.parquet']))
})

test("if a run writes no row of a table, the run does not recompute the digest of the table's rows", async () => {
  const folder = await createTestFolder()
  const file = path.join(folder, '.store-sync.db')
  await writeOrders(csvCopy(folder), [ORDER])
  await writeGroups(csvCopy(folder), [GROUP])
  const before = new FileRecords(file).read().digests
  using database = new DatabaseSync(file)
  // A change outside of a run is not noticed, which shows that the table is not read.
  database.exec("update orders set total = '3.00'")
  await writeGroups(csvCopy(folder), [])
  const after = new FileRecords(file).read()
  expect(after.digests.get('orders')).toBe(before.get('orders'))
  expect(after.digests.get('customer_groups')).not.toBe(before.get('customer_groups'))
  expect(after.changedTables).toEqual(new Set())
})

test('if only one table changed, a run writes only the file of this table and the files of the views', async () => {
  const folder = await createTestFolder()
  await writeOrders(csvCopy(folder), [ORDER])
  await writeGroups(csvCopy(folder), [GROUP])
  const before = visibleFiles(folder)
  await writeOrders(csvCopy(folder), [{ ...ORDER, total: '2.00' }])
  const views = ['order_lines.csv', 'orders_overview.csv']
  expect(changedNames(before, visibleFiles(folder)).toSorted()).toEqual([...views, 'orders.csv'].toSorted())
  const later = visibleFiles(folder)
  await writeGroups(csvCopy(folder), [])
  expect(changedNames(later, visibleFiles(folder)).toSorted()).toEqual([...views, 'customer_groups.csv'].toSorted())
})

test.each(KINDS)(
  'if a run stops before it writes the files of a $kind copy, the next run writes these files',
  async (each) => {
    const { make, orders } = each
    const folder = await createTestFolder()
    await writeOrders(make(folder), [ORDER])
    const before = visibleFiles(folder)
    const table = requireTable('orders')
    const copy = make(folder)
    await copy.open(TABLES)
    await copy.write({ table, rows: [{ ...ORDER, total: '2.00' }], isFull: false })
    await copy.close()
    expect(changedNames(before, visibleFiles(folder))).toEqual([])
    expect(await make(folder).changedFiles()).toContain(orders)
    await writeOrders(make(folder), [])
    expect(changedNames(before, visibleFiles(folder))).not.toEqual([])
    expect(await make(folder).changedFiles()).toEqual([])
  },
)

test.each(KINDS)(
  'if a file of a $kind copy was edited or removed, changedFiles returns its name, and the next run writes the file again',
  async (each) => {
    const folder = await createTestFolder()
    const copy = each.make(folder)
    await writeOrders(copy, [ORDER])
    expect(await copy.changedFiles()).toEqual([])
    const file = path.join(folder, each.orders)
    const bytes = readFileSync(file)
    bytes[bytes.length - 3] = (bytes.at(-3) ?? 0) ^ 1
    writeFileSync(file, bytes)
    expect(await copy.changedFiles()).toEqual([each.orders])
    await writeOrders(each.make(folder), [])
    expect(await copy.changedFiles()).toEqual([])
    rmSync(file)
    expect(await copy.changedFiles()).toEqual([each.orders])
    await writeOrders(each.make(folder), [])
    expect(await copy.changedFiles()).toEqual([])
  },
)

test('before a CSV copy writes its files for the first time, changedFiles returns the names of all files', async () => {
  const folder = await createTestFolder()
  const copy = csvCopy(folder)
  await copy.open(TABLES)
  for (const table of TABLES) await copy.end({ table, state: WALKED, isFull: false })
  expect(await copy.changedFiles()).toEqual(FILE_NAMES.map((name) => `${name}.csv`))
  await copy.close()
})

test.each(KINDS)(
  "if a folder has the name of a $kind copy's file, a run throws a CopyError and changes no file",
  async ({ make, orders }) => {
    const folder = await createTestFolder()
    await writeOrders(make(folder), [ORDER])
    rmSync(path.join(folder, orders))
    mkdirSync(path.join(folder, orders, 'inside'), { recursive: true })
    const before = visibleFiles(folder)
    const failing = writeOrders(make(folder), [{ ...ORDER, total: '2.00' }])
    await expect(failing).rejects.toThrow(CopyError)
    await expect(failing).rejects.toThrow(`${orders} is a folder; move it away and run again`)
    expect(visibleFiles(folder)).toEqual(before)
    rmSync(path.join(folder, orders), { recursive: true })
    await writeOrders(make(folder), [])
    expect(await make(folder).changedFiles()).toEqual([])
  },
)

test('if the folder of orders.csv is not writable, the file stays unchanged, and the error says to make the file writable', async () => {
  const folder = await createTestFolder()
  const to = path.join(folder, 'orders.csv')
  writeFileSync(to, 'old')
  writeFileSync(newName(to), 'new')
  chmodSync(folder, 0o555)
  // root ignores permissions, so the test switches to another user.
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  const failing = replaceFiles([{ from: newName(to), to }])
  await expect(failing)
    .rejects.toThrow(FileInUseError)
    .finally(() => {
      if (isRoot) process.seteuid?.(0)
      chmodSync(folder, 0o755)
    })
  await expect(failing).rejects.toThrow(
    /cannot replace \S+orders\.csv \(\w+\); close it in other programs, or make it writable, and run/,
  )
  expect(readFileSync(to, 'utf8')).toBe('old')
})

/** Leaves the folder like a run that is killed while it replaces files. */
async function killWhileReplacing(folder: string, names: readonly string[]): Promise<void> {
  const files = names.map((name) => ({ from: newName(path.join(folder, name)), to: path.join(folder, name) }))
  for (const { from } of files) writeFileSync(from, 'new')
  new FileRecords(path.join(folder, '.store-sync.db')).delete(names)
  await replaceFiles(files)
  writeFileSync(newName(path.join(folder, 'products.csv')), 'half')
}

test('if a run was killed while it replaced files, opening the copy again restores the previous files', async () => {
  const folder = await createTestFolder()
  await writeOrders(csvCopy(folder), [ORDER])
  const before = visibleFiles(folder)
  await killWhileReplacing(folder, ['orders.csv', 'store.csv'])
  expect(changedNames(before, visibleFiles(folder))).toContain('store.csv')
  const copy = csvCopy(folder)
  await copy.open(TABLES)
  expect(visibleFiles(folder)).toEqual(before)
  await copy.finish()
  await copy.close()
  expect(await copy.changedFiles()).toEqual([])
  expect(Object.keys(visibleFiles(folder))).toEqual(Object.keys(before))
})

test('if a run was killed after it had replaced all files, opening the copy again leaves the new files in place', async () => {
  const folder = await createTestFolder()
  await writeOrders(csvCopy(folder), [ORDER])
  const database = path.join(folder, '.store-sync.db')
  const { files, digests } = new FileRecords(database).read()
  await killWhileReplacing(folder, ['orders.csv'])
  const record = files.get('orders.csv')
  if (record === undefined) throw new Error('no record')
  new FileRecords(database).save([record], digests)
  const copy = csvCopy(folder)
  await copy.open(TABLES)
  await copy.close()
  expect(readFileSync(path.join(folder, 'orders.csv'), 'utf8')).toBe('new')
  expect(readdirSync(folder).filter((name) => /\.(?:old|new)$/.test(name))).toEqual([])
  expect(existsSync(database)).toBe(true)
})

test('the rows in a CSV file are sorted by creation time, then by ID', async () => {
  const folder = await createTestFolder()
  const created = (id: string, day: number) => ({ ...ORDER, id, created_at: `2026-01-0${day}T00:00:00.000Z` })
  await writeOrders(csvCopy(folder), [created('a', 3), created('b', 1), created('d', 2), created('c', 2)])
  expect(readCsv(path.join(folder, 'orders.csv')).map(({ id }) => id)).toEqual(['b', 'c', 'd', 'a'])
})
