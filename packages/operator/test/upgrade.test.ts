// Tests `stores upgrade` with stores that an older version of `stores provision` created.

import { randomBytes } from 'node:crypto'
import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import {
  dropAfterTest,
  newSecret,
  openClientForTest,
  runCommand,
  SLOW_TEST_TIMEOUTS,
} from './support/command-process.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const ORDER = '00000000-0000-4000-8000-00000000000a'

let control: TestDatabase
let settings: Record<string, string>

beforeAll(async () => {
  control = await createMigratedDatabase()
  settings = { DATABASE_URL: control.url, SECRET: newSecret() }
})
afterAll(() => control.drop())

async function runJson(...words: string[]) {
  const ended = await runCommand([...words, '--json'], { settings })
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  return ended.json
}

/** Creates a store without triggers for TRUNCATE and without a connection limit, as older versions created it. */
async function olderStore(revision: string) {
  const made = await runJson('stores', 'provision', '--name', 'Old', '--revision', revision)
  dropAfterTest(made.id)
  const owner = openClientForTest(made.database_url)
  await owner.unsafe(`
    drop trigger order_items_truncated on order_items;
    drop trigger product_variants_truncated on product_variants;
    do $$ begin
      if to_regclass('customer_addresses') is not null then
        drop trigger customer_addresses_truncated on customer_addresses;
      end if;
      execute regexp_replace(pg_get_functiondef('children_move_parent'::regproc), 'if tg_op = ''TRUNCATE''.*?end if;', '');
    end $$`)
  const reader = new URL(made.reader_url).username
  const admin = openClientForTest(inject('postgresUrl'))
  await admin.unsafe(`alter role ${reader} connection limit -1`)
  const limit = async () => (await admin`select rolconnlimit from pg_roles where rolname = ${reader}`)[0]?.rolconnlimit
  return { id: made.id, url: made.database_url, reader, owner, admin, limit }
}

test.each([
  [LATEST_REVISION, ['trigger customer_addresses_truncated on public.customer_addresses']],
  ['launch', []],
])(
  'if an older version of store-export provisioned a store at schema version %s, the first upgrade adds missing triggers and a connection limit',
  async (revision, addresses) => {
    const { id, reader, owner, limit } = await olderStore(revision)
    const repaired = [
      'function children_move_parent',
      'trigger order_items_truncated on public.order_items',
      'trigger product_variants_truncated on public.product_variants',
      ...addresses,
      `connection limit 20 of ${reader}`,
    ]
    const upgrade = () => runJson('stores', 'upgrade', id, '--to', LATEST_REVISION)
    expect(await upgrade()).toMatchObject({ id, repaired, admin_sql: null })
    expect(await limit()).toBe(20)
    await owner`insert into orders (id, email) values (${ORDER}, 'a')`
    await owner`insert into order_items (id, order_id, product_id, name, price) values (${ORDER}, ${ORDER}, ${ORDER}, 'n', 1)`
    await owner`insert into customers (id, email) values (${ORDER}, 'a')`
    await owner`
    insert into customer_addresses (id, customer_id, first_name, last_name, line1, city, postal_code, country)
    values (${ORDER}, ${ORDER}, 'f', 'l', 's', 'c', 'p', 'DE')`
    await owner`update orders set updated_at = '2020-01-01Z'`
    await owner`update customers set updated_at = '2020-01-01Z'`
    await owner`truncate order_items, customer_addresses`
    const [moved] = await owner`
    select (select updated_at > '2021-01-01Z' from orders) as order, (select updated_at > '2021-01-01Z' from customers) as customer`
    expect(moved).toEqual({ order: true, customer: true })
    expect(await upgrade()).toEqual({ id, revision: LATEST_REVISION, applied: [], repaired: [], admin_sql: null })
  },
)

test('if the database owner upgrades a store whose reader role has no connection limit, the command prints the SQL that an administrator must run', async () => {
  const { id, url, reader, limit } = await olderStore(LATEST_REVISION)
  const words = ['stores', 'upgrade', id, '--to', LATEST_REVISION, '--database-url', '-']
  const { code, stderr } = await runCommand(words, { settings, input: url })
  expect([code, stderr]).toEqual([0, expect.anything()])
  expect(stderr).toContain('trigger order_items_truncated on public.order_items')
  expect(stderr).toContain(`alter role "${reader}" connection limit 20;`)
  expect(await limit()).toBe(-1)
})

test("if the owner's URL is that of another store's database, stores upgrade exits with code 1 and changes neither database", async () => {
  const [store, other] = [await olderStore('launch'), await olderStore('launch')]
  const words = ['stores', 'upgrade', store.id, '--to', LATEST_REVISION, '--database-url', '-', '--json']
  const { code, stderr } = await runCommand(words, { settings, input: other.url })
  expect(code).toBe(1)
  const [given, registered] = [other.url, store.url].map((url) => new URL(url).pathname.slice(1))
  expect(JSON.parse(stderr).error).toEqual({
    code: 'failed',
    message: `the owner's URL names the database "${given}", but this store's database is "${registered}"; give the URL of that database`,
  })
  for (const { owner } of [store, other]) {
    const [found] = await owner`select to_regclass('customer_addresses') as addresses`
    expect(found?.addresses).toBeNull()
  }
})

test("if an operator changed the reader's connection limit and replaced a provisioned trigger, `stores upgrade` changes neither", async () => {
  const { id, reader, owner, admin, limit } = await olderStore(LATEST_REVISION)
  await admin.unsafe(`alter role ${reader} connection limit 60`)
  await owner.unsafe(`
    create function own() returns trigger language plpgsql as 'begin return null; end';
    create trigger order_items_truncated before truncate on order_items for each statement execute function own()`)
  const { repaired } = await runJson('stores', 'upgrade', id, '--to', LATEST_REVISION)
  expect(repaired).not.toContainEqual(expect.stringContaining('order_items'))
  expect(repaired).not.toContainEqual(expect.stringContaining('limit'))
  expect(await limit()).toBe(60)
  const [trigger] = await owner`
    select tgfoid::regproc::text as calls from pg_trigger where tgname = 'order_items_truncated'`
  expect(trigger?.calls).toBe('own')
})

test('if `stores provision` did not create the reader role, an upgrade does not limit the connections of this role', async () => {
  const { id, url, admin } = await olderStore(LATEST_REVISION)
  const role = `own_reader_${randomBytes(6).toString('hex')}`
  await admin.unsafe(`create role ${role} login`)
  onTestFinished(async () => {
    const database = new URL(inject('postgresUrl'))
    database.pathname = new URL(url).pathname
    await openClientForTest(database.href).unsafe(`drop owned by ${role}`)
    await admin.unsafe(`drop role ${role}`)
  })
  const own = new URL(url)
  own.username = role
  own.password = ''
  await runJson('stores', 'set', id, '--database-url', own.href)
  const { repaired, admin_sql: adminSql } = await runJson('stores', 'upgrade', id, '--to', LATEST_REVISION)
  expect([repaired.join(), adminSql]).toEqual([expect.not.stringContaining('limit'), null])
  expect(await admin`select rolconnlimit as limit from pg_roles where rolname = ${role}`).toEqual([{ limit: -1 }])
})
