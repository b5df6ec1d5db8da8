import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { admit, admitMany } from './admission.ts'
import { hashApiKey } from './api-key.ts'
import { type ChangeablePermissions, changePermissions } from './change-permissions.ts'
import { createKey, type NewKey } from './create-key.ts'
import { ALL_PERMISSIONS, type KeyPermissions } from './key-permissions.ts'
import { listKeys, revokeKey } from './keys.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

async function newKey(permissions: Partial<KeyPermissions> = {}): Promise<NewKey> {
  const { id: storeId } = await control.store()
  const given = { ...ALL_PERMISSIONS, ...permissions }
  return createKey({ ...control, storeId, name: 'sync', createdBy: null, permissions: given })
}

const change = ({ id }: NewKey, permissions: Partial<ChangeablePermissions>, more = {}) =>
  changePermissions({ database: control.database, keyId: id, change: permissions, ...more })

const permissionsOf = async ({ id, storeId }: NewKey) =>
  (await listKeys({ database: control.database, storeId })).find((key) => key.id === id)

/** Returns the scopes with which each of two nodes admits the key, alone and in a batch; null if it rejects the key. */
async function admittedScopes({ key }: NewKey, address: string | null = null) {
  const hash = hashApiKey(key)
  const results: unknown[] = []
  for (const { pool } of [control.database, control.secondNode()]) {
    const request = { pool, requestsPerMinute: 120 }
    for (const each of [...(await admit(hash, [address], request)), ...(await admitMany([hash], request))])
      results.push(each === null ? null : typeof each === 'symbol' ? 'alone' : each.scopes)
  }
  return results
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)

test('[R38] if the scopes of a key change, the next check of the key on each of two nodes returns the new scopes', async () => {
  const key = await newKey({ scopes: ['orders:read'] })
  expect(await admittedScopes(key)).toEqual(Array(4).fill(['orders:read']))
  expect(await change(key, { scopes: ['customers:read', 'orders:read'] })).toBe('changed')
  expect(await admittedScopes(key)).toEqual(Array(4).fill(['orders:read', 'customers:read']))
  expect(await change(key, { scopes: ['products:read'] })).toBe('changed')
  expect(await admittedScopes(key)).toEqual(Array(4).fill(['products:read']))
  expect(await change(key, { scopes: null })).toBe('changed')
  expect(await admittedScopes(key)).toEqual(Array(4).fill(null))
})

test('[R39] if the allow list of a key changes, the next request is accepted only from an address on the new list', async () => {
  const key = await newKey()
  expect(await change(key, { allowedAddresses: ['10.0.0.0/8'] })).toBe('changed')
  expect((await admittedScopes(key, '203.0.113.7'))[0]).toBeNull()
  expect(
    (await admit(hashApiKey(key.key), ['10.1.2.3'], { ...control.database, requestsPerMinute: 9 }))[0],
  ).not.toBeNull()
  expect(await change(key, { allowedAddresses: null })).toBe('changed')
  expect(
    (await admit(hashApiKey(key.key), ['203.0.113.7'], { ...control.database, requestsPerMinute: 9 }))[0],
  ).not.toBeNull()
})

test('[R39] if the expiry of a key changes, the list of keys shows the new expiry', async () => {
  const key = await newKey({ expiresAt: inHours(1) })
  const later = inHours(48)
  expect(await change(key, { expiresAt: later })).toBe('changed')
  expect(await permissionsOf(key)).toMatchObject({ expiresAt: later, revokedAt: null })
  expect(await change(key, { expiresAt: null })).toBe('changed')
  expect(await permissionsOf(key)).toMatchObject({ expiresAt: null })
})

test('[R38, R39, R40] changing only the scopes of a key leaves its expiry, allow list, personal data rule, and name unchanged', async () => {
  const limits = { withoutPersonalData: true, expiresAt: inHours(5), allowedAddresses: ['10.0.0.0/8'] }
  const key = await newKey({ scopes: ['orders:read'], ...limits })
  expect(await change(key, { scopes: null })).toBe('changed')
  expect(await permissionsOf(key)).toMatchObject({ scopes: null, name: 'sync', ...limits })
  expect(await change(key, { expiresAt: limits.expiresAt, scopes: null })).toBe('same')
})

test('if a key has changed since the caller read it, changePermissions returns "stale" and changes nothing', async () => {
  const seen = { scopes: null, expiresAt: inHours(5), allowedAddresses: ['10.0.0.0/8', '2001:db8::/32'] }
  const key = await newKey(seen)
  expect(await change(key, { scopes: ['orders:read'] }, { expected: seen })).toBe('changed')
  expect(await change(key, { scopes: ['products:read'] }, { expected: seen })).toBe('stale')
  expect(await permissionsOf(key)).toMatchObject({ scopes: ['orders:read'] })
})

test('if a key is revoked, has expired, or belongs to another store, changePermissions returns "unknown" and changes nothing', async () => {
  const { database } = control
  const [revoked, ended, other] = [await newKey(), await newKey({ expiresAt: inHours(1) }), await newKey()]
  await revokeKey({ database, keyId: revoked.id })
  await control.sql`update api_keys set expires_at = now() where id = ${ended.id}`
  for (const key of [revoked, ended]) expect(await change(key, { expiresAt: null })).toBe('unknown')
  expect(await change(other, { scopes: ['orders:read'] }, { storeId: revoked.storeId })).toBe('unknown')
  expect(await change({ ...other, id: 'x' }, { scopes: ['orders:read'] })).toBe('unknown')
  expect(await permissionsOf(other)).toMatchObject({ scopes: null })
})

test('[R38] if the scopes, the expiry, or the allow list of a key is invalid, changePermissions throws an error that states the violated rule', async () => {
  const key = await newKey()
  await expect(change(key, { scopes: [] })).rejects.toThrow('scope: must name at least one resource')
  await expect(change(key, { expiresAt: new Date(0) })).rejects.toThrow('expires: must be in the future')
  await expect(change(key, { allowedAddresses: ['office'] })).rejects.toThrow('allow: must be an address')
})

test('if the permissions of a key change, the audit event names the changed permissions, but contains no IP address', async () => {
  const key = await newKey()
  const limits = { scopes: ['orders:read'], allowedAddresses: ['203.0.113.7'] } as const
  await change(key, limits, { actor: 'merchant 17' })
  await change(key, limits, { actor: 'merchant 18' })
  await control.sql`update api_keys set name = 'x', expires_at = ${inHours(2)} where id = ${key.id}`
  const events = await control.sql`
    select action, actor, details from audit_events where key_id = ${key.id} order by at, action desc`
  expect(events.slice(1)).toEqual([
    {
      action: 'key.permissions_changed',
      actor: 'merchant 17',
      details: { changed: ['allowed_addresses', 'scopes'] },
    },
    expect.objectContaining({ action: 'key.renamed' }),
    expect.objectContaining({ action: 'key.permissions_changed', details: { changed: ['expires_at'] } }),
  ])
})
