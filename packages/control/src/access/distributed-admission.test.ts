// Tests the check of keys in a distributed control database. By default, its tables are on one server. With
// `npm run test:server -- --control-worker URL`, Citus has distributed them.

import { setTimeout as pause } from 'node:timers/promises'
import { executeOn, Pool, parseConnectionUrl, sql } from '@store-export/postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { hangWorker } from '../../../../test/support/citus.ts'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { REPAIR_ADMISSIONS } from '../admissions-schema.ts'
import type { ControlEvent } from '../control-event.ts'
import { type ControlDatabase, openControlDatabase } from '../database.ts'
import { LOCK_TIMEOUT } from '../migrate.ts'
import { addStore, removeStore, type StoreChange, setStore } from '../stores.ts'
import { createUsageRecorder } from '../usage/recorder.ts'
import { type Admission, admit } from './admission.ts'
import { createAdmitter } from './admitter.ts'
import { hashApiKey, makeApiKey } from './api-key.ts'
import { changePermissions } from './change-permissions.ts'
import { createKey, type KeyRequest, type NewKey } from './create-key.ts'
import { ALL_PERMISSIONS, type KeyPermissions } from './key-permissions.ts'
import { revokeKey } from './keys.ts'
import { switchKey } from './switch-key.ts'

const worker = inject('citusWorkers')?.[0] ?? ''

let control: TestControl
let key: NewKey
beforeAll(async () => {
  control = await createControlDatabase({ hasAdmissions: true })
})
beforeEach(async () => {
  key = await newKey()
})
afterAll(() => control.drop())

async function newKey(permissions: Partial<KeyPermissions> = {}, more: Partial<KeyRequest> = {}): Promise<NewKey> {
  const storeId = more.storeId ?? (await control.store()).id
  const given = { ...ALL_PERMISSIONS, ...permissions }
  return createKey({ ...control, storeId, name: 'sync', createdBy: null, permissions: given, ...more })
}

async function shardOf(made: NewKey): Promise<{ id: string; port: string }> {
  const [row] = await control.sql`
    select shardid as id, nodeport as port from pg_dist_shard_placement
    where shardid = get_shard_id_for_distribution_column('admissions', ${hashApiKey(made.key).bytes}::bytea)`
  return { id: String(row?.id), port: String(row?.port) }
}

/** Whether the copy of the key is on the worker. */
async function hasShardOn(worker: string, made: NewKey): Promise<boolean> {
  return (await shardOf(made)).port === new URL(worker).port
}

async function keysOnWorker(count: number): Promise<NewKey[]> {
  const found: NewKey[] = []
  while (found.length < count) {
    const made = await newKey()
    if (await hasShardOn(worker, made)) found.push(made)
  }
  return found
}

interface Request {
  readonly addresses?: readonly (string | null)[]
  readonly at?: string
  readonly node?: ControlDatabase
  readonly isDistributed?: boolean
}

function admissionsOf(made: Pick<NewKey, 'key'>, request: Request = {}): Promise<(Admission | null)[]> {
  const { addresses = [null], node = control.database, isDistributed = true, ...clock } = request
  return admit(hashApiKey(made.key), addresses, { pool: node.pool, requestsPerMinute: 120, isDistributed, ...clock })
}

async function admissionOf(made: Pick<NewKey, 'key'>, request: Request = {}): Promise<Admission | null> {
  return (await admissionsOf(made, request))[0] ?? null
}

describe('changes of keys and stores', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000)
  const permissions = (change: Partial<KeyPermissions>) => () =>
    changePermissions({ database: control.database, keyId: key.id, change })
  const store = (change: StoreChange) => () => setStore(control, key.storeId, change)
  const turn = (to: 'off' | 'on') => switchKey({ database: control.database, keyId: key.id, to })

  test.each<{ change: string; apply: () => Promise<unknown>; isRejected?: true }>([
    { change: 'the key is new', apply: async () => undefined },
    {
      change: 'the key is revoked',
      apply: () => revokeKey({ database: control.database, keyId: key.id }),
      isRejected: true,
    },
    { change: 'the key is turned off', apply: () => turn('off'), isRejected: true },
    { change: 'the key is turned off and on', apply: async () => [await turn('off'), await turn('on')] },
    { change: 'the scopes change', apply: permissions({ scopes: ['products:read', 'orders:read'] }) },
    { change: 'the expiry changes', apply: permissions({ expiresAt: inAnHour() }) },
    { change: 'the allow list changes', apply: permissions({ allowedAddresses: ['203.0.113.0/24'] }) },
    {
      change: 'the key expires',
      apply: () => control.sql`update api_keys set expires_at = now() where id = ${key.id}`,
      isRejected: true,
    },
    {
      change: 'a replacement of the key is used',
      apply: async () => {
        const newer = await newKey({}, { storeId: key.storeId, replaces: { keyId: key.id, endsAfterHours: 1 } })
        await use(newer)
        await control.sql`update api_keys set retires_at = now() where id = ${key.id} and retires_at > now()`
      },
      isRejected: true,
    },
    {
      change: "the URL of the store's database changes",
      apply: store({ databaseUrl: 'postgres://u:new@10.0.0.9/shop' }),
    },
    { change: 'the schema of the store changes', apply: store({ schemaName: 'shop' }) },
    { change: 'the store is generating', apply: store({ state: 'generating' }) },
    { change: 'the store is renamed', apply: store({ name: 'New name' }) },
    { change: 'the store is removed', apply: () => removeStore(control.database, key.storeId), isRejected: true },
    {
      change: 'the row of the key is deleted',
      apply: () => control.sql`delete from api_keys where id = ${key.id}`,
      isRejected: true,
    },
  ])(
    '[AUTH-5, AUTH-6] if $change, checking the key in a distributed control database returns the same as on one server',
    async (row) => {
      await row.apply()
      const address = '203.0.113.7'
      const checks = await Promise.all(
        [true, false].map((isDistributed) => admissionOf(key, { addresses: [address], isDistributed })),
      )
      expect(checks[0] === null).toBe(row.isRejected === true)
      const { secondsToNextMinute: _, ...distributed } = checks[0] ?? {}
      expect(checks[1] ?? {}).toMatchObject(distributed)
    },
  )

  /** Records a request with the key, as the first use of a replacement. */
  async function use({ id: keyId }: NewKey): Promise<void> {
    const { database } = control
    const recorder = createUsageRecorder({
      database,
      now: Date.now,
      emit: rethrow,
      flushMs: 60_000,
      requestLogLines: 9,
    })
    const measured = { status: 200, outcome: 'successful', rows: 0, durationMs: 1, minuteRequests: 1 } as const
    recorder.record({ keyId, endpoint: '/', requestId: 'r', code: null, reason: null, walk: null, ...measured })
    await recorder.close()
  }
  const rethrow = (event: ControlEvent) => {
    if ('cause' in event) throw event.cause
  }

  test('[AUTH-7] if a store is imported, checking its key in a distributed control database returns the origin "imported" and no database URL', async () => {
    const imported = await addStore(control, { name: 'Old', origin: 'imported', state: 'ready', databaseUrl: null })
    const made = await newKey({ withoutPersonalData: true }, { storeId: imported.id })
    const expected = { origin: 'imported', databaseUrl: null, encryptedPassword: null, withoutPersonalData: true }
    expect(await admissionOf(made)).toMatchObject(expected)
  })

  test("if a store's database URL changes while a key is created, checking the key in a distributed control database returns the new URL", async () => {
    const url = 'postgres://reader@10.0.0.8/moved'
    for (let round = 0; round < 20; round++) {
      const { id: storeId } = await control.store()
      const [made] = await Promise.all([newKey({}, { storeId }), setStore(control, storeId, { databaseUrl: url })])
      expect(await admissionOf(made)).toMatchObject({ databaseUrl: url })
    }
  })

  test('[AUTH-5] if a key is revoked while two nodes use it, no request that starts after the revocation is accepted', async () => {
    const nodes = [control.database, control.secondNode()]
    for (let round = 0; round < 10; round++) {
      const made = await newKey()
      let isRevoked = false
      const uses = nodes.map(async (node) => {
        for (let request = 0; request < 60; request++) {
          const mayWork = !isRevoked
          const admission = await admissionOf(made, { node })
          expect(admission === null || mayWork).toBe(true)
        }
      })
      await revokeKey({ database: control.database, keyId: made.id })
      isRevoked = true
      await Promise.all(uses)
    }
  })
})

test('[AUTH-5] if rows of the admissions table are outdated or missing, REPAIR_ADMISSIONS corrects them, and a second repair changes no row', async () => {
  const [revoked, missing] = [await newKey(), await newKey()]
  const hashOf = (made: NewKey) => hashApiKey(made.key).bytes
  // Without triggers, the row of the revoked key stays, as after a restore of a worker.
  await control.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await sql`update api_keys set revoked_at = now() where id = ${revoked.id}`
  })
  await control.sql`delete from admissions where key_hash = ${hashOf(missing)}`
  await control.sql`update admissions set ends_at = '-infinity' where key_hash = ${hashOf(key)}`
  expect([await admissionOf(revoked), await admissionOf(missing), await admissionOf(key)]).toEqual([
    expect.anything(),
    null,
    null,
  ])
  expect(await control.database.pool.query({ text: REPAIR_ADMISSIONS, values: [] })).toHaveLength(3)
  expect([await admissionOf(revoked), await admissionOf(missing), await admissionOf(key)]).toEqual([
    null,
    expect.anything(),
    expect.anything(),
  ])
  expect(await control.database.pool.query({ text: REPAIR_ADMISSIONS, values: [] })).toEqual([])
})

describe('the rate limit', () => {
  test('[LIM-1, R8] if a client sends two nodes 300 requests in a minute with a key limited to 120, exactly 120 are within the limit', async () => {
    const nodes = [control.database, control.secondNode()]
    const at = '2026-03-01 12:00:30+00'
    const admissions = await Promise.all(
      Array.from({ length: 300 }, (_, index) => admissionOf(key, { at, node: nodes[index % 2] as ControlDatabase })),
    )
    expect(admissions.filter((admission) => admission?.withinLimit === true)).toHaveLength(120)
    expect(new Set(admissions.map((admission) => admission?.requests)).size).toBe(300)
  })

  test('[LIM-1, R8] in a distributed control database, the request count of a key restarts at 1 when the next one-minute window starts', async () => {
    const at = (time: string) => admissionOf(key, { at: `2026-03-01 ${time}+00` })
    expect(await at('12:00:59.999999')).toMatchObject({ requests: 1, secondsToNextMinute: 1 })
    expect(await at('12:01:00')).toMatchObject({ requests: 1, secondsToNextMinute: 60 })
    expect(await at('12:01:58.5')).toMatchObject({ requests: 2, secondsToNextMinute: 2 })
    // This statement started in the old minute, and waited for the row.
    expect(await at('12:00:59.9')).toMatchObject({ requests: 3, secondsToNextMinute: 60 })
    expect(await at('12:01:59')).toMatchObject({ requests: 4, secondsToNextMinute: 1 })
  })

  test("[R43] if a wrong clock filled a key's counter for a future minute, a distributed control database restarts the counter with the next request", async () => {
    for (let request = 1; request <= 121; request++) await admissionOf(key, { at: '2999-03-01 12:00:30+00' })
    expect(await admissionOf(key)).toMatchObject({ requests: 1, withinLimit: true })
  })

  test("[R39] if a key has an allow list, a distributed control database counts only the key's requests from addresses on this list", async () => {
    const made = await newKey({ allowedAddresses: ['10.0.0.0/8'] })
    const addresses = ['203.0.113.7', '10.0.0.1', null, '10.0.0.2', '10.0.0.1']
    const admissions = await admissionsOf(made, { addresses })
    expect(admissions.map((each) => each?.requests ?? null)).toEqual([null, 1, null, 3, 2])
  })
})

describe('key checks in a distributed control database', () => {
  const POOL_SIZE = 3
  const TIMEOUT_MS = 5000
  function newAdmitter() {
    const [pool, lookups] = [POOL_SIZE, 1].map(
      (connectionsMax) => new Pool(parseConnectionUrl(control.url), { connectionsMax, applicationName: 'test' }),
    ) as [Pool, Pool]
    const limits = { poolSize: POOL_SIZE, requestsPerMinute: 120, timeoutMs: TIMEOUT_MS }
    const admitter = createAdmitter({ pool, lookups, ...limits, emit: () => undefined })
    onTestFinished(() => admitter.close())
    return (made: Pick<NewKey, 'key'>) => admitter.admit({ hash: hashApiKey(made.key), address: null })
  }

  test('[LIM-1, AUTH-6] if requests with several keys arrive at once, each gets the result of its own key', async () => {
    const admitKey = newAdmitter()
    const [other, unknown] = [await newKey(), { key: makeApiKey(control.random) }]
    const admissions = await Promise.all([key, unknown, other, key, key].map(admitKey))
    expect(admissions.map((each) => each && [each.keyId, each.requests])).toEqual([
      [key.id, 1],
      null,
      [other.id, 1],
      [key.id, 2],
      [key.id, 3],
    ])
  })

  test('[ERR-3] if the row of one key in the admissions table is locked, requests with other keys do not wait', async () => {
    const admitKey = newAdmitter()
    const holder = openControlDatabase(control.url, { poolSize: 1 })
    onTestFinished(() => holder.close())
    const other = await newKey()
    const waiting = await holder.pool.transaction(async (connection) => {
      await executeOn(connection, sql`update admissions set requests = 7 where key_hash = ${hashApiKey(key.key).bytes}`)
      const begun = admitKey(key)
      for (let request = 1; request <= 20; request++) expect(await admitKey(other)).toMatchObject({ requests: request })
      return { begun }
    })
    expect(await waiting.begun).toMatchObject({ keyId: key.id })
  })

  test('[ERR-3] while a migration waits two seconds for a lock on the admissions table, checks of keys wait, and succeed', async () => {
    const admitKey = newAdmitter()
    const keys = await Promise.all(Array.from({ length: 12 }, () => newKey()))
    const [reader, migration] = [1, 2].map(() => openControlDatabase(control.url, { poolSize: 1 })) as [
      ControlDatabase,
      ControlDatabase,
    ]
    onTestFinished(async () => void (await Promise.all([reader.close(), migration.close()])))
    const checks: Promise<Admission | null>[] = []
    await reader.pool.transaction(async (reading) => {
      await executeOn(reading, sql`select count(*) from admissions`)
      const waiting = migration.pool.transaction(async (connection) => {
        await connection.script(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
        await executeOn(connection, sql`lock table admissions in access exclusive mode`)
      })
      let isOver = false
      const ended = expect(waiting)
        .rejects.toThrow('lock timeout')
        .finally(() => {
          isOver = true
        })
      for (; !isOver; await pause(100)) checks.push(...keys.map(admitKey))
      await ended
    })
    expect(await Promise.all(checks)).not.toContain(null)
  })

  test.skipIf(worker === '')(
    '[ERR-3] if a change of one key locks its row for three seconds, checks of other keys on the same Citus worker succeed',
    async () => {
      const admitKey = newAdmitter()
      const [locked, ...others] = (await keysOnWorker(4)) as [NewKey, ...NewKey[]]
      const holder = openControlDatabase(control.url, { poolSize: 1 })
      onTestFinished(() => holder.close())
      const hash = hashApiKey(locked.key).bytes
      const checked = await holder.pool.transaction(async (connection) => {
        await executeOn(connection, sql`update admissions set requests = 7 where key_hash = ${hash}`)
        const waiting = admitKey(locked)
        for (const end = performance.now() + 3000; performance.now() < end; await pause(50))
          expect(await Promise.all(others.map(admitKey))).not.toContain(null)
        return { waiting }
      })
      expect(await checked.waiting).not.toBeNull()
    },
    20_000,
  )

  test.skipIf(worker === '')(
    '[ERR-3] while one shard of a Citus worker is locked, checks of keys on its other shards succeed',
    async () => {
      const admitKey = newAdmitter()
      const keys = await keysOnWorker(20)
      const shards = await Promise.all(keys.map(shardOf))
      const times = Map.groupBy(shards, ({ id }) => id)
      // At least two of 20 keys share one of 16 shards.
      const [locked = ''] = [...times.keys()].toSorted(
        (a, b) => (times.get(b)?.length ?? 0) - (times.get(a)?.length ?? 0),
      )
      const isLocked = shards.map(({ id }) => id === locked)
      const end = await hangWorker(control, worker, 'admissions', locked)
      const waiting = keys.filter((_, index) => isLocked[index]).map((made) => admitKey(made).catch(() => null))
      await pause(TIMEOUT_MS / 2 + 1000)
      for (const made of keys.filter((_, index) => isLocked[index] !== true).slice(0, 8))
        expect(await admitKey(made)).not.toBeNull()
      expect(await Promise.all(waiting)).not.toContainEqual(expect.anything())
      await end()
    },
    20_000,
  )

  test.skipIf(worker === '')(
    '[ERR-3] while a Citus worker hangs, checks of its keys fail at once except one, and checks of other keys do not wait',
    async () => {
      const admitKey = newAdmitter()
      const keys = await Promise.all(Array.from({ length: 12 }, () => newKey()))
      const isOnWorker = await Promise.all(keys.map((made) => hasShardOn(worker, made)))
      const timed = async (made: NewKey) => {
        const startedAt = performance.now()
        const isAdmitted = await admitKey(made).then(
          (admission) => admission !== null,
          () => false,
        )
        return { isAdmitted, tookMs: performance.now() - startedAt }
      }
      const all = () => Promise.all(keys.map(timed))
      const admitted = async () => (await all()).map(({ isAdmitted }) => isAdmitted)
      expect(await admitted()).toEqual(keys.map(() => true))
      const end = await hangWorker(control, worker, 'admissions')
      // The worker is noticed after half of the time limit.
      await all()
      for (let round = 0; round < 3; round++) {
        const results = await all()
        expect(results.map(({ isAdmitted }) => isAdmitted)).toEqual(isOnWorker.map((isHung) => !isHung))
        const slow = results.filter(({ tookMs }) => tookMs >= TIMEOUT_MS / 2)
        expect(slow.map(({ isAdmitted }) => isAdmitted)).toEqual([false])
      }
      await end()
      await expect.poll(admitted, { timeout: 5000 }).toEqual(keys.map(() => true))
    },
    40_000,
  )
})
