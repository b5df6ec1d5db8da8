import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { admit, admitMany } from './admission.ts'
import { hashApiKey } from './api-key.ts'
import { createKey, KeyLimitReached, type NewKey } from './create-key.ts'
import { listKeys, revokeKey } from './keys.ts'
import { revokeLeakedKeys } from './leaked-keys.ts'
import { switchKey } from './switch-key.ts'

let control: TestControl
let key: NewKey
beforeAll(async () => {
  control = await createControlDatabase()
})
beforeEach(async () => {
  key = await newKey((await control.store()).id)
})
afterAll(() => control.drop())

function newKey(storeId: string): Promise<NewKey> {
  return createKey({ database: control.database, storeId, name: 'sync', createdBy: null, random: control.random })
}

const turn = (to: 'off' | 'on', storeId?: string) =>
  switchKey({ database: control.database, keyId: key.id, to, ...(storeId === undefined ? {} : { storeId }) })

/** Whether each of two nodes admits the key, alone and in a batch. */
async function isAdmitted(made = key): Promise<boolean[]> {
  const hash = hashApiKey(made.key)
  const results: unknown[] = []
  for (const { pool } of [control.database, control.secondNode()]) {
    results.push(...(await admit(hash, [null], { pool, requestsPerMinute: 120 })))
    results.push(...(await admitMany([hash], { pool, requestsPerMinute: 120 })))
  }
  return results.map((each) => each !== null)
}

const NOWHERE = [false, false, false, false]
const EVERYWHERE = [true, true, true, true]

test("[AUTH-5] if a key is turned off, each of two nodes rejects the key's requests until the key is turned on", async () => {
  expect(await isAdmitted()).toEqual(EVERYWHERE)
  expect(await turn('off')).toBe('switched')
  expect(await isAdmitted()).toEqual(NOWHERE)
  expect(await turn('on')).toBe('switched')
  expect(await isAdmitted()).toEqual(EVERYWHERE)
})

test('[LIM-1] if a key is turned off, its requests do not increase its request counter', async () => {
  await isAdmitted()
  const counter = () => control.sql`select minute, requests from request_counters where key_id = ${key.id}`
  const before = await counter()
  expect(before).toHaveLength(1)
  await turn('off')
  await isAdmitted()
  expect(await counter()).toEqual(before)
})

test('if a key is already off, turning it off again does not change turnedOffAt', async () => {
  const { database } = control
  expect(await turn('on')).toBe('already')
  await turn('off')
  const [before] = await listKeys({ database, storeId: key.storeId })
  expect(before?.turnedOffAt).toBeInstanceOf(Date)
  expect(await turn('off')).toBe('already')
  expect(await listKeys({ database, storeId: key.storeId })).toEqual([before])
})

test('if a key is revoked, has expired, or belongs to another store, switchKey returns "unknown" and does not turn the key off', async () => {
  const { database } = control
  expect(await turn('off', (await control.store()).id)).toBe('unknown')
  const ended = await newKey(key.storeId)
  await control.sql`update api_keys set expires_at = now() where id = ${ended.id}`
  expect(await switchKey({ database, keyId: ended.id, to: 'off' })).toBe('unknown')
  await revokeKey({ database, keyId: key.id })
  expect(await turn('off')).toBe('unknown')
  expect(await switchKey({ database, keyId: "'; drop table api_keys", to: 'off' })).toBe('unknown')
  const off = await control.sql`select id from api_keys where store_id = ${key.storeId} and turned_off_at is not null`
  expect(off).toEqual([])
})

test('if ten calls on two nodes turn a key off at once, one call changes the key, and the audit table has one event', async () => {
  const nodes = [control.database, control.secondNode()]
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      switchKey({ database: nodes[index % 2] ?? control.database, keyId: key.id, to: 'off', actor: 'merchant 17' }),
    ),
  )
  expect(outcomes.toSorted()).toEqual([...Array(9).fill('already'), 'switched'])
  const events = await control.sql`
    select action, actor from audit_events where key_id = ${key.id} and action <> 'key.created'`
  expect(events).toEqual([{ action: 'key.turned_off', actor: 'merchant 17' }])
})

test('[AUTH-4] a key that is turned off still counts toward the limit of five keys until the key is revoked', async () => {
  for (let count = 1; count < 5; count += 1) await newKey(key.storeId)
  await turn('off')
  await expect(newKey(key.storeId)).rejects.toThrow(KeyLimitReached)
  expect(await revokeKey({ database: control.database, keyId: key.id })).toBe('revoked')
  await newKey(key.storeId)
})

test.each([0, 24] as const)(
  'if a key that is off is replaced with an overlap of %i h, the new key is on, and the old key stays off',
  async (endsAfterHours) => {
    await turn('off')
    const replacement = await createKey({
      ...{ database: control.database, storeId: key.storeId, name: 'new', createdBy: null, random: control.random },
      replaces: { keyId: key.id, endsAfterHours },
    })
    expect(await isAdmitted(replacement)).toEqual(EVERYWHERE)
    expect(await isAdmitted()).toEqual(NOWHERE)
  },
)

test('if a leak report names a key that is off, the key is revoked and can no longer be turned on', async () => {
  await turn('off')
  const leaked = { hash: hashApiKey(key.key), url: '', source: 'commit' }
  expect((await revokeLeakedKeys(control.database, [leaked])).revoked).toBe(1)
  expect(await turn('on')).toBe('unknown')
  expect(await isAdmitted()).toEqual(NOWHERE)
})
