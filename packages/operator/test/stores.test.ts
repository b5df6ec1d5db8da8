// Tests that commands for stores can be repeated, and that no database of an interrupted run is lost or overlooked.

import { randomUUID } from 'node:crypto'
import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import {
  dropAfterTest,
  newSecret,
  openClientForTest,
  runCommand,
  SLOW_TEST_TIMEOUTS,
  startCommand,
} from './support/command-process.ts'
import { waitUntil } from './support/embedded-server.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

let control: TestDatabase
let settings: Record<string, string>

beforeAll(async () => {
  control = await createMigratedDatabase()
  settings = { DATABASE_URL: control.url, SECRET: newSecret() }
})
afterAll(() => control.drop())

async function runJson(...words: string[]) {
  const { code, json, stderr } = await runCommand([...words, '--json'], { settings })
  expect([code, stderr]).toEqual([0, ''])
  return json
}

const URL_OPTION = ['--database-url', 'postgres://reader@db.example/shop']

describe('stores move', () => {
  const add = async (databaseUrl: string): Promise<string> =>
    (await runJson('stores', 'add', '--name', 'Shop', '--database-url', databaseUrl)).id
  const urlOf = async (id: string) =>
    (await runJson('stores', 'list')).stores.find((store: { id: string }) => store.id === id).database_url

  test('exactly the stores of the old server get the new host, and requests use their unchanged passwords', async () => {
    const { id, reader_url } = await runJson('stores', 'provision', '--name', 'Moved', '--revision', 'launch')
    dropAfterTest(id)
    const { host, password } = new URL(reader_url)
    const url = reader_url.replace(host, 'db-7.internal:5433')
    await runCommand(['stores', 'set', id, '--database-url', '-'], { settings, input: url })
    const others = ['db-7.internal:5432', 'db-7.internal:5433,db-8.internal:5433', 'db-71.internal:5433']
    const ids = await Promise.all(others.map((server) => add(`postgres://reader@${server}/shop`)))
    const named = await add('postgres://reader@/shop?host=db-7.internal&port=5433')
    const moved = await runJson('stores', 'move', '--from', 'DB-7.internal:5433', '--to', host)
    expect(moved).toEqual({ from: 'DB-7.internal:5433', to: host, moved: 1, unchanged: [named] })
    expect(await urlOf(id)).toBe(reader_url.replace(`:${password}@`, '@'))
    expect(await Promise.all(ids.map(urlOf))).toEqual(others.map((server) => `postgres://reader@${server}/shop`))
    const seen = await runCommand(['doctor', '--store', id, '--json'], { settings })
    expect(seen.json.stores).toMatchObject([{ ok: true, revision: 'launch' }])
  })

  test.each([
    [['--from', 'nowhere:1', '--to', 'db-9:5432'], 'no store is on nowhere:1; "store-export stores list" shows'],
    [['--from', 'db-7:5432', '--to', 'me@db-9:5432'], 'to: must be host:port, or several separated by commas; got'],
    [['--from', 'db-7:5432', '--to', 'db-9:x'], 'to: must be host:port'],
    [['--from', '', '--to', 'db-9:5432'], 'from: must be host:port'],
  ])('`stores move` with %j exits with code 1 and says what is wrong', async (options, message) => {
    const { code, stderr } = await runCommand(['stores', 'move', ...options], { settings })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`store-export: ${message}`)])
  })
})

describe('stores with an external ID', () => {
  test('if two commands add a store with the same external ID, both return the same store', async () => {
    const add = (name: string) => runJson('stores', 'add', '--name', name, '--external-id', 'shop:42', ...URL_OPTION)
    const [one, two] = await Promise.all([add('One'), add('Two')])
    expect(one.id).toBe(two.id)
    expect([one.created, two.created].toSorted()).toEqual([false, true])
    const again = await add('Three')
    expect(again).toEqual({ ...one, created: false })
    expect(again).toMatchObject({ external_id: 'shop:42', name: expect.stringMatching(/^One|Two$/) })
  })

  test('if a store has an external ID, commands accept the external ID in place of the store ID', async () => {
    const { id } = await runJson('stores', 'add', '--name', 'Shop', '--external-id', 'everywhere', ...URL_OPTION)
    expect(await runJson('stores', 'set', 'everywhere', '--name', 'Renamed')).toMatchObject({ id, name: 'Renamed' })
    const key = await runJson('keys', 'create', '--store', 'everywhere', '--name', 'books')
    expect(key.store_id).toBe(id)
    expect((await runJson('keys', 'list', '--store', 'everywhere')).keys).toMatchObject([{ id: key.id }])
    const merchant = ['--email', 'everywhere@example.com', '--store', 'everywhere']
    expect(await runJson('merchants', 'add', ...merchant)).toMatchObject({ store_id: id })
    expect(await runJson('merchants', 'remove', ...merchant)).toMatchObject({ store_id: id, already: false })
    const seen = await runCommand(['doctor', '--store', 'everywhere', '--json'], { settings })
    expect(seen.json.stores).toMatchObject([{ id }])
    const upgraded = await runCommand(['stores', 'upgrade', 'everywhere', '--to', LATEST_REVISION], { settings })
    expect(upgraded.stderr).toContain('not on the server of the control database')
    expect(await runJson('stores', 'remove', 'everywhere')).toMatchObject({ id, already: false, keys_revoked: 1 })
    expect(await runJson('stores', 'remove', 'everywhere')).toMatchObject({ id, already: true })
  })

  test('after a store is removed, `stores add` creates a new store with the same external ID', async () => {
    const add = () => runJson('stores', 'add', '--name', 'Shop', '--external-id', 'again', ...URL_OPTION)
    const first = await add()
    await runJson('stores', 'remove', 'again')
    const second = await add()
    expect(second).toMatchObject({ created: true, external_id: 'again' })
    expect(second.id).not.toBe(first.id)
  })

  test.each(['', 'two words', '-x', 'ümlaut', 'x'.repeat(201)])(
    'if the external ID is %j, `stores add` exits with code 1 and says that an ID must have 1 to 200 visible characters',
    async (externalId) => {
      const args = ['stores', 'add', '--name', 'Shop', `--external-id=${externalId}`, ...URL_OPTION]
      const { code, stderr } = await runCommand(args, { settings })
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^store-export: external ID: must have 1 to 200 visible .*\n$/),
      ])
    },
  )
})

describe('store-export stores provision', () => {
  const provision = (externalId: string) =>
    runJson('stores', 'provision', '--name', 'Shop', '--revision', LATEST_REVISION, '--external-id', externalId)

  test('if two commands provision a store with the same external ID at once, one database is created', async () => {
    const both = await Promise.all([provision('twice'), provision('twice')])
    const [made, known] = both.toSorted((a, b) => Number(b.created) - Number(a.created))
    dropAfterTest(made.id)
    expect(made).toMatchObject({ created: true, state: 'ready', external_id: 'twice', revision: LATEST_REVISION })
    expect(known).toEqual({ ...made, created: false, database_url: null, reader_url: expect.any(String) })
    expect(await openClientForTest(known.reader_url)`select email from customers`).toEqual([])
  })

  test('if `stores provision` is interrupted, the next run with the same external ID completes the store', async () => {
    const killed = await killProvision('killed')
    expect(await listed(killed.id)).toMatchObject({ state: 'generating', database_url: null })
    expect(await orphanOf(killed.id)).toMatchObject({ reason: 'unfinished', has_database: true, store_id: killed.id })
    const refused = await runCommand(['stores', 'drop-orphan', nameOf(killed.id)], { settings })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('an interrupted "stores provision"')])
    const made = await provision('killed')
    expect(made).toMatchObject({ id: killed.id, created: true, state: 'ready' })
    expect(await openClientForTest(made.database_url)`select id, name from store`).toEqual([
      { id: killed.id, name: 'Shop' },
    ])
    expect(await orphanOf(killed.id)).toBeUndefined()
  })

  test('if provisioning is interrupted and the store is removed, `stores list --orphans` shows the database, and `stores drop-orphan` drops it', async () => {
    const { id } = await killProvision('given-up')
    await runJson('stores', 'remove', 'given-up')
    expect(await orphanOf(id)).toMatchObject({ reason: 'removed', roles: [expect.any(String), expect.any(String)] })
    const admin = openClientForTest(inject('postgresUrl'))
    expect(await runJson('stores', 'drop-orphan', nameOf(id))).toEqual({ name: nameOf(id), dropped: true })
    expect(await orphanOf(id)).toBeUndefined()
    expect(await admin`select from pg_roles where rolname like ${`%${id.slice(-12)}`}`).toEqual([])
    const again = await runCommand(['stores', 'drop-orphan', nameOf(id)], { settings })
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not an orphan')])
  })

  test('if a store gets the URL of another database, `stores drop-orphan` drops the old database only with --with-data', async () => {
    const { id } = await provision('replaced')
    dropAfterTest(id)
    await runJson('stores', 'set', id, ...URL_OPTION)
    expect(await orphanOf(id)).toMatchObject({ reason: 'replaced', has_database: true, store_id: id })
    const refused = await runCommand(['stores', 'drop-orphan', nameOf(id)], { settings })
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `store-export: the store ${id} now uses another database; check that no program uses ${nameOf(id)}, then add --with-data to drop it\n`,
    ])
    expect(await runJson('stores', 'drop-orphan', nameOf(id), '--with-data')).toMatchObject({ dropped: true })
    expect(await orphanOf(id)).toBeUndefined()
    expect(await listed(id)).toMatchObject({ state: 'ready' })
  })

  test.each([
    [
      'in a database with one order',
      "insert into orders (id, email) values (gen_random_uuid(), 'a')",
      'contains at least 1 order;',
    ],
    [
      'in a database with a product and a customer',
      `insert into products (id, name, slug, price) values (gen_random_uuid(), 'n', 's', 1);
       insert into customers (id, email) values (gen_random_uuid(), 'a')`,
      'contains at least 1 product and at least 1 customer;',
    ],
    [
      'in a database with an order in another schema',
      `insert into orders (id, email) values (gen_random_uuid(), 'a'); alter schema public rename to tenant;
       create schema public; create table products (); create table customers (); create table orders ()`,
      'contains at least 1 order;',
    ],
    ['in a database without a table', 'drop table orders cascade', 'relation "public.orders" does not exist'],
    [
      'in a database with a table that fails',
      'drop table orders cascade; create view orders as select 1 as id where 1 / 0 > 0',
      'division by zero',
    ],
  ])(
    'if a removed store was %s, `stores drop-orphan` drops the database only with --with-data',
    async (_, change, reason) => {
      const { id, database_url: url } = await provision(`data-${randomUUID()}`)
      onTestFinished(() => dropAfterTest(id))
      const owner = openClientForTest(url)
      await owner.unsafe(change)
      await owner.end()
      await runJson('stores', 'remove', id)
      const name = nameOf(id)
      const refused = await runCommand(['stores', 'drop-orphan', name], { settings })
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(reason)])
      expect(refused.stderr).toContain(`the database ${name} `)
      expect(refused.stderr).toContain('--with-data')
      expect(await orphanOf(id)).toMatchObject({ has_database: true })
      expect(await runJson('stores', 'drop-orphan', name, '--with-data')).toEqual({ name, dropped: true })
      expect(await orphanOf(id)).toBeUndefined()
    },
  )

  test('if the database of an interrupted `stores provision` contains data, the next run exits with code 1 and does not drop the database', async () => {
    const { id } = await killProvision('in-use-after-restore')
    const url = new URL(inject('postgresUrl'))
    url.pathname = nameOf(id)
    const sql = openClientForTest(url.href)
    await sql`insert into orders (id, email) values (gen_random_uuid(), 'a')`
    await sql.end()
    const args = ['--name', 'Shop', '--revision', LATEST_REVISION, '--external-id', 'in-use-after-restore']
    const { code, stderr } = await runCommand(['stores', 'provision', ...args], { settings })
    expect([code, stderr]).toEqual([1, expect.stringContaining('exists and contains at least 1 order:')])
    expect((await orphanOf(id)).has_database).toBe(true)
  })

  test('if a registered store uses a database, `stores list --orphans` leaves out this database, and `stores drop-orphan` fails', async () => {
    const made = await provision('in-use')
    dropAfterTest(made.id)
    expect(await orphanOf(made.id)).toBeUndefined()
    const { code } = await runCommand(['stores', 'drop-orphan', nameOf(made.id)], { settings })
    expect(code).toBe(1)
    expect(await openClientForTest(made.reader_url)`select email from customers`).toEqual([])
  })
})

const nameOf = (storeId: string) => `store_export_store_${storeId.slice(-12)}`

async function listed(id: string) {
  return (await runJson('stores', 'list')).stores.find((store: { id: string }) => store.id === id)
}

async function orphanOf(id: string) {
  return (await runJson('stores', 'list', '--orphans')).orphans.find(
    ({ name }: { name: string }) => name === nameOf(id),
  )
}

/** Kills the command when its database is complete, before its URL is registered. */
async function killProvision(externalId: string): Promise<{ id: string }> {
  const sql = openClientForTest(control.url)
  await sql.unsafe(`
    create or replace function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); return new; end $$;
    create trigger wait_for_test before update on stores for each row execute function wait_for_test()`)
  await sql`select pg_advisory_lock(1)`
  const args = ['stores', 'provision', '--name', 'Shop', '--revision', LATEST_REVISION, '--external-id', externalId]
  const running = startCommand(args, { settings })
  const waiting = () => sql<{ pid: number }[]>`
    select pid from pg_locks where locktype = 'advisory' and objid = 1 and not granted
      and database = (select oid from pg_database where datname = current_database())`
  await waitUntil(async () => (await waiting()).length === 1)
  await running.end('SIGKILL')
  // Its session waits for the lock, and would notice only then that its client is gone.
  for (const { pid } of await waiting()) await sql`select pg_terminate_backend(${pid})`
  await sql.unsafe('drop trigger wait_for_test on stores')
  await sql`select pg_advisory_unlock(1)`
  const [store] = await sql<{ id: string }[]>`select id from stores where external_id = ${externalId}`
  if (store === undefined) throw new Error('the store was not registered')
  onTestFinished(() => dropAfterTest(store.id))
  return store
}

test('if names in the control database have escape sequences or change the direction of text, commands print ? in their place', async () => {
  const added = await runCommand(['stores', 'add', '--name', 'x', '--external-id', 'odd', ...URL_OPTION], { settings })
  const id = added.stdout.trim()
  await runJson('keys', 'create', '--store', id, '--name', 'books')
  const sql = openClientForTest(control.url)
  await sql`update stores set name = ${'Shop \u202e\x1b[8m\x9b2J'} where id = ${id}`
  await sql`update api_keys set name = ${'books\x1b]0;title\x07'} where store_id = ${id}`
  const run = async (...words: string[]) => {
    const { stdout, stderr } = await runCommand(words, { settings })
    return stdout + stderr
  }
  const shown = 'Shop ??[8m?2J'
  expect(await run('stores', 'set', id, '--state', 'ready')).toContain(`Changed "${shown}"`)
  expect(await run('stores', 'list')).toContain(`  ${shown}  postgres:`)
  expect(await run('keys', 'list', '--store', id)).toContain('  books?]0;title?\n')
  expect(await run('doctor', '--store', id)).toContain(`\n${shown}  ${id}\n`)
  await runJson('merchants', 'add', '--email', 'odd@example.com', '--store', id)
  const removed = await run('merchants', 'remove', '--email', 'odd@example.com', '--store', id)
  expect(removed).toContain(`no longer has access to "${shown}".`)
})
