// Tests the SQL of `stores grants` in a platform's own databases, to which only their owner can connect.

import { randomBytes } from 'node:crypto'
import { LATEST_REVISION } from '@store-export/contract'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { withConnection } from '../../../test/support/client.ts'
import { createDatabase } from '../../../test/support/databases.ts'
import { migrateStore } from '../src/store-schema/migrate-store.ts'
import { openClientForTest, runCommand, SLOW_TEST_TIMEOUTS } from './support/command-process.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

/** Creates a store database to which only its owner can connect. */
async function ownStore() {
  const { url, drop } = await createDatabase()
  onTestFinished(drop)
  const owner = openClientForTest(url)
  await withConnection(url, (connection) => migrateStore(connection, LATEST_REVISION))
  await owner.unsafe(`revoke connect on database "${new URL(url).pathname.slice(1)}" from public`)
  return { url, owner }
}

function asReader(url: string, { role, password }: { role: string; password: string }) {
  return openClientForTest(Object.assign(new URL(url), { username: role, password }).href)
}

async function grants(...options: string[]) {
  const { code, json } = await runCommand(['stores', 'grants', '--revision', LATEST_REVISION, '--json', ...options])
  expect(code).toBe(0)
  return json as { role: string; password: string; revision: string; sql: string }
}

test("[GEN-3] after the SQL of `stores grants` has run, the reader role can select the contract's columns, but not the password hash", async () => {
  const role = newRole()
  const store = await ownStore()
  const reader = await grants('--role', role)
  await store.owner.unsafe(reader.sql)
  const sql = asReader(store.url, reader)
  expect(await sql`select id, email, created_at from customers`).toEqual([])
  await expect(sql`select password_hash from customers`).rejects.toMatchObject({ code: '42501' })
})

test('if a role name contains dollar quotes and a statement, running the SQL of `stores grants` does not run this statement', async () => {
  const role = newRole('$$; create table planted (); --')
  const store = await ownStore()
  const reader = await grants('--role', role)
  await store.owner.unsafe(reader.sql)
  expect(await store.owner`select to_regclass('planted') as planted`).toEqual([{ planted: null }])
  expect(await asReader(store.url, reader)`select id from orders`).toEqual([])
})

test('after the SQL of `stores grants --grants-only` has run, an existing role can read a second database', async () => {
  const role = newRole()
  const [first, second] = [await ownStore(), await ownStore()]
  const reader = await grants('--role', role)
  await first.owner.unsafe(reader.sql)
  await expect(asReader(second.url, reader)`select 1`).rejects.toMatchObject({ code: '42501' })
  const alone = await grants('--role', role, '--grants-only')
  expect(alone).toMatchObject({ role: role, password: null, revision: LATEST_REVISION })
  expect(alone.sql).not.toContain('create role')
  await second.owner.unsafe(alone.sql)
  // The grants can be run again.
  await second.owner.unsafe(alone.sql)
  expect(await asReader(second.url, reader)`select id from orders`).toEqual([])
  const { stdout } = await runCommand([
    'stores',
    'grants',
    '--revision',
    LATEST_REVISION,
    '--role',
    role,
    '--grants-only',
  ])
  expect(stdout).toContain(alone.sql)
})

/** A unique name, because roles exist once per server. Databases that are created later are dropped before the role. */
function newRole(suffix = ''): string {
  const role = `reader_${randomBytes(6).toString('hex')}${suffix}`
  const admin = openClientForTest(inject('postgresUrl'))
  onTestFinished(async () => void (await admin.unsafe(`drop role if exists "${role}"`)))
  return role
}
