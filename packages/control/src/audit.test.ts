import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from '@store-export/postgres'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { copyDatabase } from '../../../test/support/databases.ts'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import { changePermissions } from './access/change-permissions.ts'
import { createKey } from './access/create-key.ts'
import { revokeKey } from './access/keys.ts'
import { switchKey } from './access/switch-key.ts'
import { createAdminToken, findAdminToken, revokeAdminToken } from './admin-tokens.ts'
import { logEvents, startAuditLog } from './audit.ts'
import type { AuditRecorded } from './control-event.ts'
import { openControlDatabase } from './database.ts'
import { findInvitation, invite, listInvitations, withdrawInvitation } from './invitations.ts'
import { addMembership, removeMembership, removeMerchant, removePasskey } from './merchants.ts'
import { EncryptionKey } from './password-encryption.ts'
import { replayRevocations } from './replay-revocations.ts'
import { rotateSecrets } from './rotate-secrets.ts'
import { getStore, removeStore, setStore } from './stores.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
beforeEach(() => logged())
afterAll(() => control.drop())

/** Returns the audit events that no log has yet, oldest first, and marks them as logged. */
async function logged(database = control.database) {
  const seen: AuditRecorded[] = []
  await logEvents({ database, record: (each) => seen.push(each) > 0 })
  return seen
}

const newKey = (storeId: string, actor?: string, database = control.database) => {
  const { random } = control
  return createKey({ database, storeId, name: 'k', createdBy: null, random, ...(actor === undefined ? {} : { actor }) })
}

async function newMerchant(id: string) {
  const email = `${id}@example.com`
  await control.database.pool.execute(sql`
    insert into merchants (id, name, email, email_verified, created_at, updated_at)
    values (${id}, '', ${email}, true, now(), now())`)
  return { id, email }
}

test('the audit log gets one event for each change of a key, a store, or a merchant, and the event names the actor', async () => {
  const { database } = control
  const store = await control.store()
  const key = await newKey(store.id, 'merchant 17')
  await setStore(control, store.id, { name: 'Renamed', state: 'generating' })
  await setStore(control, store.id, { name: 'Renamed' })
  await switchKey({ database, keyId: key.id, to: 'off', actor: 'merchant 17' })
  await switchKey({ database, keyId: key.id, to: 'on' })
  await revokeKey({ database, keyId: key.id, actor: 'merchant 17' })
  await revokeKey({ database, keyId: key.id })
  const next = await newKey(store.id)
  const merchant = await newMerchant('audited')
  await addMembership(database, merchant.id, store.id)
  await removeMembership(database, merchant.email, store.id)
  await removeMerchant(database, merchant.email)
  await removeStore(database, store.id)
  const about = (action: string, ids: object, actor = 'store-export control') => ({ action, actor, ...ids })
  const ofStore = { storeId: store.id, keyId: null, merchantId: null }
  const ofMerchant = { storeId: null, keyId: null, merchantId: merchant.id }
  const member = { ...ofMerchant, storeId: store.id }
  expect(await logged()).toMatchObject([
    about('store.added', ofStore),
    about('key.created', { ...ofStore, keyId: key.id }, 'merchant 17'),
    about('store.changed', { ...ofStore, details: '{"changed":["name","state"]}' }),
    about('key.turned_off', { ...ofStore, keyId: key.id }, 'merchant 17'),
    about('key.turned_on', { ...ofStore, keyId: key.id }),
    about('key.revoked', { ...ofStore, keyId: key.id }, 'merchant 17'),
    about('key.created', { ...ofStore, keyId: next.id }),
    about('merchant.added', ofMerchant),
    about('membership.added', { ...member, details: '{"role":"admin"}' }),
    about('membership.removed', member),
    about('merchant.removed', ofMerchant),
    about('store.removed', ofStore),
    about('key.revoked', { ...ofStore, keyId: next.id }),
  ])
  expect(await logged()).toEqual([])
})

test('if keys were turned off after a backup, replaying audit events on the backup turns off only keys that stayed off', async () => {
  const { database, sql } = control
  const store = await control.store()
  const [off, on] = [await newKey(store.id), await newKey(store.id)]
  await logged()
  await switchKey({ database, keyId: off.id, to: 'off' })
  await switchKey({ database, keyId: on.id, to: 'off' })
  await switchKey({ database, keyId: on.id, to: 'on' })
  const events = await logged()
  await sql`update api_keys set turned_off_at = null where store_id = ${store.id}`
  expect(await replayRevocations(database, events)).toMatchObject({ events: 1, keysTurnedOff: 1, unchanged: 0 })
  expect(await sql`select id from api_keys where store_id = ${store.id} and turned_off_at is not null`).toEqual([
    { id: off.id },
  ])
  expect(await replayRevocations(database, events)).toMatchObject({ events: 1, keysTurnedOff: 0, unchanged: 1 })
})

test('if a membership is added again one microsecond after its removal, replaying the audit events does not remove the membership', async () => {
  const { database } = control
  const store = await control.store()
  const merchant = await newMerchant('regranted')
  await addMembership(database, merchant.id, store.id)
  const event = { storeId: store.id, keyId: null, merchantId: merchant.id, details: '{}' }
  const events = [
    // A log with the lines of several nodes can have the later event first.
    { ...event, action: 'membership.added', at: '2026-11-21T09:30:00.123457Z' },
    { ...event, action: 'membership.removed', at: '2026-11-21T09:30:00.123456Z' },
  ] as const
  expect(await replayRevocations(database, events)).toMatchObject({ events: 0, membershipsRemoved: 0 })
  for (const { at } of await logged()) expect(at).toMatch(/T\d\d:\d\d:\d\d\.\d{6}Z$/)
})

test('if an invitation is withdrawn, the audit events omit the invited address, and replaying these events on a backup withdraws the invitation again', async () => {
  const { database, sql } = control
  const store = await control.store()
  const member = await newMerchant('inviting')
  await addMembership(database, member.id, store.id)
  await logged()
  const tokenHash = randomBytes(32)
  await invite({
    database,
    storeId: store.id,
    email: 'invited@example.com',
    role: 'viewer',
    merchantId: member.id,
    tokenHash,
  })
  const [{ id: invitationId } = { id: '' }] = await listInvitations(database, store.id)
  await withdrawInvitation({ database, storeId: store.id, invitationId, actor: `merchant ${member.id}` })
  const events = await logged()
  const details = JSON.stringify({ invitation: invitationId })
  const event = { actor: `merchant ${member.id}`, storeId: store.id, keyId: null, merchantId: null, details }
  expect(events).toMatchObject([
    { action: 'invitation.created', ...event, details: JSON.stringify({ role: 'viewer', invitation: invitationId }) },
    { action: 'invitation.withdrawn', ...event },
  ])
  expect(JSON.stringify(events)).not.toContain('invited@')
  await sql`update invitations set outcome = null where id = ${invitationId}`
  expect(await replayRevocations(database, events)).toMatchObject({ events: 1, invitationsWithdrawn: 1 })
  expect(await findInvitation(database, tokenHash)).toBeNull()
  expect(await replayRevocations(database, events)).toMatchObject({ events: 1, unchanged: 1 })
})

test('if a passkey is removed, replaying audit events on a backup removes this passkey again, but no other passkey', async () => {
  const { database, sql } = control
  const { id: merchantId } = await newMerchant('with-passkeys')
  const add = (id: string) => sql`
    insert into merchant_passkeys
      (id, merchant_id, name, credential_id, public_key, counter, device_type, backed_up, created_at)
    values (${id}, ${merchantId}, 'Laptop', ${id}, '', 0, 'singleDevice', false, now())`
  const [lost, stays] = [randomUUID(), randomUUID()]
  await Promise.all([add(lost), add(stays)])
  await logged()
  expect(await removePasskey(database, lost)).toBe(true)
  const events = await logged()
  expect(events).toMatchObject([{ action: 'passkey.removed', merchantId, details: JSON.stringify({ passkey: lost }) }])
  await add(lost)
  expect(await replayRevocations(database, events)).toMatchObject({ events: 1, passkeysRemoved: 1, unchanged: 0 })
  expect(await sql`select id from merchant_passkeys where merchant_id = ${merchantId}`).toEqual([{ id: stays }])
  expect(await replayRevocations(database, events)).toMatchObject({ events: 1, unchanged: 1 })
})

test('if the permissions of a key changed after a backup, replaying audit events returns the key in keysToCompare, unless the key was revoked', async () => {
  const { database, sql } = control
  const store = await control.store()
  const [narrowed, revoked, before] = [await newKey(store.id), await newKey(store.id), await newKey(store.id)]
  const narrow = (keyId: string) => changePermissions({ database, keyId, change: { scopes: ['orders:read'] } })
  await narrow(before.id)
  const known = await logged()
  await Promise.all([narrow(narrowed.id), narrow(revoked.id)])
  await revokeKey({ database, keyId: revoked.id })
  const events = await logged()
  // A backup from before these events has no rows about them.
  await sql`alter table audit_events disable trigger audit_events_append_only`
  await sql`delete from audit_events where id = any (${events.map(({ auditId }) => auditId)}::uuid[])`
  await sql`alter table audit_events enable trigger audit_events_append_only`
  expect(await replayRevocations(database, [...known, ...events])).toMatchObject({ keysToCompare: [narrowed.id] })
})

test('if a rotation of the encryption secret re-encrypts several passwords, the audit log gets one event with the number of passwords', async () => {
  await Promise.all([control.store(), control.store()])
  await logged()
  const keys = { current: new EncryptionKey(randomBytes(32)), previous: control.keys.current }
  const { reencrypted } = await rotateSecrets({ ...control, keys })
  expect(await logged()).toMatchObject([{ action: 'secrets.rotated', details: `{"reencrypted":${reencrypted}}` }])
  // The other tests read the passwords with `control.keys`.
  await rotateSecrets({ ...control, keys: { current: control.keys.current, previous: keys.current } })
})

test('if a statement updates or deletes audit events, PostgreSQL rejects the statement', async () => {
  const { sql } = control
  await control.store()
  for (const statement of [
    "update audit_events set actor = 'x'",
    'delete from audit_events',
    'truncate audit_events cascade',
  ])
    await expect(sql.unsafe(statement)).rejects.toThrow('append-only')
})

test('if a query of the audit log waits for a lock, closing the audit log does not wait for this query', async () => {
  const own = await createControlDatabase()
  onTestFinished(() => own.drop())
  const [locking, database] = [own.secondNode(), own.secondNode()]
  const { promise: ended, resolve: unlock } = Promise.withResolvers<void>()
  const { promise: locked, resolve: hasLock } = Promise.withResolvers<void>()
  const holding = locking.pool.transaction(async (connection) => {
    await connection.script('lock table audit_unlogged')
    hasLock()
    await ended
  })
  await locked
  const auditLog = startAuditLog({ database, record: () => true, emit: () => undefined })
  const waiting = async () => {
    const rows = await control.sql`select from pg_locks where not granted and relation = 'audit_unlogged'::regclass`
    return rows.length
  }
  await expect.poll(waiting, { timeout: 5000 }).toBe(1)
  await auditLog.close()
  expect(await waiting()).toBe(1)
  unlock()
  await holding
})

test('if audit events are replayed twice on a restored backup, only the first replay repeats the revocations, and a membership that was granted again stays', async () => {
  const { database } = control
  const [store, removed] = [await control.store(), await control.store()]
  const [key, ofRemoved] = [await newKey(store.id), await newKey(removed.id)]
  const [gone, stays] = [await newMerchant('gone'), await newMerchant('stays')]
  const token = await createAdminToken({ database, name: 'backend', expiresAt: null, random: randomBytes })
  for (const { id } of [store, removed]) await addMembership(database, stays.id, id)
  // PostgreSQL can't copy a database that has connections. This ends those of `control`, so this test must be the last.
  await Promise.all([database.close(), control.sql.end()])
  const copy = await copyDatabase(control)
  const changing = control.secondNode()
  await logged(changing)
  await revokeKey({ database: changing, keyId: key.id })
  await removeMembership(changing, stays.email, store.id)
  await addMembership(changing, stays.id, store.id)
  await removeStore(changing, removed.id)
  await removeMerchant(changing, gone.email)
  await revokeAdminToken(changing, token.id)
  const unknown = await newKey(store.id, 'later', changing)
  await revokeKey({ database: changing, keyId: unknown.id })
  // A log with the lines of several nodes can have later events first.
  const events = (await logged(changing)).toReversed()
  const restored = openControlDatabase(copy.url, { poolSize: 1 })
  const client = openClient(copy.url)
  onTestFinished(() => client.end())
  expect(await replayRevocations(restored, events)).toMatchObject({
    events: 7,
    storesRemoved: 1,
    merchantsRemoved: 1,
    adminTokensRevoked: 1,
  })
  expect(await findAdminToken(restored, token.token.reveal())).toBeNull()
  expect(await client`select from api_keys where revoked_at is null and id in (${key.id}, ${ofRemoved.id})`).toEqual([])
  expect(await getStore(restored, removed.id)).toBeNull()
  expect(await client`select store_id as id from memberships where merchant_id = ${stays.id}`).toEqual([
    { id: store.id },
  ])
  const nothing = {
    keysRevoked: 0,
    keysTurnedOff: 0,
    storesRemoved: 0,
    merchantsRemoved: 0,
    twoFactorRulesEnabled: 0,
    directoryTokensRevoked: 0,
    keysToCompare: [],
    membershipsRemoved: 0,
    rolesReduced: 0,
    invitationsWithdrawn: 0,
    invitationsReduced: 0,
    passkeysRemoved: 0,
    adminTokensRevoked: 0,
  }
  expect(await replayRevocations(restored, events)).toEqual({ events: 7, ...nothing, unchanged: 7 })
  await restored.close()
  await copy.drop()
})
