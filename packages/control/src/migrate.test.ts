import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool, parseConnectionUrl } from '@store-export/postgres'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { createDatabase, createMigratedDatabase } from '../../../test/support/databases.ts'
import { createControlDatabase } from '../test/support/control-database.ts'
import { createAdmitter } from './access/admitter.ts'
import { type HashedKey, hashApiKey, makeApiKey } from './access/api-key.ts'
import { createKey } from './access/create-key.ts'
import { MIGRATIONS, migrate } from './migrate.ts'

const TIMEOUT_MS = 5000
/** Migrations of a later version. */
const LATER = {
  '903-later-stores': 'alter table stores add column later text; alter table api_keys add column later text',
  '904-later-counters': 'alter table request_counters add column later text',
  '905-later-admissions': `do $do$ begin
    if to_regclass('admissions') is null then return; end if;
    alter table admissions add column later text;
    create or replace function copy_permissions(k api_keys, is_deleted boolean) returns void language plpgsql as $$
    begin
      delete from admission_changes where id = 0;
      update admissions set later = k.later where key_hash = k.key_hash;
    end $$;
    perform copy_permissions(k, false) from api_keys k;
  end $do$`,
}
const MIGRATIONS_LATER = { ...MIGRATIONS, ...LATER }

function poolOf(url: string, connectionsMax: number): Pool {
  return new Pool(parseConnectionUrl(url), { connectionsMax, applicationName: 'test', preparedStatements: false })
}

/** Creates a database of this version with `keys` stores that have one key each. */
async function createStores(keys: number) {
  const { url, drop } = await createDatabase()
  await migrate({ url, random: randomBytes })
  const sql = openClient(url)
  const hashes: HashedKey[] = []
  for (let made = 0; made < keys; made++) {
    const [storeId, keyId] = [crypto.randomUUID(), crypto.randomUUID()]
    const hash = hashApiKey(makeApiKey(randomBytes))
    await sql`insert into stores (id, name, origin, state) values (${storeId}, 'Shop', 'imported', 'ready')`
    await sql`
      insert into api_keys (id, store_id, name, slot, key_hash, prefix, last_four)
      values (${keyId}, ${storeId}, 'k', 1, ${hash.bytes}, 'sdx_abcdefgh', 'abcd')`
    hashes.push(hash)
  }
  await sql.end()
  onTestFinished(drop)
  return { url, hashes }
}

function admitterOf(url: string) {
  const admitter = createAdmitter({
    pool: poolOf(url, 4),
    poolSize: 4,
    requestsPerMinute: 1e9,
    timeoutMs: TIMEOUT_MS,
    emit: () => undefined,
  })
  onTestFinished(() => admitter.close())
  return admitter
}

test('if pg_dump locks tables of the control database, a migration retries without blocking requests, and completes after the dump', async () => {
  const { url, hashes } = await createStores(1)
  const admitter = admitterOf(url)
  const dump = openClient(url)
  let isDumping = true
  const { promise: locked, resolve: hasLocks } = Promise.withResolvers<void>()
  const { promise: ended, resolve: endDump } = Promise.withResolvers<void>()
  const dumping = dump.begin(async (transaction) => {
    await transaction`lock table request_counters, stores, api_keys in access share mode`
    hasLocks()
    await ended
    isDumping = false
  })
  await locked
  const migrating = migrate({ url, random: randomBytes, migrations: MIGRATIONS_LATER })
  await migrationWaits(url)
  expect(await admitter.admit({ hash: hashes[0] as HashedKey, address: null })).not.toBeNull()
  expect(isDumping).toBe(true)
  endDump()
  await dumping
  expect(await migrating).toEqual(Object.keys(LATER))
  await dump.end()
}, 40_000)

test('if keys are checked during a migration of the control database, the migration is applied, and no check fails', async () => {
  const { url, hashes } = await createStores(20)
  const nodes = [admitterOf(url), admitterOf(url)]
  let isOver = false
  const refused: unknown[] = []
  const client = async (index: number) => {
    while (!isOver) {
      const admitting = (nodes[index % 2] as (typeof nodes)[0]).admit({
        hash: hashes[index % 20] as HashedKey,
        address: null,
      })
      await admitting.catch((error: unknown) => refused.push(error))
    }
  }
  const clients = Array.from({ length: 24 }, (_, index) => client(index))
  expect(await migrate({ url, random: randomBytes, migrations: MIGRATIONS_LATER })).toEqual(Object.keys(LATER))
  isOver = true
  await Promise.all(clients)
  expect(refused).toEqual([])
}, 40_000)

test('if the keys are distributed, a migration can change their copies, and the triggers that write the copies', async () => {
  const control = await createControlDatabase({ hasAdmissions: true })
  onTestFinished(() => control.drop())
  const { id: storeId } = await control.store()
  await createKey({ ...control, storeId, name: 'k', createdBy: null })
  const migrations = {
    ...MIGRATIONS_LATER,
    '904-later-counters': "update api_keys set later = 'old'",
  }
  expect(await migrate({ url: control.url, random: randomBytes, migrations })).toEqual(Object.keys(LATER))
  expect(await control.sql`select later from admissions`).toEqual([{ later: 'old' }])
  await control.sql`update api_keys set later = 'new', turned_off_at = now()`
  expect(await control.sql`select later from admissions`).toEqual([{ later: 'new' }])
})

test.skipIf(inject('citusWorkers') === undefined)(
  'if a query on a Citus worker blocks a migration, the migration retries without blocking other queries, and completes after the query',
  async () => {
    const { url, drop } = await createMigratedDatabase()
    onTestFinished(drop)
    const [worker = ''] = inject('citusWorkers') ?? []
    const sql = openClient(url)
    const [shard] = await sql`
      select table_name || '_' || shardid as name from citus_shards
      where table_name = 'usage_hours'::regclass and nodeport = ${new URL(worker).port} limit 1`
    await sql.end()
    const onWorker = openClient(Object.assign(new URL(worker), { pathname: new URL(url).pathname }).href, 2)
    const waiting = () => onWorker`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    const migrations = { ...MIGRATIONS, '903-later-usage': 'alter table usage_hours add column later text' }
    const migrating = await onWorker.begin(async (transaction) => {
      await transaction`select from ${transaction(String(shard?.name))}`
      const begun = migrate({ url, random: randomBytes, migrations })
      await expect.poll(waiting).toHaveLength(1)
      await expect.poll(waiting).toHaveLength(0)
      return { begun }
    })
    expect(await migrating.begun).toEqual(['903-later-usage'])
    await onWorker.end()
  },
  40_000,
)

/** Resolves once the migration waits for a table. */
async function migrationWaits(url: string): Promise<void> {
  const sql = openClient(url)
  for (;;) {
    const [row] = await sql<[{ waiting: number }]>`
      select count(*)::int as waiting from pg_stat_activity
      where application_name = 'store-export migrate' and wait_event_type = 'Lock' and datname = current_database()`
    if (row.waiting > 0) break
    await delay(10)
  }
  await sql.end()
}
