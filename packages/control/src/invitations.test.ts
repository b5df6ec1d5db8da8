import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import {
  acceptInvitation,
  acceptInvitationsOf,
  deleteOldInvitations,
  findInvitation,
  INVITATIONS_PER_DAY,
  INVITATIONS_TO_ADDRESS_PER_DAY,
  invite,
  isReplacedToken,
  listInvitations,
  renewInvitation,
  withdrawInvitation,
} from './invitations.ts'
import { changeMemberRole, reduceMemberRole } from './member-roles.ts'
import { addMembership, listMembers, removeMember, removeMembership, removeMerchant } from './merchants.ts'
import { proveAddress } from './prove-address.ts'
import { removeStore } from './stores.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

let count = 0
const newEmail = () => {
  count += 1
  return `person-${count}@example.com`
}
const hashOf = (token: string) => createHash('sha256').update(token).digest()

async function newMerchant(storeId: string, email = newEmail()) {
  const id = `merchant of ${email}`
  await control.sql`
    insert into merchants (id, name, email, email_verified, created_at, updated_at)
    values (${id}, '', ${email}, true, now(), now())`
  await addMembership(control.database, id, storeId)
  return { id, email }
}

async function newStore() {
  const store = await control.store()
  return { store, inviter: await newMerchant(store.id) }
}

const send = (storeId: string, merchantId: string, email: string, token = `${email} ${storeId}`) =>
  invite({ database: control.database, storeId, merchantId, email, role: 'admin', tokenHash: hashOf(token) })
const accept = (token: string, passwordHash: string | null = 'hash') =>
  acceptInvitation({ database: control.database, tokenHash: hashOf(token), passwordHash })
const addLogin = (id: string, hash: string) => control.sql`
  insert into merchant_logins (id, account_id, provider_id, merchant_id, password, created_at, updated_at)
  values (${`login of ${id}`}, ${id}, 'credential', ${id}, ${hash}, now(), now())`
const passwordsOf = async (id: string) => {
  const rows = await control.sql`select password from merchant_logins where merchant_id = ${id}`
  return rows.map(({ password }) => password)
}
/** Adds a sign-in link as better-auth stores it. */
const addLink = (email: string) => control.sql`
  insert into merchant_links (id, identifier, value, expires_at, created_at, updated_at)
  values (${`link of ${email}`}, ${`hash of ${email}`}, ${JSON.stringify({ email })}, now() + interval '1 day', now(), now())`
const linksOf = async (email: string) =>
  (await control.sql`select from merchant_links where id = ${`link of ${email}`}`).length
async function addSignIns(id: string): Promise<void> {
  await control.sql`
    insert into merchant_sessions (id, token, merchant_id, expires_at, created_at, updated_at)
    values (${`session of ${id}`}, ${`token of ${id}`}, ${id}, now() + interval '1 day', now(), now())`
  await control.sql`
    insert into merchant_passkeys (id, merchant_id, name, credential_id, public_key, counter, device_type, backed_up, created_at)
    values (${randomUUID()}, ${id}, '', ${randomUUID()}, '', 0, 'singleDevice', false, now())`
  await control.sql`
    insert into merchant_two_factors (id, merchant_id, secret, backup_codes, verified)
    values (${`codes of ${id}`}, ${id}, '', '', true)`
}
const signInsOf = async (id: string) => {
  const [row] = await control.sql`
    select (select count(*)::int from merchant_sessions where merchant_id = m.id) as sessions,
      (select count(*)::int from merchant_passkeys where merchant_id = m.id) as passkeys,
      (select count(*)::int from merchant_two_factors where merchant_id = m.id) as codes,
      address_proved as proved, two_factor_enabled as "needsCode"
    from merchants m where id = ${id}`
  return row
}
const emailsOf = async (storeId: string) => (await listMembers(control.database, storeId)).map(({ email }) => email)

describe('invitations', () => {
  test('if the invited address has no account, accepting the invitation creates an account with the chosen password and invalidates the link', async () => {
    const { store, inviter } = await newStore()
    const email = newEmail()
    expect(await send(store.id, inviter.id, email, 'new')).toBe('invited')
    expect(await control.sql`select from merchants where email = ${email}`).toEqual([])
    expect(await findInvitation(control.database, hashOf('new'))).toMatchObject({ email, hasAccount: false })
    expect(await accept('new', null)).toBe('no account')
    expect(await accept('new')).toMatchObject({ email, storeId: store.id, isNew: true })
    expect(await listMembers(control.database, store.id)).toMatchObject([
      { email: inviter.email, hasPassword: false },
      { email, hasPassword: true, hasSingleSignOn: false },
    ])
    expect(await accept('new')).toBeNull()
    expect(await findInvitation(control.database, hashOf('new'))).toBeNull()
  })

  test('if the invited address has an account, accepting the invitation adds the store to the account and does not change the password', async () => {
    const { store, inviter } = await newStore()
    const other = await newMerchant((await control.store()).id)
    await addLogin(other.id, 'hash of the owner')
    await send(store.id, inviter.id, other.email, 'known')
    expect(await findInvitation(control.database, hashOf('known'))).toMatchObject({ hasAccount: true })
    expect(await accept('known', 'hash of an attacker')).toMatchObject({ isNew: false })
    expect(await passwordsOf(other.id)).toEqual(['hash of the owner'])
    expect(await emailsOf(store.id)).toContain(other.email)
  })

  test("if the invited account has no password, passkey, or session, accepting the invitation sets a password and deletes the account's sign-in links", async () => {
    const { store, inviter } = await newStore()
    const other = await newMerchant((await control.store()).id)
    await addLink(other.email)
    await addLink(inviter.email)
    await send(store.id, inviter.id, other.email, 'unused')
    expect(await findInvitation(control.database, hashOf('unused'))).toMatchObject({ hasAccount: false })
    expect(await accept('unused', null)).toBe('no account')
    expect(await accept('unused', 'hash of the owner')).toMatchObject({ isNew: true })
    expect(await passwordsOf(other.id)).toEqual(['hash of the owner'])
    expect(await linksOf(other.email)).toBe(0)
    expect(await linksOf(inviter.email)).toBe(1)
  })

  test('if the invited account gets a password after the invitation page was opened, accepting the invitation does not change the password', async () => {
    const { store, inviter } = await newStore()
    const other = await newMerchant((await control.store()).id)
    await send(store.id, inviter.id, other.email, 'raced')
    expect(await findInvitation(control.database, hashOf('raced'))).toMatchObject({ hasAccount: false })
    await addLogin(other.id, 'hash of the owner')
    expect(await accept('raced', 'hash of the form')).toMatchObject({ isNew: false })
    expect(await passwordsOf(other.id)).toEqual(['hash of the owner'])
  })

  test('if an account with an unproved address accepts an invitation while signed out, its earlier password, passkeys, sessions, and two-factor sign-in are removed', async () => {
    const { store, inviter } = await newStore()
    const other = await newMerchant((await control.store()).id)
    await control.sql`update merchants set address_proved = false, two_factor_enabled = true where id = ${other.id}`
    await addLogin(other.id, 'hash of an attacker')
    await addSignIns(other.id)
    await send(store.id, inviter.id, other.email, 'unproved')
    expect(await findInvitation(control.database, hashOf('unproved'))).toMatchObject({ hasAccount: false })
    expect(await accept('unproved', 'hash of the owner')).toMatchObject({ isNew: true })
    expect(await passwordsOf(other.id)).toEqual(['hash of the owner'])
    expect(await signInsOf(other.id)).toEqual({ sessions: 0, passkeys: 0, codes: 0, proved: true, needsCode: false })
    await addSignIns(other.id)
    await proveAddress(control.database, other.email)
    expect(await signInsOf(other.id)).toMatchObject({ sessions: 1, passkeys: 1, codes: 1 })
  })

  test('if an account with an unproved address accepts an invitation in its own session, its password, passkeys, sessions, and two-factor sign-in stay valid', async () => {
    const { store, inviter } = await newStore()
    const other = await newMerchant((await control.store()).id)
    await control.sql`update merchants set address_proved = false, two_factor_enabled = true where id = ${other.id}`
    await addLogin(other.id, 'hash of the owner')
    await addSignIns(other.id)
    await addSignIns(inviter.id)
    await send(store.id, inviter.id, other.email, 'own session')
    const findIn = (sessionId: string) => findInvitation(control.database, hashOf('own session'), sessionId)
    const acceptIn = (sessionId: string) =>
      acceptInvitation({
        database: control.database,
        tokenHash: hashOf('own session'),
        passwordHash: null,
        sessionId,
      })
    const foreign = `session of ${inviter.id}`
    expect(await findIn(foreign)).toMatchObject({ hasAccount: false })
    expect(await acceptIn(foreign)).toBe('no account')
    await control.sql`update merchant_sessions set expires_at = now() where merchant_id = ${other.id}`
    expect(await acceptIn(`session of ${other.id}`)).toBe('no account')
    await control.sql`update merchant_sessions set expires_at = now() + interval '1 day' where merchant_id = ${other.id}`
    expect(await findIn(`session of ${other.id}`)).toMatchObject({ hasAccount: true })
    expect(await acceptIn(`session of ${other.id}`)).toMatchObject({ isNew: false })
    expect(await passwordsOf(other.id)).toEqual(['hash of the owner'])
    expect(await signInsOf(other.id)).toEqual({ sessions: 1, passkeys: 1, codes: 1, proved: true, needsCode: true })
  })

  test("if single sign-on is the first proof of an account's address, the account's password, passkeys, sessions, and two-factor sign-in are removed", async () => {
    const other = await newMerchant((await control.store()).id)
    await control.sql`update merchants set address_proved = false where id = ${other.id}`
    await addLogin(other.id, 'hash of an attacker')
    await addSignIns(other.id)
    await proveAddress(control.database, other.email)
    expect(await passwordsOf(other.id)).toEqual([])
    expect(await signInsOf(other.id)).toEqual({ sessions: 0, passkeys: 0, codes: 0, proved: true, needsCode: false })
  })

  test('if three requests accept one invitation at the same time, exactly one of them succeeds', async () => {
    const { store, inviter } = await newStore()
    await send(store.id, inviter.id, newEmail(), 'twice')
    const outcomes = await Promise.all([accept('twice'), accept('twice'), accept('twice')])
    expect(outcomes.filter((each) => each !== null)).toHaveLength(1)
  })

  test('if an invitation is sent again, only the newest link can be accepted', async () => {
    const { store, inviter } = await newStore()
    const email = newEmail()
    await send(store.id, inviter.id, email, 'first')
    await send(store.id, inviter.id, email, 'second')
    expect(await listInvitations(control.database, store.id)).toHaveLength(1)
    expect(await accept('first')).toBeNull()
    expect(await accept('second')).toMatchObject({ email })
  })

  test('if an invitation is sent again, isReplacedToken returns true for the earlier links as long as the newest link is valid', async () => {
    const { store, inviter } = await newStore()
    const email = newEmail()
    for (const token of ['replaced 1', 'replaced 2', 'newest']) await send(store.id, inviter.id, email, token)
    await send(store.id, inviter.id, newEmail(), 'of another person')
    const replaced = (token: string) => isReplacedToken(control.database, hashOf(token))
    for (const token of ['replaced 1', 'replaced 2']) expect(await replaced(token), token).toBe(true)
    for (const token of ['newest', 'of another person', 'guessed']) expect(await replaced(token), token).toBe(false)
    await control.sql`update invitations set outcome = 'withdrawn' where email = ${email}`
    expect(await replaced('replaced 1')).toBe(false)
    await control.sql`update invitations set sent_at = now() - interval '2 days' where email = ${email}`
    await send(store.id, inviter.id, email, 'after the withdrawal')
    for (const token of ['replaced 1', 'newest']) expect(await replaced(token), token).toBe(true)
    expect(await accept('after the withdrawal')).toMatchObject({ email })
    expect(await replaced('newest')).toBe(false)
  })

  test('if an invitation was sent again with the role viewer, renewing the invitation keeps this role and invalidates all earlier links', async () => {
    const { store, inviter } = await newStore()
    const email = newEmail()
    await send(store.id, inviter.id, email, 'as an admin')
    const [{ id: invitationId } = { id: '' }] = await listInvitations(control.database, store.id)
    const person = { database: control.database, storeId: store.id, merchantId: inviter.id }
    await invite({ ...person, email, role: 'viewer', tokenHash: hashOf('as a viewer') })
    const renewed = await renewInvitation({ ...person, invitationId, tokenHash: hashOf('again') })
    expect(renewed).toEqual({ outcome: 'invited', email, role: 'viewer' })
    expect(await findInvitation(control.database, hashOf('again'))).toMatchObject({ email, role: 'viewer' })
    for (const token of ['as an admin', 'as a viewer']) expect(await accept(token)).toBeNull()
    const { inviter: stranger } = await newStore()
    const foreign = { ...person, merchantId: stranger.id, invitationId, tokenHash: hashOf('foreign') }
    expect(await renewInvitation(foreign)).toMatchObject({ outcome: 'forbidden' })
    await accept('again')
    expect(await renewInvitation({ ...person, invitationId, tokenHash: hashOf('late') })).toBeNull()
  })

  test('if an invitation has expired, the list of invitations marks the invitation as expired, and its link cannot be accepted', async () => {
    const { store, inviter } = await newStore()
    await send(store.id, inviter.id, newEmail(), 'late')
    await control.sql`update invitations set expires_at = now() where store_id = ${store.id}`
    expect(await accept('late')).toBeNull()
    expect(await listInvitations(control.database, store.id)).toMatchObject([{ isExpired: true }])
  })

  test('if a merchant of another store tries to withdraw an invitation, the invitation stays pending', async () => {
    const { store, inviter } = await newStore()
    const { store: foreign } = await newStore()
    await send(store.id, inviter.id, newEmail(), 'mine')
    const [{ id: invitationId } = { id: '' }] = await listInvitations(control.database, store.id)
    const withdraw = (storeId: string) =>
      withdrawInvitation({ database: control.database, storeId, invitationId, actor: 'merchant x' })
    expect(await withdraw(foreign.id)).toBe(false)
    expect(await withdraw(store.id)).toBe(true)
    expect(await withdraw(store.id)).toBe(false)
    expect(await accept('mine')).toBeNull()
  })

  test("if the inviter isn't an admin of the store, or the invited person is already a member, no invitation is stored", async () => {
    const { store, inviter } = await newStore()
    const { inviter: stranger } = await newStore()
    expect(await send(store.id, stranger.id, newEmail())).toBe('forbidden')
    expect(await send(store.id, inviter.id, inviter.email)).toBe('member')
    await removeStore(control.database, store.id)
    expect(await send(store.id, inviter.id, newEmail())).toBe('forbidden')
    expect(await control.sql`select from invitations where store_id = ${store.id}`).toEqual([])
  })

  test('if a store reaches its daily limit of invitations, in total or to one address, further invitations are rejected with the name of the limit', async () => {
    const { store, inviter } = await newStore()
    const email = newEmail()
    const toAddress = await Promise.all(
      Array.from({ length: INVITATIONS_TO_ADDRESS_PER_DAY + 2 }, (_, at) =>
        send(store.id, inviter.id, email, `a${at}`),
      ),
    )
    expect(toAddress.filter((each) => each === 'invited')).toHaveLength(INVITATIONS_TO_ADDRESS_PER_DAY)
    expect(toAddress).toContain('address limit')
    const ofStore: string[] = []
    for (let at = 0; at < INVITATIONS_PER_DAY; at += 1) ofStore.push(await send(store.id, inviter.id, newEmail()))
    expect(ofStore.filter((each) => each === 'invited')).toHaveLength(
      INVITATIONS_PER_DAY - INVITATIONS_TO_ADDRESS_PER_DAY,
    )
    expect(ofStore.at(-1)).toBe('store limit')
    const { store: other, inviter: another } = await newStore()
    expect(await send(other.id, another.id, email)).toBe('invited')
    await control.sql`update invitations set sent_at = now() - interval '25 hours' where store_id = ${store.id}`
    expect(await send(store.id, inviter.id, email)).toBe('invited')
  })

  test('withdrawn invitations still count toward the daily limit of invitations to one address', async () => {
    const { store, inviter } = await newStore()
    const email = newEmail()
    for (let at = 0; at < INVITATIONS_TO_ADDRESS_PER_DAY; at += 1) {
      expect(await send(store.id, inviter.id, email, `again ${at}`)).toBe('invited')
      await control.sql`update invitations set outcome = 'withdrawn' where store_id = ${store.id}`
    }
    expect(await send(store.id, inviter.id, email)).toBe('address limit')
  })

  test('the cleanup deletes only invitations that expired more than a month ago', async () => {
    const { store, inviter } = await newStore()
    for (const each of ['old', 'young']) await send(store.id, inviter.id, newEmail(), each)
    await control.sql`
      update invitations set expires_at = now() - interval '31 days' where token_hash = ${hashOf('old')}`
    expect(await deleteOldInvitations(control.database)).toBe(1)
    expect(await findInvitation(control.database, hashOf('young'))).not.toBeNull()
  })
})

describe('invitations at single sign-on', () => {
  test('if an address has invitations to two stores, single sign-on with this address makes the person a member of only these two stores', async () => {
    const [one, two, foreign] = [await newStore(), await newStore(), await newStore()]
    const email = newEmail()
    for (const { store, inviter } of [one, two]) await send(store.id, inviter.id, email)
    await acceptInvitationsOf(control.database, email)
    await acceptInvitationsOf(control.database, email)
    for (const { store } of [one, two]) expect(await emailsOf(store.id)).toContain(email)
    expect(await emailsOf(foreign.store.id)).not.toContain(email)
  })

  test('if an address has no valid invitation, single sign-on with this address creates no account', async () => {
    const { store, inviter } = await newStore()
    const [uninvited, expired] = [newEmail(), newEmail()]
    await send(store.id, inviter.id, expired)
    await control.sql`update invitations set expires_at = now() where email = ${expired}`
    for (const email of [uninvited, expired]) await acceptInvitationsOf(control.database, email)
    expect(await control.sql`select from merchants where email in (${uninvited}, ${expired})`).toEqual([])
  })
})

describe('removal of a member', () => {
  const remove = (storeId: string, merchantId: string, removedBy: string) =>
    removeMember({ database: control.database, storeId, merchantId, removedBy })

  test('if two members remove each other at the same time, exactly one of them stays a member', async () => {
    const { store, inviter } = await newStore()
    const other = await newMerchant(store.id)
    const outcomes = await Promise.all([remove(store.id, other.id, inviter.id), remove(store.id, inviter.id, other.id)])
    expect(outcomes.toSorted()).toEqual(['removed', 'unknown'])
    expect(await emailsOf(store.id)).toHaveLength(1)
  })

  test('the last admin of a store cannot be removed', async () => {
    const { store, inviter } = await newStore()
    expect(await remove(store.id, inviter.id, inviter.id)).toBe('last admin')
    expect(await emailsOf(store.id)).toEqual([inviter.email])
  })

  test('if a merchant of another store tries to remove a member, the member stays', async () => {
    const { store, inviter } = await newStore()
    const other = await newMerchant(store.id)
    const { inviter: stranger } = await newStore()
    expect(await remove(store.id, other.id, stranger.id)).toBe('unknown')
    expect(await emailsOf(store.id)).toEqual([inviter.email, other.email])
  })

  test.each([
    ['in the dashboard', (storeId: string, { id }: { id: string }, by: string) => remove(storeId, id, by)],
    [
      'on the command line',
      (storeId: string, { email }: { email: string }) => removeMembership(control.database, email, storeId),
    ],
  ])(
    'if a member is removed %s, invitations by and to this member can no longer be accepted',
    async (_where, removing) => {
      const { store, inviter } = await newStore()
      const [leaving, second] = [await newMerchant(store.id), newEmail()]
      const [byOther, byLeaving] = [newEmail(), newEmail()]
      await send(store.id, leaving.id, byLeaving, `by ${byLeaving}`)
      await send(store.id, inviter.id, byOther, `by ${byOther}`)
      await send(store.id, inviter.id, second, `to ${second}`)
      // The operator adds the invited person, whose link still exists.
      const added = await newMerchant(store.id, second)
      await removing(store.id, leaving, inviter.id)
      await removing(store.id, added, inviter.id)
      expect(await accept(`by ${byLeaving}`)).toBeNull()
      expect(await accept(`to ${second}`)).toBeNull()
      expect(await accept(`by ${byOther}`)).toMatchObject({ email: byOther })
    },
  )

  test('if an account is removed, invitations to its address and invitations that its owner sent are deleted', async () => {
    const { store, inviter } = await newStore()
    const leaving = await newMerchant(store.id)
    const { store: other, inviter: another } = await newStore()
    await send(store.id, leaving.id, newEmail())
    await send(other.id, another.id, leaving.email)
    await removeMerchant(control.database, leaving.email)
    expect(
      await control.sql`
      select from invitations where email = ${leaving.email} or invited_by = ${leaving.id}`,
    ).toEqual([])
    expect(await emailsOf(store.id)).toEqual([inviter.email])
  })
})

describe('changes of a store that run at the same time', () => {
  type Person = Awaited<ReturnType<typeof newMerchant>>

  async function waiting(): Promise<number> {
    const [row] = await control.sql<[{ count: number }]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return row.count
  }

  /**
   * Starts both while the store is locked. PostgreSQL then gives the lock to the first. Returns the second's result.
   */
  async function cross<T>(storeId: string, first: () => Promise<unknown>, second: () => Promise<T>): Promise<T> {
    const other = await control.sql.reserve()
    await other`begin`
    await other`select from stores where id = ${storeId} for no key update`
    try {
      const changing = first()
      await expect.poll(waiting, { timeout: 5000 }).toBe(1)
      const accepting = second()
      await expect.poll(waiting, { timeout: 5000 }).toBe(2)
      await other`commit`
      const [, result] = await Promise.all([changing, accepting])
      return result
    } finally {
      await other`rollback`
      other.release()
    }
  }

  test.each([
    [
      'the inviter becomes a viewer',
      (storeId: string, { id }: Person) =>
        changeMemberRole({ database: control.database, storeId, merchantId: id, role: 'viewer', changedBy: null }),
    ],
    [
      'a member removes the inviter',
      (storeId: string, { id }: Person, by: Person) =>
        removeMember({ database: control.database, storeId, merchantId: id, removedBy: by.id }),
    ],
    [
      'the operator removes the inviter',
      (storeId: string, { email }: Person) => removeMembership(control.database, email, storeId),
    ],
    [
      'the operator deletes the account of the inviter',
      (_storeId: string, { email }: Person) => removeMerchant(control.database, email),
    ],
    [
      'a replay of audit events makes the inviter a viewer',
      (storeId: string, { id }: Person) => reduceMemberRole(control.database, { storeId, merchantId: id }, 'viewer'),
    ],
  ])(
    'if %s just before an invitation is accepted, the invitation gives no access, and no transaction fails',
    async (_what, change) => {
      const { store, inviter } = await newStore()
      const by = await newMerchant(store.id)
      const [byLink, bySignOn] = [newEmail(), newEmail()]
      await send(store.id, inviter.id, byLink, `crossed ${byLink}`)
      await send(store.id, inviter.id, bySignOn)
      const accepted = await cross(
        store.id,
        () => change(store.id, inviter, by),
        () => accept(`crossed ${byLink}`),
      )
      expect(accepted).toBeNull()
      await acceptInvitationsOf(control.database, bySignOn)
      for (const email of [byLink, bySignOn]) expect(await emailsOf(store.id)).not.toContain(email)
    },
  )

  test('if the inviter is removed just before the invited person uses single sign-on, the invitation gives no access, and no transaction fails', async () => {
    const { store, inviter } = await newStore()
    await newMerchant(store.id)
    const email = newEmail()
    await send(store.id, inviter.id, email)
    await cross(
      store.id,
      () => removeMembership(control.database, inviter.email, store.id),
      () => acceptInvitationsOf(control.database, email),
    )
    expect(await emailsOf(store.id)).not.toContain(email)
  })

  test('if an invitation is sent again while its old link is being accepted, only the new link is accepted, and neither transaction fails', async () => {
    const { store, inviter } = await newStore()
    const email = newEmail()
    await send(store.id, inviter.id, email, `old ${email}`)
    const accepted = await cross(
      store.id,
      () => send(store.id, inviter.id, email, `new ${email}`),
      () => accept(`old ${email}`),
    )
    expect(accepted).toBeNull()
    expect(await accept(`new ${email}`)).toMatchObject({ email })
  })
})
