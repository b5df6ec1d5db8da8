import type { TransactionSql } from 'postgres'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { removeStore } from '../stores.ts'
import { createUsageRecorder } from '../usage/recorder.ts'
import { admit, admitMany, BUSY } from './admission.ts'
import { hashApiKey } from './api-key.ts'
import { createKey, type KeyRequest, type NewKey, type ReplacedKeyHours } from './create-key.ts'
import { ALL_PERMISSIONS, InvalidKeyPermissionError, type KeyPermissions } from './key-permissions.ts'
import { listKeys, renameKey, revokeKey } from './keys.ts'

const REQUEST = {
  outcome: 'successful',
  endpoint: '/api/v1/store',
  status: 200,
  code: null,
  reason: null,
  requestId: 'r',
} as const

const HOUR_MS = 3_600_000

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

async function keyWith(permissions: Partial<KeyPermissions>, more: Partial<KeyRequest> = {}): Promise<NewKey> {
  const storeId = more.storeId ?? (await control.store()).id
  const given = { ...ALL_PERMISSIONS, ...permissions }
  return createKey({ ...control, storeId, name: 'sync', createdBy: null, permissions: given, ...more })
}

async function admissionOf({ key }: NewKey, address: string | null = null) {
  const [admission] = await admit(hashApiKey(key), [address], { pool: control.database.pool, requestsPerMinute: 120 })
  return admission ?? null
}

async function summaryOf({ id, storeId }: NewKey) {
  return (await listKeys({ database: control.database, storeId })).find((key) => key.id === id)
}

const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS)
const replace = ({ id, storeId }: NewKey, endsAfterHours: ReplacedKeyHours = 24) =>
  keyWith({}, { storeId, replaces: { keyId: id, endsAfterHours } })
const expire = ({ id }: NewKey) => control.sql`update api_keys set expires_at = now() where id = ${id}`

describe('scopes and personal data', () => {
  test('[R38, R40] if a key has scopes and excludes personal data, checking the key and listing the keys return both restrictions', async () => {
    const key = await keyWith({ scopes: ['products:read', 'orders:read'], withoutPersonalData: true })
    const expected = { scopes: ['orders:read', 'products:read'], withoutPersonalData: true }
    expect(await admissionOf(key)).toMatchObject(expected)
    expect(await summaryOf(key)).toMatchObject(expected)
    const [batched] = await admitMany([hashApiKey(key.key)], { pool: control.database.pool, requestsPerMinute: 120 })
    expect(batched).toMatchObject(expected)
  })

  test('[R38] if createKey gets no permissions, the key may read all resources with personal data, and does not expire', async () => {
    const { id: storeId } = await control.store()
    const key = await createKey({ ...control, storeId, name: 'sync', createdBy: null })
    expect(await summaryOf(key)).toMatchObject(ALL_PERMISSIONS)
    expect(await admissionOf(key)).toMatchObject({ scopes: null, withoutPersonalData: false })
  })

  test("[AUTH-3] if a key is replaced, the new key has the old key's permissions, but not its expiry date", async () => {
    const kept = { scopes: ['orders:read' as const], withoutPersonalData: true, allowedAddresses: ['10.0.0.0/8'] }
    const key = await keyWith({ ...kept, expiresAt: inHours(1) })
    const newer = await replace(key)
    expect(newer.permissions).toEqual({ ...kept, expiresAt: null })
    expect(await summaryOf(newer)).toMatchObject(newer.permissions)
  })
})

describe('expiry and replacement of a key', () => {
  test('[R39] after a key has expired, each of two nodes rejects the key in a single check and in a batch', async () => {
    const key = await keyWith({ expiresAt: inHours(1) })
    const other = control.secondNode()
    expect(await admissionOf(key)).not.toBeNull()
    await expire(key)
    for (const { pool } of [control.database, other]) {
      const request = { pool, requestsPerMinute: 120 }
      expect(await admit(hashApiKey(key.key), [null], request)).toEqual([null])
      expect(await admitMany([hashApiKey(key.key)], request)).toEqual([null])
    }
  })

  test('[AUTH-4] an expired key does not count toward the limit of five keys, and listKeys returns its expiry as revokedAt', async () => {
    const first = await keyWith({ expiresAt: inHours(1) })
    for (let index = 0; index < 4; index++) await keyWith({}, { storeId: first.storeId })
    await expect(keyWith({}, { storeId: first.storeId })).rejects.toThrow('at most 5 active keys')
    await expire(first)
    await keyWith({}, { storeId: first.storeId })
    const summary = await summaryOf(first)
    expect(summary?.revokedAt).toEqual(summary?.expiresAt)
    const [event] = await control.sql`
      select details from audit_events where key_id = ${first.id} and action = 'key.revoked'`
    expect(event?.details).toEqual({ reason: 'expired' })
  })

  test.each([1, 24, 168] as const)(
    '[AUTH-3] if a key is replaced with an overlap of %i h, the overlap starts with the first use of the new key',
    async (hours) => {
      const old = await keyWith({})
      const newer = await replace(old, hours)
      const usedAt = Date.now() - HOUR_MS
      const recorder = createUsageRecorder({
        database: control.database,
        now: () => usedAt,
        emit: (event) => expect(event).toBeUndefined(),
        flushMs: 60_000,
        requestLogLines: 100,
      })
      const record = ({ id }: NewKey) =>
        recorder.record({ ...REQUEST, keyId: id, rows: 1, durationMs: 1, minuteRequests: 1, walk: null })
      record(old)
      await recorder.flush()
      expect(await summaryOf(old)).toMatchObject({ retiresAt: null })
      // The old key is used in the same batch, so one statement changes both of its columns.
      record(old)
      record(newer)
      await recorder.close()
      const summary = await summaryOf(old)
      expect(summary?.lastUsedAt?.getTime()).toBe(usedAt)
      const lifetime = Number(summary?.retiresAt?.getTime()) - Date.now()
      expect(Math.abs(lifetime - hours * HOUR_MS)).toBeLessThan(60_000)
      expect(await summaryOf(newer)).toMatchObject({ retiresAt: null })
      await control.sql`update api_keys set retires_at = now() where id = ${old.id}`
      expect(await admissionOf(old)).toBeNull()
      expect((await summaryOf(old))?.revokedAt).not.toBeNull()
    },
  )

  test('[AUTH-3] if an unused replacement key is replaced again without overlap, the newest key replaces the original key, which keeps its overlap of 168 hours', async () => {
    const old = await keyWith({})
    const newer = await replace(await replace(old, 168), 0)
    expect(await summaryOf(newer)).toMatchObject({ replaces: old.id, replacedKeyHours: 168 })
    await control.sql`update api_keys set last_used_at = now() where id = ${newer.id}`
    const third = await replace(newer, 0)
    expect(await summaryOf(third)).toMatchObject({ replaces: newer.id, replacedKeyHours: null })
  })

  test("[AUTH-3] if an unused replacement key is replaced with a one-hour overlap, the newest key's first use gives both older keys one more hour", async () => {
    const old = await keyWith({})
    const middle = await replace(old, 24)
    const newest = await replace(middle, 1)
    const { database } = control
    const emit = (event: unknown) => expect(event).toBeUndefined()
    const recorder = createUsageRecorder({ database, now: Date.now, emit, flushMs: 60_000, requestLogLines: 100 })
    recorder.record({ ...REQUEST, keyId: newest.id, rows: 1, durationMs: 1, minuteRequests: 1, walk: null })
    await recorder.close()
    for (const key of [old, middle]) {
      const lifetime = Number((await summaryOf(key))?.retiresAt?.getTime()) - Date.now()
      expect(Math.abs(lifetime - HOUR_MS)).toBeLessThan(60_000)
    }
    expect(await summaryOf(newest)).toMatchObject({ retiresAt: null })
  })

  test('[AUTH-5] if the replacement key is revoked, the scheduled end of the replaced key is canceled', async () => {
    const old = await keyWith({})
    const newer = await replace(old)
    await control.sql`update api_keys set retires_at = now() + interval '1 hour' where id = ${old.id}`
    await revokeKey({ database: control.database, keyId: newer.id })
    expect(await summaryOf(old)).toMatchObject({ retiresAt: null, revokedAt: null })
  })
})

describe('concurrent changes of a key and its replacement', () => {
  function recorderOf() {
    const { database } = control
    const emit = (event: unknown) => expect(event).toBeUndefined()
    const recorder = createUsageRecorder({ database, now: Date.now, emit, flushMs: 60_000, requestLogLines: 100 })
    return {
      recorder,
      record: ({ id }: NewKey) =>
        recorder.record({ ...REQUEST, keyId: id, rows: 1, durationMs: 1, minuteRequests: 1, walk: null }),
    }
  }

  /** Returns a key and its replacement. A statement that locks both in the order of their IDs locks `old` first. */
  async function replacedKey(): Promise<{ old: NewKey; newer: NewKey }> {
    for (;;) {
      const old = await keyWith({})
      const newer = await replace(old)
      if (old.id < newer.id) return { old, newer }
    }
  }

  /** Runs `first` in a transaction. When `second` waits for its locks, runs `then` in the transaction and commits. */
  async function interleaved(first: Statements, second: () => Promise<unknown>, then: Statements): Promise<void> {
    let pending: Promise<unknown> = Promise.resolve()
    await control.sql.begin(async (tx) => {
      await first(tx)
      pending = second()
      pending.catch(() => undefined)
      await vi.waitFor(async () => {
        const waiting = await control.sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        expect(waiting).toHaveLength(1)
      })
      await then(tx)
    })
    await pending
  }
  type Statements = (tx: TransactionSql) => Promise<unknown>
  const lock = (tx: TransactionSql, { id }: NewKey) => tx`select from api_keys where id = ${id} for no key update`

  test('[AUTH-5] if a replacement key is revoked before its first use is recorded, the replaced key stays active', async () => {
    const [old, { recorder, record }] = [await keyWith({}), recorderOf()]
    const newer = await replace(old)
    record(newer)
    await revokeKey({ database: control.database, keyId: newer.id })
    await recorder.close()
    expect(await summaryOf(old)).toMatchObject({ retiresAt: null, revokedAt: null })
  })

  test('[AUTH-5] if a replacement key is revoked while recording its first use waits for a lock, the replaced key stays active', async () => {
    const [{ old, newer }, { recorder, record }] = [await replacedKey(), recorderOf()]
    record(newer)
    await interleaved(
      (tx) => lock(tx, old),
      () => recorder.close(),
      (tx) => tx`update api_keys set revoked_at = clock_timestamp() where id = ${newer.id}`,
    )
    expect(await summaryOf(old)).toMatchObject({ retiresAt: null, revokedAt: null })
  })

  test('[AUTH-5] if the first use of a replacement key is recorded while its revocation waits for a lock, the replaced key stays active', async () => {
    const { old, newer } = await replacedKey()
    await interleaved(
      (tx) => tx`update api_keys set last_used_at = now(), retires_at = now() + interval '1 day' where id = ${old.id}`,
      () => revokeKey({ database: control.database, keyId: newer.id }),
      (tx) => tx`update api_keys set last_used_at = now() where id = ${newer.id}`,
    )
    expect(await summaryOf(old)).toMatchObject({ retiresAt: null, revokedAt: null })
    expect(await summaryOf(newer)).toMatchObject({ revokedAt: expect.any(Date) })
  })

  test('[AUTH-5] if a replacement key is revoked while usage of the old and the new key is written, no deadlock occurs', async () => {
    const { old, newer } = await replacedKey()
    await control.sql`update api_keys set retires_at = now() + interval '1 day' where id = ${old.id}`
    await interleaved(
      (tx) => lock(tx, old),
      () => revokeKey({ database: control.database, keyId: newer.id }),
      (tx) => lock(tx, newer),
    )
    expect(await summaryOf(old)).toMatchObject({ retiresAt: null, revokedAt: null })
  })

  test('[R39] if listKeys revokes two expired keys while their usage is written, no deadlock occurs', async () => {
    const { old, newer } = await replacedKey()
    // The scan of the update finds the other key first.
    await control.sql`update api_keys set created_at = now() - interval '1 day', expires_at = now() where id = ${newer.id}`
    await control.sql`update api_keys set expires_at = now() where id = ${old.id}`
    await interleaved(
      (tx) => lock(tx, old),
      () => listKeys({ database: control.database, storeId: old.storeId }),
      (tx) => lock(tx, newer),
    )
    expect(await summaryOf(newer)).toMatchObject({ revokedAt: expect.any(Date) })
  })

  test('[AUTH-5] if a store is removed while usage of two of its keys is written, no deadlock occurs', async () => {
    const { old, newer } = await replacedKey()
    // The scan of the update finds the other key first.
    await control.sql`update api_keys set created_at = now() - interval '1 day' where id = ${newer.id}`
    await interleaved(
      (tx) => lock(tx, old),
      () => removeStore(control.database, old.storeId),
      (tx) => lock(tx, newer),
    )
    expect(await admissionOf(newer)).toBeNull()
  })

  test("[AUTH-5] if a replaced key's replacement is itself replaced and then revoked, the end of the first key stays scheduled", async () => {
    const old = await keyWith({})
    const middle = await replace(old)
    await control.sql`update api_keys set retires_at = now() + interval '1 hour' where id = ${old.id}`
    await replace(middle)
    await revokeKey({ database: control.database, keyId: middle.id })
    expect((await summaryOf(old))?.retiresAt).toEqual(expect.any(Date))
  })
})

describe('allow lists of keys', () => {
  const addresses: [string | null, boolean][] = [
    ['203.0.113.7', true],
    ['203.0.113.8', false],
    ['10.255.0.1', true],
    ['11.0.0.1', false],
    ['2001:db8:1::5', true],
    ['2001:db9::5', false],
    [null, false],
  ]

  test('[R39] if a key has an allow list, only requests from addresses on this list are accepted and counted', async () => {
    const key = await keyWith({ allowedAddresses: ['203.0.113.7', '10.20.30.40/8', '2001:db8::/32'] })
    const request = { pool: control.database.pool, requestsPerMinute: 120 }
    const admissions = await admit(
      hashApiKey(key.key),
      addresses.map(([address]) => address),
      request,
    )
    expect(admissions.map((each) => each !== null)).toEqual(addresses.map(([, isAllowed]) => isAllowed))
    expect(admissions.flatMap((each) => (each === null ? [] : [each.requests]))).toEqual([1, 2, 3])
    expect(await admissionOf(key, '10.0.0.1')).toMatchObject({ requests: 4 })
    expect((await summaryOf(key))?.allowedAddresses).toEqual(['203.0.113.7/32', '10.0.0.0/8', '2001:db8::/32'])
  })

  test('[R39] if a batch check includes a key with an allow list, it returns BUSY for this key without counting its request', async () => {
    const [key, other] = [await keyWith({ allowedAddresses: ['10.0.0.0/8'] }), await keyWith({})]
    const hashes = [key, other].map((each) => hashApiKey(each.key))
    const admissions = await admitMany(hashes, { pool: control.database.pool, requestsPerMinute: 120 })
    expect(admissions).toMatchObject([BUSY, { requests: 1 }])
    expect(await admissionOf(key, '10.0.0.1')).toMatchObject({ requests: 1 })
  })
})

describe('invalid permissions of a key', () => {
  test.each<[Partial<KeyPermissions>, string]>([
    [{ scopes: [] }, 'scope: must name at least one resource'],
    [{ scopes: ['payments:read'] }, 'scope: must be one of orders:read, customers:read,'],
    [
      { expiresAt: new Date('2020-01-01T00:00:00Z') },
      'expires: must be in the future, at most 9999-12-31T23:59:59.999Z; got "2020-01-01T00:00:00.000Z"',
    ],
    [{ expiresAt: new Date('+010000-01-01T00:00:00Z') }, 'expires: must be in the future, at most 9999-12-31'],
    [{ expiresAt: new Date(Number.NaN) }, 'expires: must be in the future'],
    [{ allowedAddresses: [] }, 'allow: must have 1 to 50 addresses; got 0'],
    [{ allowedAddresses: Array(51).fill('10.0.0.1') }, 'allow: must have 1 to 50 addresses; got 51'],
    ...[
      '10.0.0.0/33',
      'fe80::1%eth0',
      '10.0.0',
      'example.com',
      '10.0.0.0/8/8',
      '10.0.0.0/-1',
      '2001:db8::/129',
      '::ffff:203.0.113.7',
      '::ffff:cb00:7107/128',
      '',
    ].map((address): [Partial<KeyPermissions>, string] => [
      { allowedAddresses: [address] },
      `allow: must be an address or a network, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32; got ${JSON.stringify(address)}`,
    ]),
  ])(
    '[AUTH-3] if the permissions of a new key are %j, createKey throws an error that states the violated rule',
    async (permissions, message) => {
      const error = await keyWith(permissions).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(InvalidKeyPermissionError)
      expect((error as Error).message).toContain(message)
    },
  )
})

test('[AUTH-3] if an active key is renamed, the list of keys has the new name, and the audit event names the actor', async () => {
  const key = await keyWith({})
  const { database } = control
  const other = await control.store()
  expect(await renameKey({ database, keyId: key.id, storeId: other.id, name: 'Books' })).toBe(false)
  expect(await renameKey({ database, keyId: key.id, storeId: key.storeId, name: ' Books ', actor: 'merchant m' })).toBe(
    true,
  )
  expect(await summaryOf(key)).toMatchObject({ name: 'Books' })
  const events = await control.sql`select actor from audit_events where key_id = ${key.id} and action = 'key.renamed'`
  expect(events).toEqual([{ actor: 'merchant m' }])
  await expire(key)
  await summaryOf(key)
  expect(await renameKey({ database, keyId: key.id, name: 'Again' })).toBe(false)
})
