import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { CopyBusy, CopyProblem } from '../src/copies/copy.ts'
import { SqliteCopy } from '../src/copies/sqlite.ts'
import { TABLES } from '../src/tables.ts'
import { describeCopy } from './copy-contract.ts'

async function aFile(): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  return { file: path.join(folder, 'shop.db'), remove: () => rm(folder, { recursive: true, force: true }) }
}

describeCopy('a SQLite file', async () => {
  const { file, remove } = await aFile()
  return {
    make: () => new SqliteCopy(file),
    async read(table) {
      const database = new DatabaseSync(file, { readOnly: true })
      const rows = database.prepare(`select * from ${table} order by id`).all()
      database.close()
      const text = (value: unknown) => (value === null ? null : String(value))
      return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)])))
    },
    remove,
  }
})

test('a column that a newer version knows is added to an older file', async () => {
  const { file, remove } = await aFile()
  onTestFinished(remove)
  const older = TABLES.map((table) => ({
    ...table,
    columns: table.columns.filter(({ name }) => name !== 'metafields'),
  }))
  const copy = new SqliteCopy(file)
  await copy.open(older)
  const before = older.find(({ name }) => name === 'orders')
  if (before === undefined) throw new Error('no orders')
  const state = { since: '2026-01-01T00:00:00.000Z', wholeAt: '2026-01-01T00:00:00.000Z' }
  await copy.end({ table: before, state, isWhole: true })
  await copy.close()
  // what was read before lacks the column: the next run reads everything
  expect((await copy.open(TABLES)).tables.get('orders')?.since).toBeNull()
  const orders = TABLES.find(({ name }) => name === 'orders')
  if (orders === undefined) throw new Error('no orders')
  await copy.write({ table: orders, rows: [{ id: 'x', metafields: { a: 1 }, items: [] }], isWhole: false })
  await copy.close()
  const database = new DatabaseSync(file, { readOnly: true })
  expect(database.prepare('select metafields from orders').get()).toEqual({ metafields: '{"a":1}' })
  database.close()
})

test('a file with tables of these names that is no copy is left alone', async () => {
  const { file, remove } = await aFile()
  onTestFinished(remove)
  const foreign = new DatabaseSync(file)
  foreign.exec("create table customers (id integer, secret text); insert into customers values (1, 'mine')")
  foreign.close()
  await expect(new SqliteCopy(file).open(TABLES)).rejects.toThrow(CopyProblem)
  const database = new DatabaseSync(file, { readOnly: true })
  expect(database.prepare('select * from customers').all()).toEqual([{ id: 1, secret: 'mine' }])
  database.close()
  const another = new SqliteCopy(`${file}.other`)
  await another.open(TABLES)
  await another.close()
})

test('one file has one lock, by whichever name it is called', async () => {
  const { file, remove } = await aFile()
  onTestFinished(remove)
  const copy = new SqliteCopy(file)
  await copy.open(TABLES)
  await symlink(file, `${file}-link`)
  await expect(new SqliteCopy(`${file}-link`).open(TABLES)).rejects.toThrow(CopyBusy)
  await copy.close()
})

test('a file that is no database is told, and its lock given back', async () => {
  const { file, remove } = await aFile()
  onTestFinished(remove)
  await writeFile(file, 'not a database, and longer than a header would be')
  const copy = new SqliteCopy(file)
  await expect(copy.open(TABLES)).rejects.toThrow('not a database')
  await rm(file)
  await copy.open(TABLES)
  await copy.close()
})
