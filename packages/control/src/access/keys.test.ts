import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { removeStore, UnknownStore } from '../stores.ts'
import { createKey, KeyLimitReached, KeyNameTaken, KeyNotReplaceable, type NewKey } from './create-key.ts'
import { InvalidKeyNameError } from './key-name.ts'
import { listKeys, listKeysOfAllStores, revokeKey } from './keys.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

function create(storeId: string, name = 'sync', node = control.database): Promise<NewKey> {
  return createKey({ database: node, storeId, name, createdBy: null, random: control.random })
}

function createUnlessNamed(storeId: string, name: string, node = control.database): Promise<NewKey> {
  return createKey({ database: node, storeId, name, createdBy: null, unlessNamed: true, random: control.random })
}

function replaceKey(storeId: string, keyId: string, endsAfterHours: 0 | 24): Promise<NewKey> {
  const { database, random } = control
  return createKey({ database, storeId, name: 'new', createdBy: null, random, replaces: { keyId, endsAfterHours } })
}

describe('the keys of a store', () => {
  test('[AUTH-3] when a key is created, the control database stores its hash and not the key', async () => {
    const store = await control.store()
    const made = await create(store.id, '  Spreadsheet ')
    expect(made).toMatchObject({ storeId: store.id, name: 'Spreadsheet' })
    const [row] = await control.sql`select to_jsonb(k) as row, key_hash from api_keys k where id = ${made.id}`
    expect(row?.key_hash).toEqual(createHash('sha256').update(made.key.reveal()).digest())
    expect(JSON.stringify(row?.row)).not.toContain(made.key.reveal().slice(12, 40))
    const [listed] = await listKeys({ database: control.database, storeId: store.id })
    expect(listed).toMatchObject({
      id: made.id,
      prefix: made.key.reveal().slice(0, 12),
      lastUsedAt: null,
      revokedAt: null,
    })
  })

  test('listKeysOfAllStores returns the keys in the order of the stores, active keys first, without keys of removed stores', async () => {
    const [first, removed, second] = [await control.store(), await control.store(), await control.store()]
    const ofSecond = await create(second.id)
    const [revoked, active] = [await create(first.id), await create(first.id)]
    await create(removed.id)
    await revokeKey({ database: control.database, keyId: revoked.id })
    await removeStore(control.database, removed.id)
    const own = [first.id, removed.id, second.id]
    const listed = (await listKeysOfAllStores(control.database)).filter(({ storeId }) => own.includes(storeId))
    expect(listed.map(({ id }) => id)).toEqual([active.id, revoked.id, ofSecond.id])
  })

  test('[AUTH-4] if two nodes get fifty requests at once for new keys of a store, exactly five keys are created', async () => {
    const store = await control.store()
    const second = control.secondNode()
    const attempts = Array.from({ length: 50 }, (_, index) =>
      create(store.id, `key ${index}`, index % 2 === 0 ? control.database : second),
    )
    const outcomes = await Promise.allSettled(attempts)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(outcomes.length - refused.length).toBe(5)
    expect(refused.every((outcome) => outcome.reason instanceof KeyLimitReached)).toBe(true)
    expect(await listKeys({ database: control.database, storeId: store.id, activeOnly: true })).toHaveLength(5)
  })

  test('if twenty createKey calls with unlessNamed use the same name at once, one creates the key, and the others throw KeyNameTaken', async () => {
    const store = await control.store()
    const second = control.secondNode()
    const attempts = Array.from({ length: 20 }, (_, index) =>
      createUnlessNamed(store.id, 'sync', index % 2 === 0 ? control.database : second),
    )
    const outcomes = await Promise.allSettled(attempts)
    const [created, ...others] = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    expect(others).toEqual([])
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toBeInstanceOf(KeyNameTaken)
        expect(outcome.reason.keyId).toBe(created?.value.id)
      }
  })

  test('createKey with unlessNamed rejects the name of an existing key, even if this key is revoked or the store has five keys', async () => {
    const store = await control.store()
    const { id } = await create(store.id, 'old')
    await revokeKey({ database: control.database, keyId: id })
    await expect(createUnlessNamed(store.id, 'old')).rejects.toMatchObject({ keyId: id })
    const { id: first } = await createUnlessNamed(store.id, 'key 0')
    for (let count = 1; count < 5; count += 1) await createUnlessNamed(store.id, `key ${count}`)
    await expect(createUnlessNamed(store.id, 'key 0')).rejects.toMatchObject({ keyId: first })
    await expect(createUnlessNamed(store.id, 'another')).rejects.toThrow(KeyLimitReached)
  })

  test('[AUTH-4] if a store has five active keys, PostgreSQL rejects the row of a sixth key', async () => {
    const store = await control.store()
    for (let count = 0; count < 5; count += 1) {
      await create(store.id)
    }
    const insert = (slot: number) => control.sql`
      insert into api_keys (id, store_id, slot, name, prefix, last_four, key_hash)
      values (gen_random_uuid(), ${store.id}, ${slot}, 'x', 'sdx_', 'xxxx', sha256(${`${slot}`}::text::bytea))`
    await expect(insert(5)).rejects.toMatchObject({ code: '23505' })
    await expect(insert(6)).rejects.toMatchObject({ code: '23514' })
  })

  test("[AUTH-4] if one of a store's five keys is revoked, exactly one more key can be created", async () => {
    const store = await control.store()
    const keys = await Promise.all(Array.from({ length: 5 }, () => create(store.id)))
    await expect(create(store.id)).rejects.toThrow(KeyLimitReached)
    await revokeKey({ database: control.database, keyId: keys[2]?.id ?? '' })
    await create(store.id)
    await expect(create(store.id)).rejects.toThrow(KeyLimitReached)
  })

  test('[AUTH-4] if a store has five active keys, the error for a sixth key names the least recently used key', async () => {
    const store = await control.store()
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      const { id } = await create(store.id, name)
      const used = `2026-01-0${((index + 3) % 5) + 1}T00:00:00Z`
      await control.sql`update api_keys set last_used_at = ${used}::text::timestamptz where id = ${id}`
    }
    const refusal = await create(store.id).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(KeyLimitReached)
    expect(refusal).toMatchObject({ leastRecentlyUsed: { name: 'c' }, message: expect.stringContaining('"c" (sdx_') })
  })

  test('[AUTH-5] if a key belongs to another store or is already revoked, revoking the key changes nothing', async () => {
    const [store, other] = [await control.store(), await control.store()]
    const { id } = await create(store.id)
    const { database } = control
    expect(await revokeKey({ database, keyId: id, storeId: other.id })).toBe('unknown')
    expect(await revokeKey({ database, keyId: id, storeId: store.id })).toBe('revoked')
    const [before] = await listKeys({ database, storeId: store.id })
    expect(await revokeKey({ database, keyId: id })).toBe('already revoked')
    expect(await listKeys({ database, storeId: store.id })).toEqual([before])
    expect(await revokeKey({ database, keyId: store.id })).toBe('unknown')
    expect(await revokeKey({ database, keyId: "'; drop table api_keys" })).toBe('unknown')
  })

  test('[AUTH-4] if a store has five active keys, replacing a key is rejected unless the old key is revoked immediately', async () => {
    const store = await control.store()
    const keys = await Promise.all(Array.from({ length: 5 }, (_, index) => create(store.id, `key ${index}`)))
    const old = keys[3]?.id ?? ''
    const { database } = control
    const replace = (endsAfterHours: 0 | 24) => replaceKey(store.id, old, endsAfterHours)
    await expect(replace(24)).rejects.toThrow(KeyLimitReached)
    const made = await replace(0)
    const all = await listKeys({ database, storeId: store.id })
    expect(all.filter(({ revokedAt }) => revokedAt === null)).toHaveLength(5)
    expect(all.find(({ id }) => id === made.id)).toMatchObject({ replaces: old, revokedAt: null })
    expect(all.find(({ id }) => id === old)?.revokedAt).not.toBeNull()
    await expect(replace(0)).rejects.toThrow(KeyNotReplaceable)
  })

  test('if a key is revoked, already replaced, or belongs to another store, replacing the key throws KeyNotReplaceable', async () => {
    const [store, other] = [await control.store(), await control.store()]
    const { database } = control
    const replace = (keyId: string, endsAfterHours: 0 | 24) => replaceKey(store.id, keyId, endsAfterHours)
    const { id: foreign } = await create(other.id)
    await expect(replace(foreign, 0)).rejects.toThrow(KeyNotReplaceable)
    expect(await listKeys({ database, storeId: other.id })).toMatchObject([{ id: foreign, revokedAt: null }])
    const { id } = await create(store.id)
    const { id: successor } = await replace(id, 24)
    await expect(replace(id, 24)).rejects.toThrow(KeyNotReplaceable)
    await revokeKey({ database, keyId: successor })
    await replace(id, 0)
    for (const keyId of [id, 'nonsense']) await expect(replace(keyId, 24)).rejects.toThrow(KeyNotReplaceable)
  })

  test('if ten requests replace the same key at once, one request creates a key, and the others throw KeyNotReplaceable', async () => {
    const store = await control.store()
    const { id } = await create(store.id)
    const nodes = [control.database, control.secondNode()]
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        createKey({
          database: nodes[index % 2] ?? control.database,
          storeId: store.id,
          name: 'new',
          createdBy: null,
          random: control.random,
          replaces: { keyId: id, endsAfterHours: index % 3 === 0 ? 0 : 24 },
        }),
      ),
    )
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused.map(({ reason }) => reason.name)).toEqual(Array(9).fill('KeyNotReplaceable'))
  })

  test('if a store was removed or never existed, creating a key for it throws UnknownStore', async () => {
    const store = await control.store()
    await removeStore(control.database, store.id)
    await expect(create(store.id)).rejects.toThrow(UnknownStore)
    await expect(create('nonsense')).rejects.toThrow(UnknownStore)
  })

  test('if a store is removed while requests create keys for the store, the store has no active key afterwards', async () => {
    const store = await control.store()
    const making = Promise.allSettled(Array.from({ length: 10 }, () => create(store.id)))
    await removeStore(control.database, store.id)
    await making
    expect(await listKeys({ database: control.database, storeId: store.id, activeOnly: true })).toEqual([])
  })

  test.each([
    '',
    '   ',
    '\u200b',
    '\u00ad\u2060',
    '\u3164',
    'x'.repeat(81),
    'two\nlines',
    'bell\u0007',
    'turned\u202e',
  ])('if the name of a new key is the invalid value %j, createKey throws an InvalidKeyNameError', async (name) => {
    const store = await control.store()
    await expect(create(store.id, name)).rejects.toThrow(InvalidKeyNameError)
  })

  test('if the name of a new key is eighty emoji, createKey returns the name unchanged', async () => {
    const store = await control.store()
    const name = '🛒'.repeat(80)
    expect((await create(store.id, name)).name).toBe(name)
  })
})
