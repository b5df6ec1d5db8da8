import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CopyError, CopyFullError, NEW_TABLE } from '../src/copies/copy.ts'
import { DuckDbCopy } from '../src/copies/duckdb/duckdb-copy.ts'
import { loadDuckDb } from '../src/copies/duckdb/load-duckdb.ts'
import { TABLES } from '../src/tables.ts'
import { describeCopy } from './support/copy-contract.ts'
import { item, order, orders, required } from './support/copy-contract-rows.ts'
import { queryDuckDb, readDuckDbTable, withDuckDb } from './support/duckdb-files.ts'
import { createFolder } from './support/folders.ts'
import { runProgram } from './support/run-program.ts'

async function createFile(): Promise<string> {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  return path.join(folder, 'shop.duckdb')
}

async function openCopy(file: string): Promise<DuckDbCopy> {
  const copy = new DuckDbCopy(file)
  await copy.open(TABLES)
  onTestFinished(() => copy.close())
  return copy
}

describeCopy('a copy in a DuckDB file', async () => {
  const { folder, remove } = await createFolder()
  const file = path.join(folder, 'shop.duckdb')
  return {
    make: () => new DuckDbCopy(file),
    read: (table) => withDuckDb(file, (connection) => readDuckDbTable(connection, table)),
    change: async (statement) => void (await queryDuckDb(file, statement)),
    remove,
  }
})

test('the columns of a DuckDB copy have native types, and their comments are the descriptions in the API contract', async () => {
  const file = await createFile()
  await (await openCopy(file)).close()
  const columns = await queryDuckDb(
    file,
    `select table_name || '.' || column_name as name, data_type as type, comment from duckdb_columns()
    where table_name not like '\\_sync%' escape '\\'`,
  )
  const typeOf = (name: string) => columns.find((column) => column.name === name)?.type
  expect(['orders.id', 'orders.total', 'orders.created_at', 'orders.metafields', 'orders.email'].map(typeOf)).toEqual([
    ...['UUID', 'DECIMAL(38,2)', 'TIMESTAMP WITH TIME ZONE', 'JSON', 'VARCHAR'],
  ])
  expect(['products.weight_grams', 'locations.latitude', 'locations.latitude_text'].map(typeOf)).toEqual([
    ...['DECIMAL(38,2)', 'DOUBLE', 'VARCHAR'],
  ])
  expect(['order_items.quantity', 'products.has_variants'].map(typeOf)).toEqual(['INTEGER', 'BOOLEAN'])
  const note = orders.columns.find(({ name }) => name === 'total')?.note
  expect(columns.find(({ name }) => name === 'orders.total')?.comment).toBe(note)
})

test('if an order has a customer and items, the DuckDB views show the customer and the items with exact totals', async () => {
  const file = await createFile()
  const copy = await openCopy(file)
  const customer = { id: order().id, name: 'Ada', email: 'ada@example.com' }
  await copy.write({ table: required('customers'), rows: [customer], isFull: false })
  await copy.write({ table: required('store'), rows: [{ id: order().id, store_currency: 'EUR' }], isFull: false })
  const one = order({ customer_id: customer.id, total: '0.30' })
  await copy.write({
    table: orders,
    rows: [{ ...one, items: [{ ...item(one.id, 'Mug'), quantity: 3, price: '0.10' }] }],
    isFull: false,
  })
  await copy.close()
  expect(await queryDuckDb(file, 'select customer, lines, total, currency from orders_overview')).toEqual([
    { customer: 'Ada', lines: '1', total: '0.30', currency: 'EUR' },
  ])
  expect(await queryDuckDb(file, 'select name, quantity, line_total from order_lines where line_total = 0.3')).toEqual([
    { name: 'Mug', quantity: 3, line_total: '0.30' },
  ])
})

test('if a coordinate has many digits, store-sync reads all digits from the DuckDB copy, and an SQL query returns a double', async () => {
  const file = await createFile()
  const copy = await openCopy(file)
  const locations = required('locations')
  const sent = { id: order().id, latitude: '52.52000660000000000000001', longitude: '-13.40' }
  await copy.write({ table: locations, rows: [sent], isFull: false })
  expect(await copy.read({ table: locations, by: 'id', ids: [sent.id] })).toMatchObject([
    { latitude: sent.latitude, longitude: '-13.40' },
  ])
  expect(await queryDuckDb(file, 'select latitude, longitude from locations')).toEqual([
    { latitude: 52.5200066, longitude: -13.4 },
  ])
  await queryDuckDb(file, 'update locations set latitude = 1')
  const [changed] = await copy.read({ table: locations, by: 'id', ids: [sent.id] })
  expect(changed?.latitude, 'a change by another program is visible').toBe('1.0')
})

test.each(['1.005', '1e3', '1234567890123456789012345678901234567.00'])(
  "if a DuckDB copy can't store the amount %s, it writes no row of the page, and the error names the row with this amount",
  async (total) => {
    const copy = await openCopy(await createFile())
    const bad = order({ total })
    const writing = copy.write({ table: orders, rows: [order(), bad], isFull: false })
    await expect(writing).rejects.toThrow(CopyError)
    await expect(writing).rejects.toThrow(`cannot store total of the row ${bad.id}: must be a number with at most 36`)
    expect(await copy.count('orders')).toBe(0)
  },
)

test('if a user added a column to a DuckDB copy, updating a row does not change its value in this column', async () => {
  const file = await createFile()
  const copy = await openCopy(file)
  const [one, two] = [order(), order()]
  const write = (...rows: Record<string, unknown>[]) => copy.write({ table: orders, rows, isFull: false })
  await write(one)
  await copy.close()
  await queryDuckDb(file, "alter table orders add column note varchar default 'mine'")
  await copy.open(TABLES)
  await write({ ...one, email: 'new@example.com' }, two)
  expect(await queryDuckDb(file, 'select email, note from orders order by email nulls last')).toEqual([
    { email: 'new@example.com', note: 'mine' },
    { email: null, note: null },
  ])
})

test('if a page contains an order twice, the DuckDB copy has the last version of the order with the items of that version', async () => {
  const file = await createFile()
  const copy = await openCopy(file)
  const one = order()
  await copy.write({ table: orders, rows: [{ ...one, items: [item(one.id, 'old')] }], isFull: false })
  const rows = [
    { ...one, items: [item(one.id, 'older')] },
    { ...one, id: one.id.toUpperCase(), email: 'last@example.com', items: [item(one.id, 'new')] },
  ]
  await copy.write({ table: orders, rows, isFull: false })
  expect(await queryDuckDb(file, 'select email from orders')).toEqual([{ email: 'last@example.com' }])
  expect(await queryDuckDb(file, 'select name from order_items')).toEqual([{ name: 'new' }])
})

test('if another process has the DuckDB file open, opening the copy throws a CopyBusyError, and peek throws an error with the process ID', async () => {
  const file = await createFile()
  const copy = await openCopy(file)
  await copy.claim('one store')
  const script = `
    const { DuckDbCopy } = await import(${JSON.stringify(import.meta.resolve('../src/copies/duckdb/duckdb-copy.ts'))})
    const copy = new DuckDbCopy(${JSON.stringify(file)})
    const messages = []
    for (const attempt of [() => copy.open([]), () => copy.peek()])
      await attempt().catch((error) => messages.push(error.name + ': ' + error.message))
    console.log(messages.join('\\n'))`
  const { stdout } = await runProgram(process.execPath, ['--input-type=module', '-e', script], {})
  const [opening, peeking] = stdout.split('\n')
  expect(opening).toBe(`CopyBusyError: another store-sync run is writing ${file}; wait until it ends, or stop it`)
  expect(peeking).toMatch(/^CopyUnavailableError: another program, .+ \(PID \d+\), has .*shop\.duckdb open; close it/)
})

test("if a file is not a DuckDB database or contains another program's tables, opening it as a DuckDB copy throws and creates nothing", async () => {
  const file = await createFile()
  writeFileSync(file, 'not a database, and longer than a header would be')
  const copy = new DuckDbCopy(file)
  await expect(copy.open(TABLES)).rejects.toThrow(
    new CopyError(`${file} exists and is not a DuckDB database; use another file`),
  )
  expect(readdirSync(path.dirname(file))).toEqual(['shop.duckdb'])
  await expect(new DuckDbCopy(path.dirname(file)).open(TABLES)).rejects.toThrow('is not a file; use the path of a file')
  await expect(new DuckDbCopy(path.join(file, 'below')).open(TABLES)).rejects.toThrow(
    /cannot be created .*use another path/,
  )
  const other = path.join(path.dirname(file), 'other.duckdb')
  await queryDuckDb(other, 'create table orders (id integer)')
  await expect(new DuckDbCopy(other).open(TABLES)).rejects.toThrow(
    new CopyError(`${other} has orders, which store-sync did not create; use another file`),
  )
  expect(await queryDuckDb(other, 'select table_name from duckdb_tables()')).toEqual([{ table_name: 'orders' }])
})

test.skipIf(process.platform !== 'linux')(
  'if the disk of a DuckDB copy is full, opening the copy throws a CopyFullError, and succeeds after space is freed',
  async () => {
    const file = await createFile()
    const copy = await openCopy(file)
    await copy.write({ table: orders, rows: [order()], isFull: false })
    await copy.close()
    symlinkSync('/dev/full', `${file}.wal`)
    const opening = copy.open(TABLES)
    await expect(opening).rejects.toThrow(CopyFullError)
    await expect(opening).rejects.toThrow(`${file} has no space: its disk is full; free some space and run again`)
    rmSync(`${file}.wal`)
    await copy.open(TABLES)
    await copy.write({ table: orders, rows: [order()], isFull: true })
    expect(await copy.end({ table: orders, state: NEW_TABLE, isFull: true })).toBe(1)
  },
)

test('if DuckDB is not installed, opening a DuckDB copy throws a CopyError with the npm install command and creates nothing', async () => {
  const file = await createFile()
  const missing = 'a-package-that-is-not-there'
  const opening = new DuckDbCopy(file, () => loadDuckDb(() => import(missing))).open(TABLES)
  await expect(opening).rejects.toThrow(CopyError)
  await expect(opening).rejects.toThrow(/npm install @duckdb\/node-api@1\.5\.6-r\.1$/)
  expect(readdirSync(path.dirname(file))).toEqual([])
})
