import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool, parseConnectionUrl } from '@store-export/postgres'
import { Kysely, Migrator } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { createDatabase } from '../../../test/support/databases.ts'
import { createAdmitter } from './access/admitter.ts'
import { type HashedKey, hashApiKey, makeApiKey } from './access/api-key.ts'
import { migrations } from './apply-migrations.ts'
import { kyselyDialect } from './kysely-dialect.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'

const NAMES = Object.keys(MIGRATIONS)
const TIMEOUT_MS = 5000

function poolOf(url: string, connectionsMax: number): Pool {
  const options = { connectionsMax, applicationName: 'test', preparedStatements: false }
  return new Pool(parseConnectionUrl(url), options)
}

/** A database that has the first two migrations, and keys of so many stores. */
async function createOld(keys: number) {
  const { url, drop } = await createDatabase()
  const sql = openClient(url)
  const pool = poolOf(url, 1)
  const kysely = new Kysely<unknown>({ dialect: kyselyDialect(pool) })
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations() } })
  expect((await migrator.migrateTo(NAMES[1] as string)).error).toBeUndefined()
  const hashes: HashedKey[] = []
  for (let made = 0; made < keys; made++) {
    const [storeId, keyId] = [crypto.randomUUID(), crypto.randomUUID()]
    const hash = hashApiKey(makeApiKey(randomBytes))
    if (hash === null) throw new Error('a key that was made has a hash')
    await sql`insert into stores (id, name, origin, state) values (${storeId}, 'Shop', 'imported', 'ready')`
    await sql`
      insert into api_keys (id, store_id, name, slot, key_hash, prefix, last_four)
      values (${keyId}, ${storeId}, 'k', 1, ${hash.bytes}, 'sdx_abcdefgh', 'abcd')`
    hashes.push(hash)
  }
  // nodes of the version before don't read the columns that came later
  await sql.unsafe(`create schema before; create view before.stores as select *, 'public' as schema_name from stores`)
  await Promise.all([pool.close(), sql.end()])
  onTestFinished(drop)
  return { url, hashes }
}

function admitterOf(url: string) {
  const admitter = createAdmitter({
    pool: poolOf(`${url}${url.includes('?') ? '&' : '?'}options=-csearch_path%3Dbefore,public`, 4),
    poolSize: 4,
    requestsPerMinute: 1e9,
    timeoutMs: TIMEOUT_MS,
    observe: () => undefined,
  })
  onTestFinished(() => admitter.close())
  return admitter
}

test('migrating beside a dump admits requests between its attempts, and ends after the dump', async () => {
  const { url, hashes } = await createOld(1)
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
  const migrating = migrate({ url, random: randomBytes })
  await migrationWaits(url)
  expect(await admitter.admit(hashes[0] as HashedKey)).not.toBeNull()
  expect(isDumping).toBe(true)
  endDump()
  await dumping
  expect(await migrating).toEqual(NAMES.slice(2))
  await dump.end()
}, 40_000)

test('migrating beside requests fails none of them, and is not failed by them', async () => {
  const { url, hashes } = await createOld(20)
  const nodes = [admitterOf(url), admitterOf(url)]
  let isOver = false
  const refused: unknown[] = []
  const client = async (index: number) => {
    while (!isOver) {
      const admitting = (nodes[index % 2] as (typeof nodes)[0]).admit(hashes[index % 20] as HashedKey)
      await admitting.catch((error: unknown) => refused.push(error))
    }
  }
  const clients = Array.from({ length: 24 }, (_, index) => client(index))
  expect(await migrate({ url, random: randomBytes })).toEqual(NAMES.slice(2))
  isOver = true
  await Promise.all(clients)
  expect(refused).toEqual([])
}, 40_000)

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
