import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { createDatabase } from '../../../test/support/databases.ts'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import { logEvents } from './audit.ts'
import type { AuditRecorded } from './control-event.ts'
import { acceptInvitation, acceptInvitationsOf, findInvitation, invite, listInvitations } from './invitations.ts'
import { changeMemberRole, MEMBER_ROLES, type MemberRole } from './member-roles.ts'
import { addMembership, listMembers, removeMember, storesOfMerchant } from './merchants.ts'
import { MIGRATIONS, migrate } from './migrate.ts'
import { replayRevocations } from './replay-revocations.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
  // The operator of the database can set another default.
  await control.sql.unsafe(`do $$ begin execute format(
    'alter database %I set default_transaction_isolation = ''repeatable read''', current_database()); end $$`)
})
afterAll(() => control.drop())

let count = 0
async function newMember(storeId: string, role: MemberRole) {
  count += 1
  const [id, email] = [`member-${count}`, `member-${count}@example.com`]
  await control.sql`
    insert into merchants (id, name, email, email_verified, created_at, updated_at)
    values (${id}, '', ${email}, true, now(), now())`
  await addMembership(control.database, id, storeId, role)
  return { id, email }
}

/** A store with an admin and a viewer. */
async function newStore() {
  const store = await control.store()
  return { store, admin: await newMember(store.id, 'admin'), viewer: await newMember(store.id, 'viewer') }
}

const change = (storeId: string, merchantId: string, role: MemberRole, changedBy: string | null) =>
  changeMemberRole({ database: control.database, storeId, merchantId, role, changedBy })
const remove = (storeId: string, merchantId: string, removedBy: string) =>
  removeMember({ database: control.database, storeId, merchantId, removedBy })
const hashOf = (token: string) => createHash('sha256').update(token).digest()
const send = (storeId: string, merchantId: string, person: { email: string; role: MemberRole; token: string }) =>
  invite({ database: control.database, storeId, merchantId, ...person, tokenHash: hashOf(person.token) })
const rolesOf = async (storeId: string) =>
  Object.fromEntries((await listMembers(control.database, storeId)).map(({ merchantId, role }) => [merchantId, role]))

/** Returns the membership events of a store that no log has yet, as text. */
async function eventsOf(storeId: string): Promise<string[]> {
  const events: AuditRecorded[] = []
  await logEvents({ database: control.database, record: (each) => events.push(each) > 0 })
  return events
    .filter((each) => each.storeId === storeId && each.action.startsWith('membership'))
    .map(({ action, actor, merchantId, details }) => `${action} of ${merchantId} by ${actor}: ${details}`)
}

test('the migration that introduces roles gives existing memberships and invitations the role admin', async () => {
  const { url, drop } = await createDatabase()
  const [first = ''] = Object.keys(MIGRATIONS)
  await migrate({ url, random: randomBytes, migrations: { [first]: MIGRATIONS[first] ?? '' } })
  const sql = openClient(url)
  await sql`insert into stores (id, name, origin, state) values (${crypto.randomUUID()}, 'Shop', 'imported', 'ready')`
  await sql`
    insert into merchants (id, name, email, email_verified, created_at, updated_at)
    values ('m', '', 'm@example.com', true, now(), now())`
  await sql`insert into memberships (merchant_id, store_id) select 'm', id from stores`
  await sql`
    insert into invitations (id, store_id, email, token_hash, invited_by, expires_at)
    select ${crypto.randomUUID()}, id, 'n@example.com', ${randomBytes(32)}, 'm', now() from stores`
  expect(await migrate({ url, random: randomBytes })).toContain('002-member-roles')
  expect(await sql`select role from memberships union all select role from invitations`).toEqual([
    { role: 'admin' },
    { role: 'admin' },
  ])
  await sql`update invitations set role = 'developer'`
  await expect(sql`update memberships set role = 'owner'`).rejects.toThrow('memberships_role_check')
  await sql.end()
  await drop()
})

describe('the role of a member', () => {
  test("if an admin changes a member's role, the next read returns the new role, and the audit event names the admin and the member", async () => {
    const { store, admin, viewer } = await newStore()
    await eventsOf(store.id)
    const roleNow = async () => (await storesOfMerchant(control.database, viewer.id)).map(({ role }) => role)
    expect(await roleNow()).toEqual(['viewer'])
    expect(await change(store.id, viewer.id, 'admin', admin.id)).toBe('changed')
    expect(await roleNow()).toEqual(['admin'])
    expect(await change(store.id, viewer.id, 'admin', admin.id)).toBe('same')
    expect(await change(store.id, admin.id, 'viewer', null)).toBe('changed')
    expect(await eventsOf(store.id)).toEqual([
      `membership.role_changed of ${viewer.id} by merchant ${admin.id}: {"role":"admin"}`,
      `membership.role_changed of ${admin.id} by store-export control: {"role":"viewer"}`,
    ])
  })

  test("if a viewer or a merchant of another store tries to change a member's role, the role stays the same", async () => {
    const { store, admin, viewer } = await newStore()
    const { admin: stranger } = await newStore()
    for (const by of [viewer.id, stranger.id]) {
      expect(await change(store.id, viewer.id, 'admin', by)).toBe('unknown')
      expect(await change(store.id, admin.id, 'viewer', by)).toBe('unknown')
    }
    expect(await change(store.id, stranger.id, 'viewer', admin.id)).toBe('unknown')
    expect(await rolesOf(store.id)).toEqual({ [admin.id]: 'admin', [viewer.id]: 'viewer' })
  })

  test('if a store has only one admin, this admin can neither leave the store nor become a viewer', async () => {
    const { store, admin, viewer } = await newStore()
    expect(await remove(store.id, admin.id, admin.id)).toBe('last admin')
    for (const by of [admin.id, null]) expect(await change(store.id, admin.id, 'viewer', by)).toBe('last admin')
    expect(await rolesOf(store.id)).toEqual({ [admin.id]: 'admin', [viewer.id]: 'viewer' })
  })

  test('if two admins make each other viewers or remove each other at the same time, exactly one admin stays', async () => {
    for (const act of [remove, (storeId: string, who: string, by: string) => change(storeId, who, 'viewer', by)]) {
      const store = await control.store()
      const [one, other] = [await newMember(store.id, 'admin'), await newMember(store.id, 'admin')]
      await Promise.all([act(store.id, one.id, other.id), act(store.id, other.id, one.id)])
      expect(Object.values(await rolesOf(store.id)).filter((role) => role === 'admin')).toEqual(['admin'])
    }
  })

  test.each(['developer', 'viewer'] as const)(
    'if a member is a %s, the member cannot invite people, remove others, or change roles, but can leave',
    async (role) => {
      const { store, admin } = await newStore()
      const member = await newMember(store.id, role)
      const before = await rolesOf(store.id)
      expect(await send(store.id, member.id, { email: 'x@example.com', role: 'viewer', token: role })).toBe('forbidden')
      expect(await remove(store.id, admin.id, member.id)).toBe('unknown')
      expect(await change(store.id, member.id, 'admin', member.id)).toBe('unknown')
      expect(await rolesOf(store.id)).toEqual(before)
      expect(await remove(store.id, member.id, member.id)).toBe('removed')
      expect(await rolesOf(store.id)).not.toHaveProperty(member.id)
    },
  )

  test('if a viewer is added to the same store again without a role, the member stays a viewer', async () => {
    const { store, viewer } = await newStore()
    expect(await addMembership(control.database, viewer.id, store.id)).toBe('viewer')
  })
})

describe('the role of an invitation', () => {
  test('if a person accepts an invitation by link or single sign-on, the person gets the role of the invitation', async () => {
    const { store, admin } = await newStore()
    await eventsOf(store.id)
    for (const role of MEMBER_ROLES) {
      const [byLink, bySignOn] = [`link-${role}@example.com`, `sign-on-${role}@example.com`]
      for (const email of [byLink, bySignOn]) await send(store.id, admin.id, { email, role, token: email })
      const tokenHash = hashOf(byLink)
      expect(await findInvitation(control.database, tokenHash)).toMatchObject({ role })
      await acceptInvitation({ database: control.database, tokenHash, passwordHash: 'hash' })
      await acceptInvitationsOf(control.database, bySignOn)
      const members = await listMembers(control.database, store.id)
      for (const email of [byLink, bySignOn]) expect(members).toContainEqual(expect.objectContaining({ email, role }))
    }
    const added = await eventsOf(store.id)
    expect(added.map((each) => each.replace(/^[^{]*/, '').replace(/[0-9a-f-]{36}/, 'ID'))).toEqual([
      ...Array(2).fill('{"role":"admin","invitation":"ID"}'),
      ...Array(2).fill('{"role":"developer","invitation":"ID"}'),
      ...Array(2).fill('{"role":"viewer","invitation":"ID"}'),
    ])
  })

  test('if an invitation is sent again with another role, the list of invitations has the new role, and the audit log has both roles', async () => {
    const { store, admin } = await newStore()
    const email = 'again@example.com'
    await send(store.id, admin.id, { email, role: 'viewer', token: 'again 1' })
    await send(store.id, admin.id, { email, role: 'admin', token: 'again 2' })
    expect(await listInvitations(control.database, store.id)).toMatchObject([{ email, role: 'admin' }])
    const events = await control.sql`
      select details ->> 'role' as role from audit_events
      where store_id = ${store.id} and action = 'invitation.created' order by at`
    expect(events.map(({ role }) => role)).toEqual(['viewer', 'admin'])
  })

  test('if an admin becomes a viewer, pending invitations by this admin become invalid, and invitations by other admins stay valid', async () => {
    const { store, admin } = await newStore()
    const other = await newMember(store.id, 'admin')
    await send(store.id, other.id, { email: 'by-other@example.com', role: 'admin', token: 'by other' })
    await send(store.id, admin.id, { email: 'by-admin@example.com', role: 'admin', token: 'by admin' })
    await change(store.id, other.id, 'viewer', admin.id)
    expect(await findInvitation(control.database, hashOf('by other'))).toBeNull()
    expect(await findInvitation(control.database, hashOf('by admin'))).toMatchObject({ role: 'admin' })
  })
})

test('if an admin became a viewer after a backup, replaying audit events on the backup makes the admin a viewer again', async () => {
  const { store, admin, viewer } = await newStore()
  const event = (merchantId: string, at: string, role: MemberRole) => ({
    ...{ action: 'membership.role_changed' as const, storeId: store.id, keyId: null, merchantId },
    ...{ at: `2026-11-24T10:00:0${at}.000000Z`, details: JSON.stringify({ role }) },
  })
  const promoted = [event(viewer.id, '1', 'viewer'), event(viewer.id, '2', 'admin')]
  expect(await replayRevocations(control.database, promoted)).toMatchObject({ events: 0, rolesReduced: 0 })
  const reduced = [event(admin.id, '3', 'admin'), event(admin.id, '4', 'viewer')]
  expect(await replayRevocations(control.database, reduced)).toMatchObject({ events: 1, rolesReduced: 1 })
  expect(await replayRevocations(control.database, reduced)).toMatchObject({ rolesReduced: 0, unchanged: 1 })
  expect(await rolesOf(store.id)).toEqual({ [admin.id]: 'viewer', [viewer.id]: 'viewer' })
})

test('replaying audit events on a backup reduces the roles of members whose roles were reduced after the backup, and raises no role', async () => {
  const { store, admin, viewer } = await newStore()
  const developer = await newMember(store.id, 'developer')
  const became = (merchantId: string, role: MemberRole) => ({
    ...{ action: 'membership.role_changed' as const, storeId: store.id, keyId: null, merchantId },
    ...{ at: '2026-11-25T10:00:00.000000Z', details: JSON.stringify({ role }) },
  })
  const events = [became(admin.id, 'developer'), became(developer.id, 'viewer'), became(viewer.id, 'developer')]
  expect(await replayRevocations(control.database, events)).toMatchObject({ rolesReduced: 2, unchanged: 1 })
  const roles = { [admin.id]: 'developer', [developer.id]: 'viewer', [viewer.id]: 'viewer' }
  expect(await rolesOf(store.id)).toEqual(roles)
})

describe('replays on a backup from before an invitation changed', () => {
  /** Invites an address as an admin, and returns the invitation's ID and a function that restores this state. */
  async function backup(storeId: string, merchantId: string, email: string) {
    await send(storeId, merchantId, { email, role: 'admin', token: `backup ${email}` })
    const [{ id } = { id: '' }] = await listInvitations(control.database, storeId)
    await recordedEvents()
    const restore = async () => {
      await control.sql`delete from memberships where merchant_id in (select id from merchants where email = ${email})`
      await control.sql`
        update invitations set outcome = null, role = 'admin', token_hash = ${hashOf(`backup ${email}`)} where id = ${id}`
    }
    return { id, restore }
  }

  async function recordedEvents(): Promise<AuditRecorded[]> {
    const events: AuditRecorded[] = []
    await logEvents({ database: control.database, record: (each) => events.push(each) > 0 })
    return events
  }
  const link = (email: string) => findInvitation(control.database, hashOf(`backup ${email}`))

  test('if an invitation was sent again as viewer instead of admin after a backup, replaying audit events gives the restored invitation the role viewer', async () => {
    const { store, admin } = await newStore()
    const email = 'reduced@example.com'
    const { restore } = await backup(store.id, admin.id, email)
    await send(store.id, admin.id, { email, role: 'viewer', token: 'reduced' })
    const events = await recordedEvents()
    await restore()
    expect(await replayRevocations(control.database, events)).toMatchObject({ events: 1, invitationsReduced: 1 })
    expect(await link(email)).toMatchObject({ role: 'viewer' })
    expect(await replayRevocations(control.database, events)).toMatchObject({ events: 1, unchanged: 1 })
  })

  test("if an invitation was sent again as viewer and then as admin after a backup, replaying audit events leaves the restored invitation's role admin", async () => {
    const { store, admin } = await newStore()
    const email = 'raised@example.com'
    const { restore } = await backup(store.id, admin.id, email)
    for (const role of ['viewer', 'admin'] as const)
      await send(store.id, admin.id, { email, role, token: `as ${role}` })
    const events = await recordedEvents()
    await restore()
    expect(await replayRevocations(control.database, events)).toMatchObject({ events: 0, invitationsReduced: 0 })
    expect(await link(email)).toMatchObject({ role: 'admin' })
  })

  test.each([
    ['was removed', null, (storeId: string, id: string, by: string) => remove(storeId, id, by)],
    [
      'became a developer',
      'developer',
      (storeId: string, id: string, by: string) => change(storeId, id, 'developer', by),
    ],
    ['became a viewer', 'viewer', (storeId: string, id: string, by: string) => change(storeId, id, 'viewer', by)],
    ['stayed', 'admin', async () => undefined],
  ])(
    'if the invited person joined after the backup and %s, replaying audit events gives the restored invitation link the role %j (null: invalid)',
    async (what, role, changing) => {
      const { store, admin } = await newStore()
      const email = `joined-${what.replaceAll(' ', '-')}@example.com`
      const { restore } = await backup(store.id, admin.id, email)
      await acceptInvitation({ database: control.database, tokenHash: hashOf(`backup ${email}`), passwordHash: 'x' })
      const [joined] = (await listMembers(control.database, store.id)).filter((each) => each.email === email)
      await changing(store.id, joined?.merchantId ?? '', admin.id)
      const events = await recordedEvents()
      await restore()
      await replayRevocations(control.database, events)
      expect((await link(email))?.role ?? null).toBe(role)
    },
  )
})
