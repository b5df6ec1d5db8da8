import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CopyBusyError, CopyError, NEW_TABLE } from '../src/copies/copy.ts'
import { SqliteCopy } from '../src/copies/sqlite/sqlite-copy.ts'
import { type CopyTable, findTable, TABLES } from '../src/tables.ts'
import { describeCopy } from './support/copy-contract.ts'
import { statementRunner } from './support/file-copies.ts'
import { withDigits } from './support/rows-by-table.ts'

async function createFile(): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  return { file: path.join(folder, 'shop.db'), remove: () => rm(folder, { recursive: true, force: true }) }
}

function tableOf(name: string): CopyTable {
  const table = findTable(name)
  if (table === null) throw new Error(`no table ${name}`)
  return table
}

function rowsOf(file: string, select: string) {
  using database = new DatabaseSync(file, { readOnly: true })
  return database.prepare(select).all()
}

describeCopy('a copy in a SQLite file', async () => {
  const { file, remove } = await createFile()
  return {
    make: () => new SqliteCopy(file),
    async read(table) {
      const database = new DatabaseSync(file, { readOnly: true })
      const rows = database.prepare(`select * from ${table} order by id`).all()
      database.close()
      const text = (value: unknown) => (value === null ? null : String(value))
      return rows
        .map(withDigits)
        .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)])))
    },
    change: statementRunner(file),
    remove,
  }
})

test("if another program created a table with the name of a copy's table, opening a SQLite copy throws a CopyError and preserves the table", async () => {
  const { file, remove } = await createFile()
  onTestFinished(remove)
  const foreign = new DatabaseSync(file)
  foreign.exec("create table customers (id integer, secret text); insert into customers values (1, 'mine')")
  foreign.close()
  await expect(new SqliteCopy(file).open(TABLES)).rejects.toThrow(CopyError)
  const database = new DatabaseSync(file, { readOnly: true })
  expect(database.prepare('select * from customers').all()).toEqual([{ id: 1, secret: 'mine' }])
  database.close()
  const another = new SqliteCopy(`${file}.other`)
  await another.open(TABLES)
  await another.close()
})

test('if a SQLite copy is open, opening the copy through a symbolic link throws a CopyBusyError', async () => {
  const { file, remove } = await createFile()
  onTestFinished(remove)
  const copy = new SqliteCopy(file)
  await copy.open(TABLES)
  await symlink(file, `${file}-link`)
  await expect(new SqliteCopy(`${file}-link`).open(TABLES)).rejects.toThrow(CopyBusyError)
  await copy.close()
})

test('if an older version of store-sync updates a row, columns that a newer version added retain their values', async () => {
  const { file, remove } = await createFile()
  onTestFinished(remove)
  const copy = new SqliteCopy(file)
  await copy.open(TABLES)
  const orders = tableOf('orders')
  const page = { table: orders, rows: [{ id: 'x', status: 'paid', items: [] }], isFull: false }
  await copy.write(page)
  const newer = new DatabaseSync(file)
  newer.exec("alter table orders add column color text; update orders set color = 'red'")
  newer.close()
  await copy.write({ ...page, rows: [{ id: 'x', status: 'shipped', items: [] }] })
  await copy.close()
  expect(rowsOf(file, 'select status, color from orders')).toEqual([{ status: 'shipped', color: 'red' }])
})

test('after a run, the SQLite copy has the journal mode delete, and its folder has only the copy and the lock file', async () => {
  const { file, remove } = await createFile()
  onTestFinished(remove)
  const copy = new SqliteCopy(file)
  for (let run = 0; run < 2; run += 1) {
    await copy.open(TABLES)
    await copy.claim('one store')
    expect(rowsOf(file, 'pragma journal_mode')).toEqual([{ journal_mode: 'wal' }])
    await copy.close()
    expect(rowsOf(file, 'pragma journal_mode')).toEqual([{ journal_mode: 'delete' }])
    expect((await readdir(path.dirname(file))).toSorted()).toEqual(['shop.db', 'shop.db-run'])
  }
})

test('if a reader has an open transaction, closing a SQLite copy takes less than 2 s, and the reader still reads its snapshot', async () => {
  const { file, remove } = await createFile()
  onTestFinished(remove)
  const copy = new SqliteCopy(file)
  await copy.open(TABLES)
  const reader = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => reader.close())
  reader.exec('begin')
  const count = reader.prepare('select count(*) as orders from orders')
  expect(count.get()).toEqual({ orders: 0 })
  await copy.write({ table: tableOf('orders'), rows: [{ id: 'x', items: [] }], isFull: false })
  const startedAt = performance.now()
  await copy.close()
  expect(performance.now() - startedAt).toBeLessThan(2000)
  expect(count.get()).toEqual({ orders: 0 })
  reader.exec('commit')
  expect(count.get()).toEqual({ orders: 1 })
  await copy.open(TABLES)
  await copy.close()
})

describe('paths of a SQLite copy', () => {
  test.each([':memory:', 'file:x.db?mode=memory'])(
    'if the path of a SQLite copy is %s, the copy is a file with this name',
    async (name) => {
      const { file, remove } = await createFile()
      onTestFinished(remove)
      const source = path.resolve(import.meta.dirname, '..', 'src')
      const program = `
      const { SqliteCopy } = await import(${JSON.stringify(path.join(source, 'copies', 'sqlite', 'sqlite-copy.ts'))})
      const { TABLES } = await import(${JSON.stringify(path.join(source, 'tables.ts'))})
      const copy = new SqliteCopy(${JSON.stringify(name)})
      await copy.open(TABLES)
      await copy.claim('one store')
      await copy.close()
      console.log(copy.name)`
      const args = ['--input-type=module', '--eval', program]
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: path.dirname(file) })
      expect(stdout.trim()).toBe(name)
      expect(await new SqliteCopy(path.join(path.dirname(file), name)).peek()).toMatchObject({ storeId: 'one store' })
    },
  )

  test('if the folder of a SQLite copy is missing, opening the copy creates the folder, and peek does not', async () => {
    const { file, remove } = await createFile()
    onTestFinished(remove)
    const within = path.join(path.dirname(file), 'a', 'b', 'shop.db')
    const copy = new SqliteCopy(within)
    expect(await copy.peek()).toBeNull()
    expect(existsSync(path.dirname(within)), 'peek creates nothing').toBe(false)
    await copy.open(TABLES)
    await copy.close()
    expect(existsSync(within)).toBe(true)
  })

  test('if the file is not a SQLite database, opening a SQLite copy throws a CopyError and creates nothing', async () => {
    const { file, remove } = await createFile()
    onTestFinished(remove)
    await writeFile(file, 'not a database, and longer than a header would be')
    const copy = new SqliteCopy(file)
    const message = `${file} exists and is not a SQLite database; use another file`
    await expect(copy.open(TABLES)).rejects.toThrow(new CopyError(message))
    await expect(copy.peek()).rejects.toThrow(`${file} is not a SQLite database; use another file (file is not`)
    expect(await readdir(path.dirname(file))).toEqual(['shop.db'])
    await rm(file)
    await copy.open(TABLES)
    await copy.close()
  })

  test('if the path is a folder or is below a file, opening a SQLite copy throws and says to use another path', async () => {
    const { file, remove } = await createFile()
    onTestFinished(remove)
    const folder = path.dirname(file)
    await expect(new SqliteCopy(folder).open(TABLES)).rejects.toThrow(
      new CopyError(`${folder} is not a file; use the path of a file`),
    )
    await writeFile(file, '')
    const below = new SqliteCopy(path.join(file, 'shop.db'), 'the name')
    const error = await below.open(TABLES).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(CopyError)
    expect(String(error)).toMatch(/the name \(its shop.db\) cannot be created .*(?:EEXIST|ENOTDIR).*use another path/)
    expect(await readdir(folder)).toEqual(['shop.db'])
  })
})

test('if the first sync reads an order twice with different items, the SQLite copy has only the items of the second read', async () => {
  const { file, remove } = await createFile()
  onTestFinished(remove)
  const copy = new SqliteCopy(file)
  await copy.open(TABLES)
  const orders = tableOf('orders')
  const page = (...lines: string[]) => ({
    table: orders,
    rows: [{ id: 'x', items: lines.map((id) => ({ id, order_id: 'x' })) }],
    isFull: true,
  })
  await copy.write(page('a', 'b'))
  await copy.write(page('b', 'c'))
  expect(await copy.end({ table: orders, state: NEW_TABLE, isFull: true })).toBe(0)
  await copy.close()
  const lines = rowsOf(file, 'select id from order_items order by id')
  expect(lines.map(({ id }) => id)).toEqual(['b', 'c'])
})

test('the SQLite copy gets its indexes at the end of the first sync, or on the next open if the first sync was interrupted', async () => {
  const { file, remove } = await createFile()
  onTestFinished(remove)
  const indexes = () =>
    rowsOf(file, "select name from sqlite_schema where type = 'index'").map(({ name }) => String(name))
  const expected = [
    'orders_customer_id',
    'orders_created_at',
    'orders_updated_at',
    'orders_email',
    'order_items_order_id',
    'order_items_product_id',
  ]
  const copy = new SqliteCopy(file)
  await copy.open(TABLES)
  const orders = tableOf('orders')
  await copy.write({ table: orders, rows: [{ id: 'x', items: [] }], isFull: true, isFirst: true })
  expect(indexes()).not.toContain('orders_customer_id')
  await copy.close()
  await copy.open(TABLES)
  expect(indexes()).toEqual(expect.arrayContaining(expected))
  await copy.write({ table: orders, rows: [{ id: 'x', items: [] }], isFull: true, isFirst: true })
  await copy.end({ table: orders, state: NEW_TABLE, isFull: true })
  expect(indexes()).toEqual(expect.arrayContaining(expected))
  await copy.close()
})
