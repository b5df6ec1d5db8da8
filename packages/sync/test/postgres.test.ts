import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../../test/support/databases.ts'
import { CopyError, NEW_TABLE } from '../src/copies/copy.ts'
import { PostgresCopy } from '../src/copies/postgres/postgres-copy.ts'
import { TABLES } from '../src/tables.ts'
import { describeCopy } from './support/copy-contract.ts'
import {
  createTestDatabase,
  openCopy,
  order,
  orders,
  SCHEMA,
  tableOf,
  textsOf,
  write,
} from './support/postgres-copies.ts'

describeCopy('a copy in a PostgreSQL schema', async () => {
  const database = await createDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  return {
    make: () => new PostgresCopy({ url: database.url }),
    read: (table) => textsOf(sql, table),
    change: async (statement) => void (await sql.unsafe(`set search_path to ${SCHEMA}; ${statement}`).simple()),
    async remove() {
      await sql.end()
      await database.drop()
    },
  }
})

describe('types of a PostgreSQL copy', () => {
  test('apart from int8, the columns of a PostgreSQL copy have only the types bool, int4, jsonb, numeric, text, timestamptz, and uuid', async () => {
    const { sql } = await openCopy()
    const types = await sql`
      select distinct udt_name as type from information_schema.columns
      where table_schema = ${SCHEMA} and table_name not like '\\_sync%' and udt_name <> 'int8' order by type`
    expect(types.map(({ type }) => type)).toEqual(['bool', 'int4', 'jsonb', 'numeric', 'text', 'timestamptz', 'uuid'])
  })

  test("if PostgreSQL can't store a character, the copy removes or replaces this character and stores the rest of the row", async () => {
    const { sql, copy } = await openCopy()
    const metafields = { 'a\0': 'x\0y', a: [1, { b: '\ud800' }], looks: '\\u0000', null: null }
    const id = randomUUID()
    const items = [{ id: randomUUID(), order_id: id, name: 'in\0side\udc00' }]
    await write(copy, order({ id, email: 'nul\0@example.com', metafields, items }), order({ metafields: 'text' }))
    const [row] = await sql.unsafe(`select email, metafields from ${SCHEMA}.orders where id = '${id}'`)
    expect(row?.email).toBe('nul@example.com')
    const held = { 'a\ufffd': 'x\ufffdy', a: [1, { b: '\ufffd' }], looks: '\\u0000', null: null }
    expect(row?.metafields).toEqual(held)
    expect((await textsOf(sql, 'order_items')).map(({ name }) => name)).toEqual(['inside\ufffd'])
    expect(await copy.count('orders')).toBe(2)
  })
})

test('if a page contains an order twice, the PostgreSQL copy has the last version of the order with the items of that version', async () => {
  const { sql, copy } = await openCopy()
  const [first, other] = [order(), order()]
  const item = (orderId: string, name: string) => ({ id: randomUUID(), order_id: orderId, name })
  const moved = item(first.id, 'moved')
  await write(copy, { ...first, items: [item(first.id, 'old'), moved] })
  await write(
    copy,
    { ...first, email: 'b@example.com', items: [item(first.id, 'older')] },
    { ...other, items: [{ ...moved, order_id: other.id }] },
    { ...first, id: first.id.toUpperCase(), email: 'c@example.com', items: [item(first.id, 'new')] },
  )
  const emails = (await textsOf(sql, 'orders')).map(({ email }) => email)
  expect(emails.toSorted()).toEqual(['a@example.com', 'c@example.com'])
  const lines = (await textsOf(sql, 'order_items')).map((each) => [each.name, each.order_id])
  expect(lines.toSorted()).toEqual([
    ['moved', other.id],
    ['new', first.id],
  ])
})

test('if the first sync reads an order twice with different items, the PostgreSQL copy has only the items of the second read', async () => {
  const { sql, copy } = await openCopy()
  const { id } = order()
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ id: randomUUID(), order_id: id, name }))
  await copy.write({ table: orders, rows: [order({ id, items: [a, b] })], isFull: true })
  await copy.write({ table: orders, rows: [order({ id, items: [b, c] })], isFull: true })
  expect(await copy.end({ table: orders, state: NEW_TABLE, isFull: true })).toBe(0)
  expect((await textsOf(sql, 'order_items')).map(({ name }) => name).toSorted()).toEqual(['b', 'c'])
})

describe('the schema of a PostgreSQL copy', () => {
  test('if an order has a customer and items, the PostgreSQL views show the customer and the items', async () => {
    const { sql, copy } = await openCopy()
    const customer = { id: randomUUID(), name: 'Ada', email: 'ada@example.com' }
    await copy.write({ table: tableOf('customers'), rows: [customer], isFull: false })
    await copy.write({ table: tableOf('store'), rows: [{ id: randomUUID(), store_currency: 'EUR' }], isFull: false })
    const id = randomUUID()
    const items = [{ id: randomUUID(), order_id: id, name: 'Mug', quantity: 2, price: '5.25' }]
    await write(copy, order({ id, customer_id: customer.id, items }), order({ currency: 'CHF' }))
    const overview = await sql.unsafe(`select customer, lines, total, currency from ${SCHEMA}.orders_overview`)
    expect([...overview].toSorted((one, two) => two.lines - one.lines)).toEqual([
      { customer: 'Ada', lines: '1', total: '10.50', currency: 'EUR' },
      { customer: 'a@example.com', lines: '0', total: '10.50', currency: 'CHF' },
    ])
    const lines = await sql.unsafe(
      `select order_id, name, quantity, price, currency, line_total from ${SCHEMA}.order_lines`,
    )
    expect([...lines]).toEqual([
      { order_id: id, name: 'Mug', quantity: 2, price: '5.25', currency: 'EUR', line_total: '10.50' },
    ])
  })

  test('if a PostgreSQL copy has only orders and their items, the copy has no views that need other tables', async () => {
    const { sql, copy } = await openCopy([orders])
    await write(copy, order())
    const made = await sql`select table_name as name from information_schema.tables
      where table_schema = ${SCHEMA} and table_name not like '\\_sync%' order by name`
    expect(made.map(({ name }) => name)).toEqual(['order_items', 'orders'])
  })

  test("a write doesn't wait for an open read transaction on the PostgreSQL copy, and a user's SQL view on the copy returns the new row", async () => {
    const { url, sql, copy } = await openCopy()
    await sql.unsafe(`create view public.mine as select id from ${SCHEMA}.orders_overview`)
    await copy.close()
    const reader = postgres(url, { max: 1 })
    onTestFinished(() => reader.end())
    await reader.unsafe('begin').simple()
    await reader.unsafe(`select * from public.mine, ${SCHEMA}.order_lines, ${SCHEMA}.customers`)
    await copy.open(TABLES)
    await write(copy, order())
    await reader.unsafe('rollback').simple()
    expect([...(await sql`select count(*)::int as rows from public.mine`)]).toEqual([{ rows: 1 }])
  })

  test("if another program created a table with the name of a copy's table, opening a PostgreSQL copy throws a CopyError and creates no table", async () => {
    const { url, sql } = await createTestDatabase()
    await sql`create table public.orders (id text)`
    const copy = new PostgresCopy({ url, schema: 'public' })
    await expect(copy.open(TABLES)).rejects.toThrow(CopyError)
    await expect(copy.open(TABLES)).rejects.toThrow('use another schema')
    const tables = await sql`select count(*)::int as rows from information_schema.tables where table_schema = 'public'`
    expect([...tables]).toEqual([{ rows: 1 }])
  })

  test('if a role owns only the schema of a PostgreSQL copy, the first and the second run with this role both write orders', async () => {
    const { url, sql } = await createTestDatabase()
    const role = `sync_${randomUUID().slice(0, 8)}`
    await sql.unsafe(`create role ${role} login password 'sync'`)
    await sql.unsafe(`create schema ${SCHEMA} authorization ${role}`)
    const address = new URL(url)
    address.username = role
    address.password = 'sync'
    const copy = new PostgresCopy({ url: address.href })
    for (let run = 0; run < 2; run++) {
      await copy.open(TABLES)
      await write(copy, order())
      await copy.close()
    }
    expect((await textsOf(sql, 'orders')).length).toBe(2)
    await sql.unsafe(`drop owned by ${role} cascade`)
    await sql.unsafe(`drop role ${role}`)
  })

  test('if the role lacks a privilege or the server is read-only, opening a PostgreSQL copy throws an error that says what to change', async () => {
    const { url, sql } = await openCopy()
    const role = `sync_${randomUUID().slice(0, 8)}`
    await sql.unsafe(`create role ${role} login password 'sync'`)
    onTestFinished(() => void sql.unsafe(`drop role ${role}`).execute())
    const address = new URL(url)
    address.username = role
    address.password = 'sync'
    const other = new PostgresCopy({ url: address.href, schema: 'elsewhere' })
    const error = await other.open(TABLES).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(CopyError)
    expect(String(error)).toContain(`${other.name} cannot be written by this role; grant it the privilege`)
    expect(String(error)).toMatch(/\(permission denied for database/)
    const standby = new URL(url)
    standby.searchParams.set('default_transaction_read_only', 'on')
    const opening = new PostgresCopy({ url: standby.href, schema: 'elsewhere' }).open(TABLES)
    await expect(opening).rejects.toThrow('is read-only; use the address of a server that accepts writes')
  })

  test('in a PostgreSQL copy, the tables _sync_unfinished and _sync_seen are unlogged, and the table _sync_tables is logged', async () => {
    const { sql } = await openCopy()
    const logged = await sql`select relname as name from pg_class
      where relname in ('_sync_unfinished', '_sync_seen', '_sync_tables') and relkind = 'r' and relpersistence = 'p'`
    expect([...logged]).toEqual([{ name: '_sync_tables' }])
  })

  test('two copies in different schemas of one PostgreSQL database can be open at the same time', async () => {
    const { url, copy, sql } = await openCopy()
    const other = new PostgresCopy({ url, schema: 'My "shop"' })
    await other.open(TABLES)
    onTestFinished(() => other.close())
    await write(other, order())
    expect([await copy.count('orders'), await other.count('orders')]).toEqual([0, 1])
    expect((await sql.unsafe('select * from "My ""shop""".orders_overview')).length).toBe(1)
  })
})

test('a full sync creates the indexes of a PostgreSQL copy, and reopening the copy preserves a column comment that a user changed', async () => {
  const { url, sql, copy } = await openCopy()
  const indexed = async () => {
    const rows = await sql.unsafe(`select indexname as name from pg_indexes where schemaname = '${SCHEMA}'`)
    return rows.map(({ name }) => String(name))
  }
  expect(await indexed(), 'each page needs it').toContain('order_items_order_id')
  expect(await indexed()).not.toContain('orders_customer_id')
  const one = order({ items: [] })
  await copy.write({ table: orders, rows: [one], isFull: true, isFirst: true })
  await copy.end({ table: orders, state: NEW_TABLE, isFull: true })
  expect(await indexed()).toEqual(
    expect.arrayContaining([
      'orders_customer_id',
      'orders_created_at',
      'orders_updated_at',
      'orders_email',
      'order_items_product_id',
    ]),
  )
  const commentOf = async (column: string) => {
    const [row] = await sql.unsafe(
      `select col_description('${SCHEMA}.orders'::regclass, attnum) as note from pg_attribute
      where attrelid = '${SCHEMA}.orders'::regclass and attname = '${column}'`,
    )
    return row?.note
  }
  expect(await commentOf('total')).toBe(orders.columns.find(({ name }) => name === 'total')?.note)
  await sql.unsafe(
    `comment on column ${SCHEMA}.orders.total is 'a user''s comment'; comment on column ${SCHEMA}.orders.tax is null`,
  )
  await copy.close()
  const again = new PostgresCopy({ url })
  await again.open(TABLES)
  await again.close()
  expect([await commentOf('total'), await commentOf('tax')]).toEqual([
    "a user's comment",
    orders.columns.find(({ name }) => name === 'tax')?.note,
  ])
})
