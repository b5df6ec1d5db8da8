import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { changeMemberRole, type MemberRole } from '../member-roles.ts'
import { addMembership, removeMember, removeMerchant } from '../merchants.ts'
import { replayRevocations } from '../replay-revocations.ts'
import { UnknownStore } from '../stores.ts'
import { hashApiKey, makeApiKey } from './api-key.ts'
import {
  admitDirectory,
  createDirectoryToken,
  DIRECTORY_REQUESTS_PER_MINUTE,
  DirectoryTokenLimitReached,
  listDirectoryTokens,
  makeDirectoryToken,
  parseDirectoryToken,
  revokeDirectoryToken,
} from './directory-tokens.ts'
import { revokeLeakedKeys } from './leaked-keys.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

const create = (storeId: string, token = makeDirectoryToken(randomBytes)) =>
  createDirectoryToken({ database: control.database, storeId, token, random: randomBytes })

/** Adds a member, and returns the ID of the account. */
async function newMember(storeId: string, role: MemberRole = 'admin'): Promise<string> {
  const id = randomUUID()
  await control.sql`
    insert into merchants (id, name, email, email_verified, created_at, updated_at)
    values (${id}, '', ${`${id}@example.com`}, true, now(), now())`
  await addMembership(control.database, id, storeId, role)
  return id
}

test('parseDirectoryToken accepts a new directory token, and rejects an API key and a directory token whose last character is changed', () => {
  const token = makeDirectoryToken(randomBytes).reveal()
  expect(token).toMatch(/^sdxscim_[0-9A-Za-z]{49}$/)
  expect(parseDirectoryToken(token)?.reveal()).toBe(token)
  expect(String(parseDirectoryToken(token))).toBe('[key]')
  expect(parseDirectoryToken(makeApiKey(randomBytes).reveal())).toBeNull()
  expect(parseDirectoryToken(`${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`)).toBeNull()
})

test('if three directory tokens are created at once for a store, one exceeds the limit of two and is rejected', async () => {
  const { id } = await control.store()
  const all = await Promise.allSettled([create(id), create(id), create(id)])
  const reasons = all.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(reasons).toEqual([expect.any(DirectoryTokenLimitReached)])
  const other = await control.store()
  const token = makeDirectoryToken(randomBytes)
  expect(await create(other.id, token)).toBe(await create(other.id, token))
  expect(await listDirectoryTokens({ database: control.database, storeId: other.id })).toHaveLength(1)
  await expect(create('none')).rejects.toThrow(UnknownStore)
})

test("if the creator of a directory token isn't an admin of the store, or loses this role during creation, the store gets no active token", async () => {
  const { database } = control
  const { id: storeId } = await control.store()
  const createAs = (createdBy: string) =>
    createDirectoryToken({ database, storeId, token: makeDirectoryToken(randomBytes), random: randomBytes, createdBy })
  const admins = [await newMember(storeId), await newMember(storeId)] as const
  const strangers = [await newMember((await control.store()).id), await newMember(storeId, 'developer'), 'unknown']
  for (const stranger of strangers) await expect(createAs(stranger)).rejects.toThrow(UnknownStore)
  const demotion = { database, storeId, merchantId: admins[0], role: 'viewer' as const, changedBy: admins[1] }
  await Promise.allSettled([createAs(admins[0]), changeMemberRole(demotion)])
  expect(await listDirectoryTokens({ database, storeId, activeOnly: true })).toEqual([])
  await expect(createAs(admins[0])).rejects.toThrow(UnknownStore)
})

test('if the creator of a directory token loses the admin role, the membership, or the account, only the tokens of this creator are revoked', async () => {
  const { database } = control
  for (const end of ['role', 'removal', 'account'] as const) {
    const { id: storeId } = await control.store()
    const [creator, other] = [await newMember(storeId), await newMember(storeId)]
    const createAs = (createdBy: string) =>
      createDirectoryToken({
        database,
        storeId,
        token: makeDirectoryToken(randomBytes),
        random: randomBytes,
        createdBy,
      })
    const [ended, kept] = [await createAs(creator), await createAs(other)]
    if (end === 'role')
      await changeMemberRole({ database, storeId, merchantId: creator, role: 'viewer', changedBy: other })
    else if (end === 'removal') await removeMember({ database, storeId, merchantId: creator, removedBy: other })
    else await removeMerchant(database, `${creator}@example.com`, `merchant ${other}`)
    const active = await listDirectoryTokens({ database, storeId, activeOnly: true })
    expect(
      active.map(({ id }) => id),
      end,
    ).toEqual([kept])
    const events = await control.sql`
      select actor, details ->> 'token' as token from audit_events
      where store_id = ${storeId} and action = 'directory_token.revoked'`
    expect(events, end).toEqual([{ actor: `merchant ${other}`, token: ended }])
  }
})

test('if two nodes get the same directory token, both nodes accept the token, and the time of its last use is recorded', async () => {
  const { id } = await control.store()
  const token = makeDirectoryToken(randomBytes)
  const tokenId = await create(id, token)
  const nodes = [control.database, control.secondNode()]
  for (const node of nodes) expect(await admitDirectory(node, token)).toEqual({ storeId: id, tokenId, waitSeconds: 0 })
  const [{ lastUsedAt } = { lastUsedAt: null }] = await listDirectoryTokens({ database: control.database, storeId: id })
  expect(Date.now() - Number(lastUsedAt)).toBeLessThan(60_000)
  await control.sql`
    update directory_tokens set requests = ${DIRECTORY_REQUESTS_PER_MINUTE}, minute = date_trunc('minute', clock_timestamp() + interval '1 second')
    where store_id = ${id}`
  // If the minute ends here, the counter starts again.
  const waits = (await admitDirectory(control.database, token))?.waitSeconds
  expect(waits === 0 || (waits !== undefined && waits >= 1 && waits <= 60)).toBe(true)
})

test('after a directory token is revoked, the token is rejected, and audit events name the merchants who created and revoked the token', async () => {
  const { database, sql } = control
  const { id: storeId } = await control.store()
  const token = makeDirectoryToken(randomBytes)
  const createdBy = await newMember(storeId)
  const tokenId = await createDirectoryToken({ database, storeId, token, random: randomBytes, createdBy })
  const other = await control.store()
  expect(await revokeDirectoryToken({ database, tokenId, storeId: other.id })).toBe('unknown')
  expect(await revokeDirectoryToken({ database, tokenId, storeId, actor: 'merchant 2' })).toBe('revoked')
  expect(await revokeDirectoryToken({ database, tokenId })).toBe('already revoked')
  expect(await admitDirectory(database, token)).toBeNull()
  expect(await listDirectoryTokens({ database, storeId, activeOnly: true })).toEqual([])
  const events = await sql`
    select action, actor, details ->> 'token' as token from audit_events 
    where store_id = ${storeId} and action like 'directory_token.%' order by at`
  expect(events).toEqual([
    { action: 'directory_token.created', actor: `merchant ${createdBy}`, token: tokenId },
    { action: 'directory_token.revoked', actor: 'merchant 2', token: tokenId },
  ])
})

test('if a scanner reports a leaked directory token, the token is revoked, and a second report changes nothing', async () => {
  const { id } = await control.store()
  const token = makeDirectoryToken(randomBytes)
  await create(id, token)
  const leaked = [{ hash: hashApiKey(token), url: '', source: '' }]
  const known = new Set([hashApiKey(token).bytes.toString('hex')])
  expect(await revokeLeakedKeys(control.database, leaked)).toEqual({ known, revoked: 1 })
  expect(await revokeLeakedKeys(control.database, leaked)).toEqual({ known, revoked: 0 })
  expect(await admitDirectory(control.database, token)).toBeNull()
})

test('if a directory token was revoked after a backup, replaying audit events on the restored backup revokes the token again', async () => {
  const { id: storeId } = await control.store()
  const tokenId = await create(storeId)
  const event = {
    ...{ action: 'directory_token.revoked' as const, storeId, keyId: null, merchantId: null },
    details: JSON.stringify({ token: tokenId }),
    at: '2026-11-26T10:00:00.000000Z',
  }
  expect(await replayRevocations(control.database, [event])).toMatchObject({ events: 1, directoryTokensRevoked: 1 })
  expect(await replayRevocations(control.database, [event])).toMatchObject({ events: 1, unchanged: 1 })
})
