import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import { createKey } from './access/create-key.ts'
import { listKeys } from './access/keys.ts'
import {
  addMembership,
  deleteEndedSignIns,
  listMerchants,
  removeMembership,
  removeMerchant,
  storesOfMerchant,
  UnknownMerchant,
} from './merchants.ts'
import { removeStore, UnknownStore } from './stores.ts'
import { readRequestLog, readUsageHours } from './usage/reading.ts'
import { createUsageRecorder } from './usage/recorder.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

let count = 0

async function createTestMerchant(...storeIds: string[]) {
  count += 1
  const merchant = { id: `merchant-${count}`, email: `merchant${count}@example.com` }
  await control.sql`
    insert into merchants (id, name, email, email_verified, created_at, updated_at)
    values (${merchant.id}, '', ${merchant.email}, true, now(), now())`
  for (const storeId of storeIds) await addMembership(control.database, merchant.id, storeId)
  return merchant
}

async function createUsedKey(storeId: string, createdBy: string) {
  const { database, random } = control
  const { id } = await createKey({ database, storeId, name: 'k', createdBy, random })
  const options = { database, now: Date.now, emit: () => undefined, flushMs: 600_000, requestLogLines: 100 }
  const usage = createUsageRecorder(options)
  const request = {
    endpoint: '/api/v1/store',
    status: 200,
    code: null,
    reason: null,
    requestId: 'r',
    rows: 1,
    durationMs: 1,
    minuteRequests: 1,
  }
  usage.record({ keyId: id, outcome: 'successful', ...request, walk: null })
  await usage.close()
  return id
}

describe('stores of a merchant', () => {
  test('if a merchant belongs to two of several stores, the merchant sees only these two, sorted by name', async () => {
    const { database } = control
    const [second, first] = [await control.store('b shop'), await control.store('A shop'), await control.store()]
    const merchant = await createTestMerchant(second.id, first.id)
    await addMembership(database, merchant.id, first.id)
    expect((await storesOfMerchant(database, merchant.id)).map(({ id }) => id)).toEqual([first.id, second.id])
  })

  test("if a store is removed, its merchants don't see the store any more, and adding a merchant throws UnknownStore", async () => {
    const { database } = control
    const store = await control.store()
    const merchant = await createTestMerchant(store.id)
    await removeStore(database, store.id)
    expect(await storesOfMerchant(database, merchant.id)).toEqual([])
    await expect(addMembership(database, merchant.id, store.id)).rejects.toThrow(UnknownStore)
    await expect(addMembership(database, merchant.id, 'nonsense')).rejects.toThrow(UnknownStore)
  })
})

test('removeMembership removes a merchant from one store only, and returns whether this store still has merchants and an admin', async () => {
  const { database } = control
  const [store, other] = [await control.store(), await control.store()]
  const [one, two] = [await createTestMerchant(store.id, other.id), await createTestMerchant(store.id)]
  expect(await removeMembership(database, ` ${one.email.toUpperCase()}`, store.id)).toEqual({
    removed: true,
    isSeen: true,
    hasAdmin: true,
  })
  const again = { removed: false, isSeen: true, hasAdmin: true }
  expect(await removeMembership(database, one.email, store.id)).toEqual(again)
  expect((await storesOfMerchant(database, one.id)).map(({ id }) => id)).toEqual([other.id])
  expect(await removeMembership(database, two.email, store.id)).toEqual({
    removed: true,
    isSeen: false,
    hasAdmin: false,
  })
  await expect(removeMembership(database, 'unknown@example.com', store.id)).rejects.toThrow(UnknownMerchant)
})

test('if removing a member or an account leaves only viewers in a store, the result says that the store has no admin', async () => {
  const { database } = control
  const [one, two, kept] = [await control.store(), await control.store(), await control.store()]
  const admin = await createTestMerchant(one.id, two.id, kept.id)
  const viewer = await createTestMerchant()
  for (const { id } of [one, two, kept]) await addMembership(database, viewer.id, id, 'viewer')
  await createTestMerchant(kept.id)
  const removed = { removed: true, isSeen: true, hasAdmin: false }
  expect(await removeMembership(database, admin.email, one.id)).toEqual(removed)
  expect(await removeMerchant(database, admin.email)).toEqual({ storesLeftAlone: [], storesWithoutAdmin: [two.id] })
})

test('the cleanup deletes expired sessions and sign-in links, and keeps valid sessions and links', async () => {
  const { sql } = control
  const { id } = await createTestMerchant()
  for (const [token, ends] of [
    ['ended', '-1 second'],
    ['open', '1 hour'],
  ] as const) {
    await sql`
      insert into merchant_sessions (id, token, merchant_id, expires_at, created_at, updated_at)
      values (${token}, ${token}, ${id}, now() + ${ends}::text::interval, now(), now())`
    await sql`
      insert into merchant_links (id, identifier, value, expires_at, created_at, updated_at)
      values (${token}, ${token}, '', now() + ${ends}::text::interval, now(), now())`
  }
  expect(await deleteEndedSignIns(control.database)).toBe(2)
  expect(await sql`select token from merchant_sessions union all select id from merchant_links`).toEqual([
    { token: 'open' },
    { token: 'open' },
  ])
})

describe('removal of a merchant', () => {
  test('if removing a merchant fails halfway, the account stays, and a second attempt succeeds', async () => {
    const { database } = control
    const store = await control.store()
    const merchant = await createTestMerchant(store.id)
    await createUsedKey(store.id, merchant.email)
    await control.sql`alter table walks rename to walks_away`
    await expect(removeMerchant(database, merchant.email)).rejects.toMatchObject({ code: '42P01' })
    expect((await listMerchants(database)).map(({ email }) => email)).toContain(merchant.email)
    await control.sql`alter table walks_away rename to walks`
    expect(await removeMerchant(database, merchant.email)).toMatchObject({ storesLeftAlone: [store.id] })
    expect(await listKeys({ database, storeId: store.id })).toMatchObject([{ createdBy: null }])
  })

  test('if a merchant is removed, usage of stores without another merchant is deleted, and the keys of these stores stay active', async () => {
    const { database } = control
    const [own, shared] = [await control.store(), await control.store()]
    const merchant = await createTestMerchant(own.id, shared.id)
    await createTestMerchant(shared.id)
    const [ownKey, sharedKey] = [
      await createUsedKey(own.id, merchant.email),
      await createUsedKey(shared.id, merchant.email),
    ]
    expect(await removeMerchant(database, ` ${merchant.email.toUpperCase()} `)).toEqual({
      storesLeftAlone: [own.id],
      storesWithoutAdmin: [],
    })
    const since = new Date(0)
    expect(await readUsageHours({ database, keyIds: [ownKey], since })).toEqual([])
    const log = { database, since, before: null, errorsOnly: false, endpoint: null }
    expect((await readRequestLog({ ...log, keyId: ownKey })).lines).toEqual([])
    expect(await readUsageHours({ database, keyIds: [sharedKey], since })).toHaveLength(1)
    expect((await readRequestLog({ ...log, keyId: sharedKey })).lines).toHaveLength(1)
    for (const storeId of [own.id, shared.id]) {
      expect(await listKeys({ database, storeId })).toMatchObject([{ createdBy: null, revokedAt: null }])
    }
    expect((await listMerchants(database)).map(({ email }) => email)).not.toContain(merchant.email)
    await expect(removeMerchant(database, merchant.email)).rejects.toThrow(UnknownMerchant)
  })
})
