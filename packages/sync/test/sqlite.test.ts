import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
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
  await copy.close()
  await copy.open(TABLES)
  const orders = TABLES.find(({ name }) => name === 'orders')
  if (orders === undefined) throw new Error('no orders')
  await copy.write({ table: orders, rows: [{ id: 'x', metafields: { a: 1 }, items: [] }], isWhole: false })
  await copy.close()
  const database = new DatabaseSync(file, { readOnly: true })
  expect(database.prepare('select metafields from orders').get()).toEqual({ metafields: '{"a":1}' })
  database.close()
})
