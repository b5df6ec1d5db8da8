// Tests the folder of a copy of files. A run changes no files of other programs, and keeps permissions and symbolic
// links.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { CopyError } from '../src/copies/copy.ts'
import { csvCopy } from '../src/copies/files/csv-copy.ts'
import { parquetCopy } from '../src/copies/files/parquet-copy.ts'
import { newName, replaceFiles } from '../src/copies/files/replace-files.ts'
import { xlsxCopy } from '../src/copies/files/xlsx-copy.ts'
import { TABLES } from '../src/tables.ts'
import { KINDS, requireTable, writeOrders } from './support/file-copies.ts'
import { createTestFolder } from './support/folders.ts'

const ORDER = { id: 'a', status: 'paid', total: '1.00', created_at: '2026-01-01T00:00:00.000Z', items: [] }
const CHANGED = { ...ORDER, total: '2.00' }

test.each(KINDS)(
  "if another program's file is at the path of a new $kind copy, opening the copy throws a CopyError and changes nothing",
  async (each) => {
    const folder = await createTestFolder()
    const file = path.join(folder, each.orders)
    writeFileSync(file, 'mine')
    const opening = each.make(folder).open(TABLES)
    await expect(opening).rejects.toThrow(CopyError)
    await expect(opening).rejects.toThrow(
      `${file} exists and store-sync did not create it; move it away, or use another path`,
    )
    expect(readdirSync(folder)).toEqual([each.orders])
    expect(readFileSync(file, 'utf8')).toBe('mine')
  },
)

test.each(KINDS)(
  "if another program writes to the path of a $kind copy's file before the first sync, opening the copy throws and preserves the file",
  async ({ make, orders }) => {
    const folder = await createTestFolder()
    const copy = make(folder)
    await copy.open(TABLES)
    await copy.close()
    writeFileSync(path.join(folder, orders), 'mine')
    await expect(make(folder).open(TABLES)).rejects.toThrow('move it away, or use another path')
    expect(readFileSync(path.join(folder, orders), 'utf8')).toBe('mine')
  },
)

test.each(KINDS)(
  'if a run is killed while it creates the first files of a $kind copy, the next run replaces these files',
  async (each) => {
    const folder = await createTestFolder()
    const copy = each.make(folder)
    await copy.open(TABLES)
    await copy.claim('a-store')
    await copy.write({ table: requireTable('orders'), rows: [ORDER], isFull: false })
    await copy.close()
    const to = path.join(folder, each.orders)
    writeFileSync(newName(to), 'new')
    await replaceFiles([{ from: newName(to), to }])
    await writeOrders(each.make(folder), [CHANGED])
    expect(await each.make(folder).changedFiles()).toEqual([])
  },
)

test("if a copy's path is too long or blocked by a file or folder, opening the copy throws a CopyError and creates nothing", async () => {
  const folder = await createTestFolder()
  const file = path.join(folder, 'file')
  writeFileSync(file, 'mine')
  mkdirSync(path.join(folder, 'inner'))
  const blockedBy = (folder: string) => `cannot create or write the folder ${folder} (a file has this name)`
  const cases = [
    { copy: csvCopy(file), message: blockedBy(file) },
    { copy: parquetCopy(path.join(file, 'deep')), message: blockedBy(path.join(file, 'deep')) },
    { copy: xlsxCopy(path.join(file, 'shop.xlsx')), message: blockedBy(file) },
    {
      copy: xlsxCopy(path.join(folder, 'inner')),
      message: `${path.join(folder, 'inner')} is a folder, but the copy needs a file with this name`,
    },
    { copy: csvCopy(path.join(folder, 'x'.repeat(300))), message: '(ENAMETOOLONG); use another path' },
  ]
  for (const { copy, message } of cases) {
    const opening = copy.open(TABLES)
    await expect(opening).rejects.toThrow(CopyError)
    await expect(opening).rejects.toThrow(message)
  }
  expect(readdirSync(folder).toSorted()).toEqual(['file', 'inner'])
  expect(readdirSync(path.join(folder, 'inner'))).toEqual([])
})

test.each(KINDS)(
  'if a file of a $kind copy has mode 600, a run replaces the file and preserves the mode',
  async ({ make, orders }) => {
    const folder = await createTestFolder()
    const file = path.join(folder, orders)
    await writeOrders(make(folder), [ORDER])
    const { ino } = statSync(file)
    chmodSync(file, 0o600)
    await writeOrders(make(folder), [CHANGED])
    expect(statSync(file).ino).not.toBe(ino)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  },
)

test.each(KINDS)(
  "if a file of a $kind copy is a symbolic link, a run replaces the link's target and leaves the link in place",
  async (each) => {
    const [folder, elsewhere] = [await createTestFolder(), await createTestFolder()]
    const [file, real] = [path.join(folder, each.orders), path.join(elsewhere, 'real')]
    await writeOrders(each.make(folder), [ORDER])
    renameSync(file, real)
    symlinkSync(real, file)
    expect(await each.make(folder).changedFiles()).toEqual([])
    const before = readFileSync(real)
    await writeOrders(each.make(folder), [CHANGED])
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(real).equals(before)).toBe(false)
    expect(await each.make(folder).changedFiles()).toEqual([])
    expect(readdirSync(elsewhere)).toEqual(['real'])
  },
)
