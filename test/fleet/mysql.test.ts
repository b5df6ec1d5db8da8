// Tests copies in a real MariaDB server, which npm can't install: the tests of all copies, random histories, and
// errors.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { CopyError, CopyUnavailableError } from '../../packages/sync/src/copies/copy.ts'
import { MySqlCopy } from '../../packages/sync/src/copies/mysql/mysql-copy.ts'
import { TABLES } from '../../packages/sync/src/tables.ts'
import { describeCopy } from '../../packages/sync/test/support/copy-contract.ts'
import { item, order, orders, required } from '../../packages/sync/test/support/copy-contract-rows.ts'
import { describeHistories } from '../../packages/sync/test/support/describe-histories.ts'
import {
  createMySqlDatabase,
  mySqlDestinations,
  mySqlTestDestination,
} from '../../packages/sync/test/support/mysql-destinations.ts'
import { type MariaDb, startMariaDb } from '../support/mariadb.ts'

let server: MariaDb
beforeAll(async () => {
  server = await startMariaDb()
})
afterAll(() => server.remove())

async function openCopy() {
  const database = await createMySqlDatabase(server.url)
  onTestFinished(database.remove)
  const copy = new MySqlCopy(database.url)
  await copy.open(TABLES)
  onTestFinished(() => copy.close())
  return { ...database, copy }
}

describeCopy('a copy in a MariaDB database', () => mySqlTestDestination(server.url))
describeHistories('random histories of a MariaDB database', 12, () => mySqlDestinations(server.url))

test('if an order has a customer and items, the MariaDB views show the customer and the items with exact totals', async () => {
  const { copy, query } = await openCopy()
  const customer = { id: order().id, name: 'Ada', email: 'ada@example.com' }
  await copy.write({ table: required('customers'), rows: [customer], isFull: false })
  await copy.write({ table: required('store'), rows: [{ id: order().id, store_currency: 'EUR' }], isFull: false })
  const one = order({ customer_id: customer.id, total: '0.30' })
  const items = [{ ...item(one.id, 'Mug'), quantity: 3, price: '0.10' }]
  await copy.write({ table: orders, rows: [{ ...one, items }], isFull: false })
  expect(await query('select customer, `lines`, total, currency from orders_overview')).toEqual([
    { customer: 'Ada', lines: 1, total: '0.30', currency: 'EUR' },
  ])
  expect(await query('select name, line_total from order_lines where line_total = 0.3')).toEqual([
    { name: 'Mug', line_total: '0.30' },
  ])
})

test('if a user added a column to a MariaDB copy, updating a row does not change its value in this column', async () => {
  const { copy, query } = await openCopy()
  const one = order()
  await copy.write({ table: orders, rows: [one], isFull: false })
  await query("alter table orders add note varchar(10); update orders set note = 'mine'")
  await copy.write({ table: orders, rows: [{ ...one, email: 'new@example.com' }], isFull: false })
  expect(await query('select email, note from orders')).toEqual([{ email: 'new@example.com', note: 'mine' }])
})

test("if a MariaDB copy can't store the amount 1.005, it writes no row of the page, and the error names the row with this amount", async () => {
  const { copy } = await openCopy()
  const bad = order({ total: '1.005' })
  const writing = copy.write({ table: orders, rows: [order(), bad], isFull: false })
  await expect(writing).rejects.toThrow(`cannot store total of the row ${bad.id}: must be a number with at most 36`)
  expect(await copy.count('orders')).toBe(0)
})

test("if the database contains another program's table, opening a MariaDB copy throws and creates no table", async () => {
  const database = await createMySqlDatabase(server.url)
  onTestFinished(database.remove)
  await database.query('create table orders (id int)')
  const opening = new MySqlCopy(database.url).open(TABLES)
  await expect(opening).rejects.toThrow('has orders, which store-sync did not create; use another database')
  expect(await database.query('show tables')).toHaveLength(1)
})

test('if the password is wrong, no server listens, or the user may only read, opening a MariaDB copy throws an error about this cause', async () => {
  const { url, query } = await openCopy()
  const wrong = new URL(url)
  wrong.password = 'hunter2'
  const denied = await new MySqlCopy(wrong.href).open(TABLES).catch((error: unknown) => error)
  expect(denied).toBeInstanceOf(CopyError)
  expect(String(denied)).toMatch(/rejected the connection .*; check the URL and its password/)
  expect(String(denied)).not.toContain('hunter2')
  const closed = new URL(url)
  closed.port = '1'
  await expect(new MySqlCopy(closed.href).open(TABLES)).rejects.toThrow(CopyUnavailableError)
  await query(`create user reader identified by 'secret'; grant select on *.* to reader`)
  const reader = new URL(url)
  reader.username = 'reader'
  reader.password = 'secret'
  reader.pathname = `/mysql`
  await expect(new MySqlCopy(reader.href).open(TABLES)).rejects.toThrow('grant it all privileges on the database')
})
