// Tests decimals in SQLite copies with queries like those of users: results equal those of PostgreSQL, and no digit is
// lost.

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { CopyError } from '../src/copies/copy.ts'
import { csvCopy } from '../src/copies/files/csv-copy.ts'
import { PostgresCopy } from '../src/copies/postgres/postgres-copy.ts'
import { SqliteCopy } from '../src/copies/sqlite/sqlite-copy.ts'
import { TABLES } from '../src/tables.ts'
import { orders, required } from './support/copy-contract-rows.ts'
import { readCsv } from './support/csv-reader.ts'
import { createTestDatabase, SCHEMA } from './support/postgres-copies.ts'

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const orderOf = (total: string | null, more: object = {}) => ({
  id: randomUUID(),
  email: 'a@example.com',
  status: 'paid',
  total,
  created_at: '2026-01-01T00:00:00.000Z',
  items: [],
  ...more,
})

async function openSqliteCopy(rows: readonly object[]): Promise<DatabaseSync> {
  const file = path.join(await createFolder(), 'shop.db')
  await writeOrders(new SqliteCopy(file), rows)
  const database = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => database.close())
  return database
}

async function writeOrders(copy: SqliteCopy | PostgresCopy, rows: readonly object[]): Promise<void> {
  await copy.open(TABLES)
  await copy.write({ table: orders, rows: rows.map((row) => ({ ...row })), isFull: false })
  await copy.finish()
  await copy.close()
}

/** Generates an amount of at most `digits` digits, two of them after the point. */
const amountOf = (digits: number) =>
  fc.bigInt({ min: -(10n ** BigInt(digits)) + 1n, max: 10n ** BigInt(digits) - 1n }).map((cents) => {
    const text = String(cents < 0n ? -cents : cents).padStart(3, '0')
    return `${cents < 0n ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`
  })

/** Generates amounts of 1 to 15 digits, all lengths with equal probability. */
const amounts = fc.integer({ min: 1, max: 15 }).chain(amountOf)

test('if amounts have up to 15 digits, SQLite compares, sorts, and sums them like PostgreSQL', async () => {
  const { url, sql } = await createTestDatabase()
  const totals = [...fc.sample(amounts, 900), '3985.12', '999.77', '100.00', '-0.01', '0.00']
  const rows = totals.map((total) => orderOf(total))
  await writeOrders(new PostgresCopy({ url }), rows)
  const database = await openSqliteCopy(rows)
  const bounds = [...fc.sample(amounts, 40), '100', '999.77', '0', '-0.01']
  for (const table of ['orders', 'orders_overview']) {
    const queries = [
      ...bounds.flatMap((bound) => [
        `select count(*) from ${table} where total > ${bound}`,
        `select count(*) from ${table} where total <= ${bound}`,
        `select count(*) from ${table} where total = ${bound}`,
      ]),
      `select count(*) from ${table} where total between -50 and 5000.5`,
    ]
    for (const query of queries) {
      const [expected] = await sql.unsafe(query.replace(`from ${table}`, `from ${SCHEMA}.${table}`))
      expect(Number(Object.values(database.prepare(query).get() ?? {})[0]), query).toBe(Number(expected?.count))
    }
    const [exact] = await sql.unsafe(
      `select max(total)::text as most, min(total)::text as least, (sum(total) * 100)::bigint::text as cents,
        (sum(total) filter (where abs(total) < 1000000) * 100)::bigint::text as small from ${SCHEMA}.${table}`,
    )
    const found = database.prepare(
      `select max(total) as most, min(total) as least, cast(sum(total_cents) as text) as cents,
        cast(sum(total_cents) filter (where abs(total) < 1000000) as text) as small from ${table}`,
    )
    expect({ ...found.get() }, table).toEqual({
      most: Number(exact?.most),
      least: Number(exact?.least),
      cents: exact?.cents,
      small: exact?.small,
    })
    const inOrder = await sql.unsafe(`select total::text as digits from ${SCHEMA}.${table} order by total`)
    const sorted = database.prepare(`select total from ${table} order by total`).all()
    expect(sorted.map(({ total }) => Number(total).toFixed(2))).toEqual(inOrder.map(({ digits }) => digits))
  }
})

test('an amount of up to 15 digits in a SQLite copy equals the same SQL literal, and differs from literals one cent away', async () => {
  const file = path.join(await createFolder(), 'shop.db')
  const copy = new SqliteCopy(file)
  await copy.open(TABLES)
  onTestFinished(() => copy.close())
  const reader = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => reader.close())
  await fc.assert(
    fc.asyncProperty(fc.array(amounts, { minLength: 50, maxLength: 50 }), async (totals) => {
      const rows = totals.map((total) => orderOf(total))
      await copy.write({ table: orders, rows, isFull: false })
      for (const { id, total } of rows) {
        // The statement contains the amount as a literal, as users write it.
        const read = reader.prepare(
          `select total, total_text, total_cents, typeof(total) as type, total = ${total} as same,
            total < ${total} + 0.01 and total > ${total} - 0.01 as apart, cast(round(total * 100) as integer) as cents
          from orders where id = ?`,
        )
        const cents = Number(total?.replace('.', ''))
        expect({ ...read.get(id) }, String(total)).toEqual({
          total: Number(total),
          total_text: total,
          total_cents: cents,
          type: 'real',
          same: 1,
          apart: 1,
          cents,
        })
        expect(Number(read.get(id)?.total).toFixed(2)).toBe(total === '-0.00' ? '0.00' : total)
      }
    }),
    { numRuns: 40 },
  )
})

test('if an amount has more than 15 digits, total_text in the SQLite copy has every digit, and total_cents is null', async () => {
  const long = '123456789012345678901234567890.10'
  const database = await openSqliteCopy([
    orderOf('9999999999999.99'),
    orderOf('-1234567890123.45'),
    orderOf('10000000000000.00'),
    orderOf(long),
    orderOf(null),
  ])
  const read = database.prepare(
    'select total_text, cast(total_cents as text) as cents, total from orders order by total nulls last',
  )
  expect(read.all().map((row) => Object.values(row))).toEqual([
    ['-1234567890123.45', '-123456789012345', -1234567890123.45],
    ['9999999999999.99', '999999999999999', 9999999999999.99],
    ['10000000000000.00', null, 10000000000000],
    [long, null, Number(long)],
    [null, null, null],
  ])
})

test('a SQLite copy stores coordinates and weights as a number and as text with all digits, but not as cents', async () => {
  const file = path.join(await createFolder(), 'shop.db')
  const copy = new SqliteCopy(file)
  await copy.open(TABLES)
  const location = {
    id: 'l',
    name: 'Berlin',
    latitude: '52.5200',
    longitude: '13.40495400000',
    created_at: '2026-01-01T00:00:00.000Z',
  }
  await copy.write({ table: required('locations'), rows: [location], isFull: false })
  const product = { id: 'p', name: 'Tea', price: '4.10', weight_grams: '90.50', variants: [] }
  await copy.write({ table: required('products'), rows: [product], isFull: false })
  await copy.close()
  using database = new DatabaseSync(file, { readOnly: true })
  const near = 'select latitude, latitude_text, longitude_text from locations where latitude > 9 and longitude < 100'
  expect({ ...database.prepare(near).get() }).toEqual({
    latitude: 52.52,
    latitude_text: '52.5200',
    longitude_text: '13.40495400000',
  })
  const heavy = 'select weight_grams, weight_grams_text, price_cents from products where weight_grams > 9'
  expect({ ...database.prepare(heavy).get() }).toEqual({
    weight_grams: 90.5,
    weight_grams_text: '90.50',
    price_cents: 410,
  })
  expect(() => database.prepare('select weight_grams_cents from products')).toThrow('no such column')
})

test('line_total_cents in SQLite is exact if price times quantity has at most 15 digits, and otherwise null', async () => {
  const item = (price: string, quantity: number) => ({ id: randomUUID(), name: 'n', price, quantity })
  const order = orderOf('1.00')
  const items = [
    item('0.10', 3),
    item('-19.99', 7),
    item('9999999999.99', 999),
    item('9999999999999.99', 1_000_000_000),
  ].map((each) => ({
    ...each,
    order_id: order.id,
  }))
  const database = await openSqliteCopy([{ ...order, items }])
  const lines = database.prepare(
    'select line_total, cast(line_total_cents as text) as cents from order_lines order by line_total',
  )
  expect(lines.all().map((row) => Object.values(row))).toEqual([
    [-139.93, '-13993'],
    [0.3, '30'],
    [9989999999990.01, '998999999999001'],
    [9999999999999.99 * 1e9, null],
  ])
  const folder = await createFolder()
  await writeOrders(csvCopy(folder), [{ ...order, items }])
  const inFile = readCsv(path.join(folder, 'order_lines.csv')).map((row) => row.line_total)
  expect(new Set(inFile)).toEqual(new Set(['-139.93', '0.30', '9989999999990.01', null]))
})

/** Creates a copy of an older version, whose decimals are text, with an order and a view of the user. */
async function createTextCopy(view: string): Promise<string> {
  const file = path.join(await createFolder(), 'shop.db')
  using database = new DatabaseSync(file)
  database.exec(`
    create table _sync_copy (one integer primary key check (one = 1), store_id text not null) strict;
    insert into _sync_copy values (1, 'one store');
    create table _sync_tables (table_name text primary key, since text, whole_at text, starts_at text) strict;
    insert into _sync_tables values ('orders', '2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.000Z', null);
    create table orders (${orders.columns.map(({ name, kind }) => `"${name}" ${kind === 'integer' ? 'integer' : 'text'}${name === 'id' ? ' primary key' : ''}`).join(', ')}) strict;
    create view orders_overview as select id, total from orders;
    insert into orders (id, total, tax) values ('a', '999.77', '0.00'), ('b', '3985.12', null), ('c', '-5.10', '1.00');
    ${view}`)
  return file
}

test("if an older copy stores decimals as text, opening it converts the decimals without rereading rows, and a user's view still returns rows", async () => {
  const file = await createTextCopy(
    `create view cents as select id, cast(replace(total, '.', '') as integer) as c from orders`,
  )
  const copy = new SqliteCopy(file)
  for (let run = 0; run < 2; run += 1) {
    const { tables } = await copy.open(TABLES)
    expect(tables.get('orders')?.since, 'rows are not read again').toBe('2026-01-02T00:00:00.000Z')
    await copy.close()
    using database = new DatabaseSync(file, { readOnly: true })
    const all =
      'select max(total) as most, sum(total_cents) as cents, count(*) filter (where total > 100) as above from orders'
    expect({ ...database.prepare(all).get() }).toEqual({ most: 3985.12, cents: 497979, above: 2 })
    expect({ ...database.prepare('select sum(c) as cents from cents').get() }).toEqual({ cents: 497979 })
    expect({ ...database.prepare('select sum(total_cents) as cents from orders_overview').get() }).toEqual({
      cents: 497979,
    })
  }
  await copy.open(TABLES)
  const [kept] = await copy.read({ table: orders, by: 'id', ids: ['a'] })
  expect(kept).toMatchObject({ total: '999.77', tax: '0.00', shipping: null })
  await copy.close()
})

test("if a user's broken view prevents the conversion of decimals, opening the copy throws an error with the view's name and changes nothing", async () => {
  const file = await createTextCopy('create view broken as select total from gone')
  const failure = await new SqliteCopy(file).open(TABLES).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(CopyError)
  expect(String(failure)).toContain('broken')
  using database = new DatabaseSync(file)
  expect({ ...database.prepare("select total from orders where id = 'a'").get() }).toEqual({ total: '999.77' })
  database.exec('drop view broken')
  const copy = new SqliteCopy(file)
  await copy.open(TABLES)
  await copy.close()
  expect({ ...database.prepare("select total from orders where id = 'a'").get() }).toEqual({ total: 999.77 })
})
