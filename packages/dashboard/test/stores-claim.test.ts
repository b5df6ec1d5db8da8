import { randomUUID } from 'node:crypto'
import { addMember, addStore, removeMembership } from '@store-export/control'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addMerchant } from '../../../test/support/merchant.ts'
import type { TestStore } from '../../../test/support/platform.ts'
import { SingleSignOnScene } from './support/single-sign-on-scene.ts'

let scene: SingleSignOnScene
let second: TestStore
beforeAll(async () => {
  scene = await SingleSignOnScene.open({ OIDC_STORES_CLAIM: 'stores' })
  second = await scene.platform.provision('launch')
})
afterAll(() => scene.close())
beforeEach(() => scene.reset())

/** Signs a person in at the provider. Returns the status of the sign-in, and the stores of the account. */
async function signInWith(email: string, stores: unknown, verified = true) {
  scene.provider.people.set(email, { login: email, email, email_verified: verified, stores })
  const { status } = await scene.signIn(scene.browser(), email)
  const rows = await scene.platform.controlSql<{ id: string; role: string }[]>`
    select b.store_id as id, b.role from memberships b join merchants m on m.id = b.merchant_id
    where m.email = ${email} order by b.created_at, b.store_id`
  return { status, stores: Object.fromEntries(rows.map(({ id, role }) => [id, role])) }
}

const newAddress = () => `claimed-${randomUUID()}@example.com`

describe.each([
  { source: 'the user info', inIdToken: false },
  { source: 'the ID token', inIdToken: true },
])('a stores claim in $source', ({ inIdToken }) => {
  beforeEach(() => scene.serve({ inIdToken }))

  test("if an address has no account, single sign-on creates an account with the stores and roles in the provider's stores claim", async () => {
    const claim = [scene.store.id.toUpperCase(), { store: second.id, role: 'viewer' }]
    const { status, stores } = await signInWith(newAddress(), claim)
    expect(status).toBe(303)
    expect(stores).toEqual({ [scene.store.id]: 'admin', [second.id]: 'viewer' })
  })

  test("if the stores claim changes, the next single sign-on replaces the account's stores and roles with those in the claim", async () => {
    const email = newAddress()
    await signInWith(email, [scene.store.id])
    expect((await signInWith(email, [{ store: scene.store.id, role: 'viewer' }, second.id])).stores).toEqual({
      [scene.store.id]: 'viewer',
      [second.id]: 'admin',
    })
    expect((await signInWith(email, [second.id])).stores).toEqual({ [second.id]: 'admin' })
    expect((await signInWith(email, undefined)).stores).toEqual({})
  })
})

test('if the operator adds a member whom a stores claim already added, a later claim without the store does not remove the member', async () => {
  const email = newAddress()
  await signInWith(email, [{ store: scene.store.id, role: 'viewer' }, second.id])
  const { control: database } = scene.platform.service
  const random = (size: number) => crypto.getRandomValues(Buffer.alloc(size))
  await addMember({ database, random, email, storeId: scene.store.id, role: 'admin' })
  expect((await signInWith(email, [])).stores).toEqual({ [scene.store.id]: 'viewer' })
})

test('a stores claim can name a store by its external ID', async () => {
  const externalId = `shop-${randomUUID()}`
  const { id } = await addStore(
    {
      database: scene.platform.service.control,
      keys: { current: scene.platform.encryptionKey, previous: null },
      random: (size) => crypto.getRandomValues(Buffer.alloc(size)),
    },
    { name: 'Shop', externalId, origin: 'imported', state: 'ready', databaseUrl: null },
  )
  expect((await signInWith(newAddress(), [externalId])).stores).toEqual({ [id]: 'admin' })
})

test('if the operator gave an account a store, later stores claims neither remove the store nor change the role', async () => {
  const own = await addMerchant(scene.platform, scene.store.id)
  expect((await signInWith(own.email, [{ store: scene.store.id, role: 'viewer' }, second.id])).stores).toEqual({
    [scene.store.id]: 'admin',
    [second.id]: 'admin',
  })
  expect((await signInWith(own.email, [])).stores).toEqual({ [scene.store.id]: 'admin' })
})

test('if the operator removed a store from an account, the next stores claim with this store adds the store again', async () => {
  const email = newAddress()
  await signInWith(email, [scene.store.id])
  await removeMembership(scene.platform.service.control, email, scene.store.id)
  expect((await signInWith(email, [scene.store.id])).stores).toEqual({ [scene.store.id]: 'admin' })
})

test.each([
  ['the provider has not verified the address', true, false],
  ['the claim names no registered store', false, true],
])(
  'if %s, single sign-on of a new person with a stores claim gets 400 and creates no account',
  async (_reason, isRegistered, verified) => {
    const email = newAddress()
    const { status, stores } = await signInWith(email, [isRegistered ? scene.store.id : randomUUID()], verified)
    expect(status).toBe(400)
    expect(stores).toEqual({})
    expect(await scene.platform.controlSql`select from merchants where email = ${email}`).toHaveLength(0)
  },
)

test('if a stores claim adds a store to an account, the audit event names "single sign-on" as the actor', async () => {
  await signInWith(newAddress(), [second.id])
  const [event] = await scene.platform.controlSql`
    select actor, action from audit_events where store_id = ${second.id} and action = 'membership.added' order by at desc`
  expect(event).toEqual({ actor: 'single sign-on', action: 'membership.added' })
})
