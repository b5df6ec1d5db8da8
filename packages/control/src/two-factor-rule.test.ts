import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import type { MemberRole } from './member-roles.ts'
import { addMembership, storesOfMerchant } from './merchants.ts'
import { replayRevocations } from './replay-revocations.ts'
import { removeStore, setStore } from './stores.ts'
import { readSecondFactor, setTwoFactorRule } from './two-factor-rule.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

async function newMember(storeId: string, role: MemberRole): Promise<string> {
  const id = randomUUID()
  await control.sql`
    insert into merchants (id, name, email, email_verified, created_at, updated_at)
    values (${id}, '', ${`${id}@example.com`}, true, now(), now())`
  await addMembership(control.database, id, storeId, role)
  return id
}

const setRule = (storeId: string, isRequired: boolean, changedBy: string | null) =>
  setTwoFactorRule({ database: control.database, storeId, isRequired, changedBy })

const eventsOf = (storeId: string) => control.sql`
  select action, actor from audit_events where store_id = ${storeId} and action <> 'membership.added' order by at`

test('if an admin requires two-factor sign-in for a store, the next read of the store returns this rule, and the audit event names the admin', async () => {
  const { id } = await control.store()
  const admin = await newMember(id, 'admin')
  expect([await setRule(id, true, admin), await setRule(id, true, admin)]).toEqual(['changed', 'same'])
  expect(await storesOfMerchant(control.database, admin)).toMatchObject([{ id, requiresTwoFactor: true }])
  await setStore(control, id, { requiresTwoFactor: false, name: 'Renamed' })
  expect(await storesOfMerchant(control.database, admin)).toMatchObject([{ id, requiresTwoFactor: false }])
  expect(await eventsOf(id)).toEqual([
    { action: 'store.added', actor: 'store-export control' },
    { action: 'two_factor_rule.enabled', actor: `merchant ${admin}` },
    { action: 'store.changed', actor: 'store-export control' },
    { action: 'two_factor_rule.disabled', actor: 'store-export control' },
  ])
})

test("a store's developers and viewers, and admins of other stores, cannot require two-factor sign-in for the store", async () => {
  const [{ id }, other, removed] = [await control.store(), await control.store(), await control.store()]
  const by = [await newMember(id, 'developer'), await newMember(id, 'viewer'), await newMember(other.id, 'admin')]
  for (const merchantId of by) expect(await setRule(id, true, merchantId)).toBe('forbidden')
  const admin = await newMember(removed.id, 'admin')
  await removeStore(control.database, removed.id)
  for (const merchantId of [admin, null]) expect(await setRule(removed.id, true, merchantId)).toBe('forbidden')
  expect(await control.sql`select two_factor_required as rule from stores where id in (${id}, ${removed.id})`).toEqual([
    { rule: false },
    { rule: false },
  ])
})

test('if a store began to require two-factor sign-in after a backup, replaying audit events restores this rule, unless the rule was turned off later', async () => {
  const [on, off] = [await control.store(), await control.store()]
  const event = (storeId: string, action: 'enabled' | 'disabled', second: number) => ({
    ...{ action: `two_factor_rule.${action}` as const, storeId, keyId: null, merchantId: null, details: '{}' },
    at: `2026-11-25T10:00:0${second}.000000Z`,
  })
  const events = [
    event(on.id, 'disabled', 1),
    event(on.id, 'enabled', 2),
    event(off.id, 'enabled', 1),
    event(off.id, 'disabled', 2),
  ]
  expect(await replayRevocations(control.database, events)).toMatchObject({ events: 1, twoFactorRulesEnabled: 1 })
  expect(await replayRevocations(control.database, events)).toMatchObject({ events: 1, unchanged: 1 })
  const rules =
    await control.sql`select two_factor_required as rule from stores where id in (${on.id}, ${off.id}) order by created_at`
  expect(rules).toEqual([{ rule: true }, { rule: false }])
})

test('readSecondFactor returns used: null for a session that does not exist', async () => {
  expect((await readSecondFactor(control.database, 'unknown')).used).toBeNull()
})
