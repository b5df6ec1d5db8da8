// Tests a store in another schema than public, from its registration to the SQL that doctor prints.

import { randomBytes } from 'node:crypto'
import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { openClient, withConnection } from '../../../test/support/client.ts'
import { createDatabase, createMigratedDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import type { DoctorFinding } from '../src/doctor/report.ts'
import { migrateStore } from '../src/store-schema/migrate-store.ts'
import { quoteName } from '../src/store-schema/sql-text.ts'
import { newSecret, openClientForTest, runCommand, SLOW_TEST_TIMEOUTS } from './support/command-process.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

/** Characters with a meaning in SQL, in a shell, or in a replacement pattern. */
const SCHEMA = `We"ird 'schema' $$ $& \\ ü`
const ROLE = `reader_${randomBytes(6).toString('hex')}`

let control: TestDatabase
let store: TestDatabase
let settings: Record<string, string>
let id: string

beforeAll(async () => {
  control = await createMigratedDatabase()
  store = await createDatabase()
  settings = { DATABASE_URL: control.url, SECRET: newSecret() }
  await withConnection(store.url, async (connection) => {
    await migrateStore(connection, LATEST_REVISION)
    await connection.script(`alter schema public rename to ${quoteName(SCHEMA)}; create schema public`)
  })
})
afterAll(async () => {
  await store.drop()
  const admin = openClient(inject('postgresUrl'))
  await admin.unsafe(`drop role if exists ${ROLE}`)
  await admin.end()
  await control.drop()
})

async function runJson(words: readonly string[], input?: string) {
  const { code, json, stderr } = await runCommand([...words, '--json'], {
    settings,
    ...(input === undefined ? {} : { input }),
  })
  expect([code, stderr]).toEqual([0, ''])
  return json
}

async function examine(...options: string[]): Promise<DoctorFinding[]> {
  const { json } = await runCommand(['doctor', '--store', id, '--json', ...options], { settings })
  const all: DoctorFinding[] = json.stores[0].findings
  return all.filter(({ severity }) => severity !== 'note')
}

const owner = () => openClientForTest(store.url)

test('after the SQL of `stores grants --schema` has run, doctor reports no findings for the store in that schema', async () => {
  const words = ['stores', 'grants', '--revision', LATEST_REVISION, '--role', ROLE, '--schema', SCHEMA]
  const { sql, password } = await runJson(words)
  await owner().unsafe(sql)
  const readerUrl = Object.assign(new URL(store.url), { username: ROLE, password }).href
  const add = ['stores', 'add', '--name', 'Tenant', '--schema', SCHEMA, '--database-url', '-']
  const added = await runJson(add, readerUrl)
  expect(added).toMatchObject({ created: true, schema: SCHEMA })
  id = added.id
  expect((await runJson(['stores', 'list'])).stores).toMatchObject([{ id, schema: SCHEMA }])
  expect((await runCommand(['stores', 'list'], { settings })).stdout).toContain(SCHEMA)
  expect(await examine('--values')).toEqual([])
})

test('if a store is in a schema other than public, the SQL that doctor prints names that schema and fixes all findings', async () => {
  const sql = owner()
  await sql.unsafe(`set search_path to ${quoteName(SCHEMA)};
    revoke select (currency) on orders from ${ROLE}; grant select (password_hash) on customers to ${ROLE};
    drop index orders_walk; alter table products drop column vendor; alter table customer_addresses drop column deleted_at;
    insert into categories (id, name, slug, created_at) values (gen_random_uuid(), 'n', 's', 'infinity');
    revoke usage on schema ${quoteName(SCHEMA)} from public, ${ROLE}`)
  const usage = (await examine()).filter(({ fix }) => fix?.includes('usage'))
  expect(usage).toMatchObject([
    { code: 'missing_grant', message: `${ROLE} has no privilege to use the schema ${quoteName(SCHEMA)}` },
  ])
  await owner().unsafe(usage[0]?.fix ?? '')
  const findings = await examine('--values')
  expect(findings.map(({ code }) => code).toSorted()).toEqual([
    'missing_columns',
    'missing_grant',
    'missing_index',
    'readable_password',
    'removed_rows_served',
    'value_infinite',
  ])
  for (const { fix, code } of findings) {
    expect(fix, code).toContain(`${quoteName(SCHEMA)}.`)
    // Two fixes add the same column.
    if (code !== 'removed_rows_served') await owner().unsafe(fix ?? '')
  }
  await sql`update categories set created_at = now() where created_at = 'infinity'`
  const rest = await examine('--values')
  for (const { fix } of rest) await owner().unsafe(fix ?? '')
  expect(await examine('--values')).toEqual([])
})

test("if a store's registered schema does not exist, doctor prints a query that finds the schema with the store's tables", async () => {
  expect(await runJson(['stores', 'set', id, '--schema', 'nowhere'])).toMatchObject({ id, schema: 'nowhere' })
  const findings = await examine('--values')
  expect(findings).toMatchObject([
    { severity: 'error', code: 'missing_schema', message: 'the database has no schema "nowhere": requests get 502' },
  ])
  expect(await owner().unsafe(findings[0]?.fix ?? '')).toEqual([{ schema: quoteName(SCHEMA) }])
  await runJson(['stores', 'set', id, '--schema', SCHEMA])
  expect(await examine()).toEqual([])
})

test('if a store is in a schema other than public, `stores upgrade` fails and names the schema', async () => {
  const { code, stderr } = await runCommand(['stores', 'upgrade', id, '--to', LATEST_REVISION], { settings })
  expect([code, stderr]).toEqual([1, expect.stringContaining(`is in the schema ${quoteName(SCHEMA)}, `)])
})

test.each([
  ['', 0],
  ['x'.repeat(64), 64],
  ['ü'.repeat(32), 64],
  ['a\nb', 3],
])(
  'if --schema is %j, `stores add`, `stores set`, and `stores grants` exit with code 1 and name the accepted length',
  async (schema, bytes) => {
    for (const words of [
      ['stores', 'add', '--name', 'Tenant', '--database-url', 'postgres://reader@db.example/shop'],
      ['stores', 'set', id],
      ['stores', 'grants', '--revision', LATEST_REVISION],
    ]) {
      const { code, stderr } = await runCommand([...words, '--schema', schema], { settings })
      const message = `store-export: schema name: must have 1 to 63 bytes without control characters; got ${bytes} bytes\n`
      expect([code, stderr]).toEqual([1, message])
    }
  },
)
