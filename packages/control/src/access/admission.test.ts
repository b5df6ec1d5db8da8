import { executeOn, sql } from '@store-export/postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { type ControlDatabase, openControlDatabase } from '../database.ts'
import { decryptPassword } from '../password-encryption.ts'
import { addStore, removeStore } from '../stores.ts'
import { type Admission, admit, admitMany, BUSY } from './admission.ts'
import { hashApiKey, makeApiKey } from './api-key.ts'
import { createKey, type NewKey } from './create-key.ts'
import { revokeKey } from './keys.ts'

let control: TestControl
let key: NewKey
beforeAll(async () => {
  control = await createControlDatabase()
})
beforeEach(async () => {
  key = await keyOf((await control.store()).id)
})
afterAll(() => control.drop())

function keyOf(storeId: string): Promise<NewKey> {
  return createKey({ database: control.database, storeId, name: 'sync', createdBy: null, random: control.random })
}

async function admitKey(at?: string, node: ControlDatabase = control.database, made = key): Promise<Admission | null> {
  const [admission] = await admit(
    hashApiKey(made.key),
    [null],
    requestOn({ node, ...(at === undefined ? {} : { at }) }),
  )
  return admission ?? null
}

interface AdmissionOptions {
  readonly at?: string
  readonly node?: ControlDatabase
}

/** Repeats the batch until no counter is busy. A session locks a counter only for one statement. */
async function admitKeys(keys: readonly NewKey[], options: AdmissionOptions = {}): Promise<(Admission | null)[]> {
  for (;;) {
    const admissions = await admitMany(
      keys.map((made) => hashApiKey(made.key)),
      requestOn(options),
    )
    if (!admissions.includes(BUSY)) return admissions.filter((each) => each !== BUSY)
  }
}

function requestOn({ node = control.database, ...rest }: AdmissionOptions) {
  return { pool: node.pool, requestsPerMinute: 120, ...rest }
}

describe('checking a key and counting its request', () => {
  test('if a key is valid, checking the key returns its store and the number of requests that remain in the current minute', async () => {
    const admission = await admitKey()
    expect(admission).toMatchObject({
      keyId: key.id,
      storeId: key.storeId,
      origin: 'generated',
      state: 'ready',
      databaseUrl: 'postgres://reader@127.0.0.1:5432/shop?sslmode=verify-full',
      requests: 1,
      withinLimit: true,
      remaining: 119,
    })
    expect(decryptPassword(control.keys, key.storeId, admission?.encryptedPassword ?? '')).toBe('p@ss')
    expect(admission?.secondsToNextMinute).toBeGreaterThanOrEqual(1)
    expect(admission?.secondsToNextMinute).toBeLessThanOrEqual(60)
  })

  test('[AUTH-7] if a store is imported, checking its key returns the origin "imported" and no database URL', async () => {
    const store = await addStore(control, { name: 'Old', origin: 'imported', state: 'ready', databaseUrl: null })
    expect(await admitKey(undefined, control.database, await keyOf(store.id))).toMatchObject({
      origin: 'imported',
      databaseUrl: null,
      encryptedPassword: null,
    })
  })

  test('[AUTH-6] if a request has an unknown key, the check rejects the key and counts no request', async () => {
    const before = await counters()
    const unknown = { ...key, key: makeApiKey(control.random) }
    expect(await admitKey(undefined, control.database, unknown)).toBeNull()
    expect(await counters()).toBe(before)
  })

  test("[AUTH-5] after a key is revoked, each of two nodes rejects the key's next request", async () => {
    const second = control.secondNode()
    await Promise.all([admitKey(), admitKey(undefined, second)])
    await revokeKey({ database: control.database, keyId: key.id })
    expect(await Promise.all([admitKey(), admitKey(undefined, second)])).toEqual([null, null])
  })

  test('[AUTH-6] after a store is removed, a key of this store is rejected', async () => {
    await removeStore(control.database, key.storeId)
    expect(await admitKey()).toBeNull()
  })

  test('[LIM-1, R8] if a client sends 300 requests to two nodes with a key limited to 120 a minute, exactly 120 are within the limit', async () => {
    const nodes = [control.database, control.secondNode()]
    const admissions = await Promise.all(
      Array.from({ length: 300 }, (_, index) => admitKey('2026-03-01 12:00:30+00', nodes[index % 2])),
    )
    expect(admissions.filter((admission) => admission?.withinLimit === true)).toHaveLength(120)
    expect(new Set(admissions.map((admission) => admission?.requests)).size).toBe(300)
  })

  test('[LIM-1, AUTH-5] if one batch checks valid, unknown, and revoked keys, each request gets the result of its own key', async () => {
    const [other, revoked] = [await keyOf(key.storeId), await keyOf(key.storeId)]
    await revokeKey({ database: control.database, keyId: revoked.id })
    const unknown = { ...key, key: makeApiKey(control.random) }
    await admitKey('2026-03-01 12:00:29+00')
    const admissions = await admitKeys([key, unknown, other, key, revoked, other, key], {
      at: '2026-03-01 12:00:30+00',
    })
    expect(admissions.map((each) => each && [each.keyId, each.requests, each.remaining])).toEqual([
      [key.id, 2, 118],
      null,
      [other.id, 1, 119],
      [key.id, 3, 117],
      null,
      [other.id, 2, 118],
      [key.id, 4, 116],
    ])
    expect(admissions[0]).not.toHaveProperty('hash')
  })

  test('[LIM-1, R8] if one batch checks 300 requests of a key limited to 120 a minute, exactly the first 120 are within the limit', async () => {
    const admissions = await admitKeys(Array<NewKey>(300).fill(key), { at: '2026-03-01 12:00:30+00' })
    expect(admissions.map((each) => each?.withinLimit)).toEqual(Array.from({ length: 300 }, (_, n) => n < 120))
    expect(await admitKeys([key, key], { at: '2026-03-01 12:01:00+00' })).toMatchObject([
      { requests: 1 },
      { requests: 2 },
    ])
  })

  test('[LIM-1, R8] if one batch counts three requests of a key, their results have the request counts 1, 2, and 3', async () => {
    const at = '2026-03-01 12:00:30+00'
    const admissions = await admit(hashApiKey(key.key), [null, null, null], requestOn({ at }))
    expect(admissions.map((each) => [each?.requests, each?.remaining])).toEqual([
      [1, 119],
      [2, 118],
      [3, 117],
    ])
  })

  test('[ERR-3, R8] if four nodes count requests of the same keys in different orders, no deadlock occurs, and every request is counted', async () => {
    const at = '2026-03-01 12:00:30+00'
    const keys: NewKey[] = [key]
    for (let i = 0; i < 19; i++) keys.push(await keyOf((await control.store()).id))
    const nodes = Array.from({ length: 4 }, () => control.secondNode())
    let counted = 0
    const counting = nodes.map(async (node, index) => {
      const order = index % 2 === 0 ? keys : keys.toReversed()
      const hashes = order.map((made) => hashApiKey(made.key))
      for (let round = 0; round < 100; round++) {
        const admissions = await admitMany(hashes, requestOn({ node, at }))
        counted += admissions.filter((each) => each !== BUSY).length
      }
    })
    await Promise.all(counting)
    const totals = (await admitKeys(keys, { at })).map((each) => each?.requests ?? 0)
    expect(totals.reduce((sum, total) => sum + total - 1, 0)).toBe(counted)
    expect(counted).toBeGreaterThan(2000)
  })

  test('[ERR-3, LIM-1] if the request counter of a key is locked, a batch check returns BUSY for this key without waiting, and checks other keys', async () => {
    const at = '2026-03-01 12:00:30+00'
    const other = await keyOf((await control.store()).id)
    await admitKeys([key, other], { at })
    const holder = control.secondNode()
    await holder.pool.transaction(async (connection) => {
      await executeOn(connection, sql`select from request_counters where key_id = ${key.id} for update`)
      const admissions = await admitMany(
        [key, other, key].map((made) => hashApiKey(made.key)),
        requestOn({ at }),
      )
      expect(admissions).toEqual([BUSY, expect.objectContaining({ keyId: other.id, requests: 2 }), BUSY])
    })
    expect(await admitKey(at)).toMatchObject({ requests: 2 })
  })

  test('[LIM-1, R8] when the next one-minute window starts, the request count of a key restarts at 1', async () => {
    expect(await admitKey('2026-03-01 12:00:59.999999+00')).toMatchObject({ requests: 1, secondsToNextMinute: 1 })
    expect(await admitKey('2026-03-01 12:01:00+00')).toMatchObject({ requests: 1, secondsToNextMinute: 60 })
    expect(await admitKey('2026-03-01 12:01:00.000001+00')).toMatchObject({ requests: 2, secondsToNextMinute: 60 })
  })

  test("[LIM-1, R8] if a request's timestamp is earlier than the key's current one-minute window, the request counts in that window", async () => {
    await admitKey('2026-03-01 12:01:00.5+00')
    await admitKey('2026-03-01 12:01:00.6+00')
    expect(await admitKey('2026-03-01 12:00:59.9+00')).toMatchObject({ requests: 3, secondsToNextMinute: 60 })
    expect(await admitKey('2026-03-01 12:01:01+00')).toMatchObject({ requests: 4 })
  })

  test("[R43] if a wrong clock filled a key's request counter for a future minute, the next request restarts the counter at 1", async () => {
    const other = await keyOf(key.storeId)
    for (const made of [key, other]) {
      for (let request = 1; request <= 121; request += 1)
        await admitKey('2999-03-01 12:00:30+00', control.database, made)
    }
    const [admission] = await admitKeys([key])
    expect(admission).toMatchObject({ requests: 1, withinLimit: true, remaining: 119 })
    expect(await admitKey()).toMatchObject({ withinLimit: true })
    expect(await admitKeys([key, other])).toMatchObject([{ withinLimit: true }, { requests: 1, withinLimit: true }])
  })

  test('[ERR-2, R8] the seconds until the next one-minute window are rounded up to a whole number', async () => {
    const waits = []
    for (const second of ['00', '00.1', '01', '58.999', '59', '59.5']) {
      waits.push((await admitKey(`2026-03-01 13:00:${second}+00`))?.secondsToNextMinute)
    }
    expect(waits).toEqual([60, 60, 59, 2, 1, 1])
  })

  test("[R8] if the database's time zone is 44 minutes and 30 seconds behind UTC, rate limit windows still start at full UTC minutes", async () => {
    // Monrovia was 44 minutes and 30 seconds behind UTC until 1972, so its minutes start 30 seconds after those of UTC.
    await control.sql.unsafe(`alter database ${databaseName()} set timezone = 'Africa/Monrovia'`)
    const fresh = control.secondNode()
    expect(await admitKey('1960-03-01 12:00:59+00', fresh)).toMatchObject({ requests: 1, secondsToNextMinute: 1 })
    expect(await admitKey('1960-03-01 12:01:01+00', fresh)).toMatchObject({ requests: 1, secondsToNextMinute: 59 })
    await control.sql.unsafe(`alter database ${databaseName()} reset timezone`)
  })

  test('[R8] request_counters is a permanent table, because PostgreSQL empties an unlogged table after a crash', async () => {
    const [table] = await control.sql`select relpersistence from pg_class where relname = 'request_counters'`
    expect(table?.relpersistence).toBe('p')
  })

  test("[R8] after a request is counted with an asynchronous commit, the session's synchronous_commit is on again", async () => {
    const alone = openControlDatabase(control.url, { poolSize: 1 })
    expect(await admitKey(undefined, alone)).toMatchObject({ requests: 1 })
    expect(await alone.pool.query(sql`show synchronous_commit`)).toEqual([{ synchronous_commit: 'on' }])
    await alone.close()
  })

  test('[R5] if the pool of the control database is closed, checking a key fails with CONNECTION_CLOSED', async () => {
    const closed = control.secondNode()
    await closed.close()
    await expect(admitKey(undefined, closed)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  })
})

async function counters(): Promise<number> {
  const [row] = await control.sql<[{ total: number }]>`
    select coalesce(sum(requests), 0)::int as total from request_counters`
  return row.total
}

function databaseName(): string {
  return new URL(control.url).pathname.slice(1)
}
