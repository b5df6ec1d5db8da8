import { randomBytes } from 'node:crypto'
import { sql } from '@store-export/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase } from '../../../test/support/databases.ts'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import { createKey } from './access/create-key.ts'
import { listKeys } from './access/keys.ts'
import { openControlDatabase } from './database.ts'
import { MIGRATIONS, migrate, missingMigrations } from './migrate.ts'
import { DecryptionError, EncryptionKey } from './password-encryption.ts'
import { rotateSecrets } from './rotate-secrets.ts'
import { readCursorSecret } from './service-secrets.ts'
import { decryptStoreUrl } from './store-url.ts'
import { addStore, getStore, InvalidStoreError, listStores, removeStore, setStore, UnknownStore } from './stores.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

describe('migrations of the control database', () => {
  test('if six processes migrate the control database at once, each migration is applied once', async () => {
    const { url, drop } = await createDatabase()
    const database = openControlDatabase(url, { poolSize: 1 })
    expect(await missingMigrations(database)).toEqual(Object.keys(MIGRATIONS))
    await database.pool.execute(sql`do $$ begin execute format(
      'alter database %I set default_transaction_isolation = ''repeatable read''', current_database()); end $$`)
    const applied = await Promise.all(Array.from({ length: 6 }, () => migrate({ url, random: randomBytes })))
    expect(applied.flat().toSorted()).toEqual(Object.keys(MIGRATIONS))
    expect(await missingMigrations(database)).toEqual([])
    expect(await migrate({ url, random: randomBytes })).toEqual([])
    await database.close()
    await drop()
  })

  test('if a newer version of store-export migrated the control database, migrate fails with "made by a newer version"', async () => {
    const { url, drop } = await createDatabase()
    await migrate({ url, random: randomBytes })
    const database = openControlDatabase(url, { poolSize: 1 })
    await database.pool.execute(sql`insert into migrations (name) values ('999-later')`)
    await expect(migrate({ url, random: randomBytes })).rejects.toThrow('made by a newer version')
    await database.close()
    await drop()
  })

  test('if an early build of store-export created the control database, migrate fails and says to create an empty database', async () => {
    const { url, drop } = await createDatabase()
    const database = openControlDatabase(url, { poolSize: 1 })
    await database.pool.execute(sql`create table kysely_migration (name text)`)
    await expect(migrate({ url, random: randomBytes })).rejects.toThrow('create an empty database')
    await expect(missingMigrations(database)).rejects.toThrow('create an empty database')
    await database.close()
    await drop()
  })

  test('[R15] migrating the control database again does not change the cursor secret that other nodes read', async () => {
    const secret = await readCursorSecret(control.database)
    expect(secret).toHaveLength(32)
    await migrate({ url: control.url, random: randomBytes })
    expect(await readCursorSecret(control.secondNode())).toEqual(secret)
  })
})

describe('stores in the control database', () => {
  test('if a store is added, its database password is stored encrypted and can be decrypted', async () => {
    const store = await control.store('Ann’s shop')
    expect(store).toMatchObject({ name: 'Ann’s shop', origin: 'generated', state: 'ready', removedAt: null })
    expect(store.databaseUrl).toBe('postgres://reader@127.0.0.1:5432/shop?sslmode=verify-full')
    expect(JSON.stringify(await control.sql`select to_jsonb(s) from stores s`)).not.toMatch(/p@ss|p%40ss/)
    const opened = decryptStoreUrl(control.keys, store)
    expect(opened?.reveal()).toContain('password=p%40ss')
    expect(String(opened)).toBe('[connection URL]')
  })

  test('if the encrypted password of one store is copied to another store, decrypting it there throws a DecryptionError', async () => {
    const [one, two] = [await control.store(), await control.store()]
    expect(() => decryptStoreUrl(control.keys, { ...two, encryptedPassword: one.encryptedPassword })).toThrow(
      DecryptionError,
    )
  })

  test('if a generated store has no database URL, setting its state to "ready" throws an InvalidStoreError', async () => {
    const added = await addStore(control, { name: 'New', origin: 'generated', state: 'generating', databaseUrl: null })
    await expect(setStore(control, added.id, { state: 'ready' })).rejects.toThrow(InvalidStoreError)
    const changed = await setStore(control, added.id, { state: 'ready', databaseUrl: 'postgres://r:x@h/d' })
    expect(changed).toMatchObject({ state: 'ready', databaseUrl: 'postgres://r@h/d' })
    expect(await setStore(control, added.id, { state: 'generating' })).toEqual({ ...changed, state: 'generating' })
    await expect(
      addStore(control, { name: 'Bad', origin: 'generated', state: 'ready', databaseUrl: null }),
    ).rejects.toThrow(InvalidStoreError)
  })

  test("if a store is removed, its URL is deleted, its keys are revoked, and its ID can't be used again", async () => {
    const { database, random } = control
    const store = await control.store()
    await createKey({ database, storeId: store.id, name: 'k', createdBy: null, random })
    expect(await removeStore(database, store.id)).toEqual({ id: store.id, removed: true, keysRevoked: 1 })
    expect(await removeStore(database, store.id)).toEqual({ id: store.id, removed: false, keysRevoked: 0 })
    expect(await getStore(database, store.id)).toBeNull()
    expect((await listStores(database)).map(({ id }) => id)).not.toContain(store.id)
    const kept = (await listStores(database, { includeRemoved: true })).find(({ id }) => id === store.id)
    expect(kept).toMatchObject({ databaseUrl: null, encryptedPassword: null, removedAt: expect.any(Date) })
    expect(await listKeys({ database, storeId: store.id, activeOnly: true })).toEqual([])
    await expect(addStore(control, { ...store, databaseUrl: 'postgres://h/d' })).rejects.toThrow('registered before')
    await expect(setStore(control, store.id, { state: 'ready' })).rejects.toThrow(UnknownStore)
    await expect(removeStore(database, 'nonsense')).rejects.toThrow(UnknownStore)
  })
})

describe('rotation of the encryption secret', () => {
  test.each(['Shop \u202e', '\u2066Shop', 'two\nlines', '\u200b', '', 'x'.repeat(201)])(
    'if the name of a store is the invalid value %j, addStore and setStore throw an InvalidStoreError',
    async (name) => {
      const store = { name, origin: 'imported', state: 'ready', databaseUrl: null } as const
      await expect(addStore(control, store)).rejects.toThrow(InvalidStoreError)
      const { id } = await addStore(control, { ...store, name: 'Shop' })
      await expect(setStore(control, id, { name })).rejects.toThrow('store name: must have 1 to 200 characters')
    },
  )

  test.each(['متجر القهوة', 'חנות \u200fA1', 'Café', '🛒'.repeat(200)])(
    'if the name of a store is %j, addStore returns the name unchanged',
    async (name) => {
      const store = { name, origin: 'imported', state: 'ready', databaseUrl: null } as const
      expect((await addStore(control, store)).name).toBe(name)
    },
  )

  test('if the encryption secret is rotated, the new secret alone decrypts the database passwords of all stores', async () => {
    const fresh = await createControlDatabase()
    const store = await fresh.store()
    const keys = { current: new EncryptionKey(randomBytes(32)), previous: fresh.keys.current }
    expect(decryptStoreUrl(keys, store)?.reveal()).toContain('p%40ss')
    const later = await addStore(
      { ...fresh, keys },
      { ...store, id: '00000000-0000-4000-8000-000000000001', databaseUrl: 'postgres://r:new@h/d' },
    )
    expect(await rotateSecrets({ ...fresh, keys })).toEqual({ reencrypted: 1, unchanged: 1 })
    expect(await rotateSecrets({ ...fresh, keys })).toEqual({ reencrypted: 0, unchanged: 2 })
    const alone = { current: keys.current, previous: null }
    expect(decryptStoreUrl(alone, (await getStore(fresh.database, store.id)) ?? later)?.reveal()).toContain('p%40ss')
    await expect(
      rotateSecrets({ ...fresh, keys: { current: new EncryptionKey(randomBytes(32)), previous: null } }),
    ).rejects.toThrow('encrypted with another secret')
    await fresh.drop()
  })
})
