import { randomBytes, randomUUID } from 'node:crypto'
import { LATEST_REVISION, REVISIONS, type RevisionId } from '@store-export/contract'
import type { Sql } from 'postgres'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { connectOnce, openClient } from '../../../../test/support/client.ts'
import { type ProvisionedStore, type ProvisionStoreOptions, provisionStore, upgradeStore } from './provision-store.ts'
import { quoteName } from './sql-text.ts'
import { storeTables } from './store-tables.ts'

const made: ProvisionedStore[] = []

afterEach(async () => {
  for (const { databaseUrl, readerUrl } of made.splice(0)) {
    const [owner, reader] = [new URL(databaseUrl), new URL(readerUrl)]
    await using(inject('postgresUrl'), async (sql) => {
      await sql.unsafe(`drop database ${quoteName(owner.pathname.slice(1))} with (force)`)
      await sql.unsafe(`drop role ${quoteName(owner.username)}`)
      await sql.unsafe(`drop role ${quoteName(reader.username)}`)
    })
  }
})

async function using<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = openClient(url)
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

async function provision(
  revision: RevisionId,
  overrides: Partial<ProvisionStoreOptions> = {},
): Promise<ProvisionedStore> {
  const adminUrl = inject('postgresUrl')
  const store = await provisionStore({
    adminUrl,
    storeId: randomUUID(),
    name: 'Läden',
    revision,
    random: randomBytes,
    connect: connectOnce,
    ...overrides,
  })
  made.push(store)
  return store
}

const settings = [
  'default_transaction_read_only',
  'jit',
  'plan_cache_mode',
  'statement_timeout',
  'timezone',
  'idle_in_transaction_session_timeout',
]

describe('provisioned stores', () => {
  test('a provisioned store has one row in its store table, accepts rows from its owner, and rejects a second store row', async () => {
    const storeId = randomUUID()
    const { databaseUrl } = await provision('launch', { storeId })
    await using(databaseUrl, async (sql) => {
      expect(await sql`select id, name from store`).toEqual([{ id: storeId, name: 'Läden' }])
      await sql`insert into categories (id, name, slug) values (${storeId}, 'n', 's')`
      await expect(sql`insert into store (id, name) values (gen_random_uuid(), 'second')`).rejects.toMatchObject({
        code: '23505',
      })
    })
  })

  test('[GEN-3] if the reader role selects password_hash or all columns of customers, PostgreSQL rejects the statement', async () => {
    const { readerUrl } = await provision(LATEST_REVISION)
    await using(readerUrl, async (sql) => {
      await expect(sql`select password_hash from customers`).rejects.toMatchObject({ code: '42501' })
      await expect(sql`select * from customers`).rejects.toMatchObject({ code: '42501' })
      await expect(sql`select c from customers c`).rejects.toMatchObject({ code: '42501' })
      await expect(sql`select 1 from store_schema_revisions`).rejects.toMatchObject({ code: '42501' })
    })
  })

  test('if a store is upgraded to any schema version, the reader role can select every column of the contract', async () => {
    const { readerUrl, databaseUrl } = await provision('launch')
    const readerRole = new URL(readerUrl).username
    for (const { id } of REVISIONS) {
      await upgradeStore({ ownerOrAdminUrl: databaseUrl, to: id, readerRole, connect: connectOnce })
      await using(readerUrl, async (sql) => {
        for (const { table, columns } of storeTables(id)) {
          await sql`select ${sql([...columns])} from ${sql(table)}`
          await sql`select count(*) from ${sql(table)}`
        }
      })
    }
  })

  test('[R42] if an upgrade stops at a failed migration, the reader role can still read the tables of earlier migrations', async () => {
    const { readerUrl, databaseUrl } = await provision('launch')
    await using(databaseUrl, (sql) => sql`create table locations (id int)`)
    const readerRole = new URL(readerUrl).username
    const upgrading = upgradeStore({
      ownerOrAdminUrl: databaseUrl,
      to: LATEST_REVISION,
      readerRole,
      connect: connectOnce,
    })
    await expect(upgrading).rejects.toThrow('locations')
    await using(readerUrl, (sql) => sql`select id, name from customer_groups`)
  })

  test('[GEN-1] if the reader role writes a row or creates a table, PostgreSQL rejects the statement', async () => {
    const { readerUrl } = await provision(LATEST_REVISION)
    await using(readerUrl, async (sql) => {
      const rows =
        await sql`select name, setting from pg_settings where name in ${sql(settings)} or name = 'TimeZone' order by 1`
      expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toMatchObject({
        default_transaction_read_only: 'on',
        jit: 'off',
        plan_cache_mode: 'force_generic_plan',
        statement_timeout: '5000',
        TimeZone: 'UTC',
        idle_in_transaction_session_timeout: '10000',
      })
      await expect(sql`delete from orders`).rejects.toThrow()
      await sql`set default_transaction_read_only = off`
      await expect(sql`delete from orders`).rejects.toMatchObject({ code: '42501' })
      await expect(sql`create table public.mine (id int)`).rejects.toMatchObject({ code: '42501' })
      await expect(sql`create temporary table mine (id int)`).rejects.toMatchObject({ code: '42501' })
      await expect(sql`update store set name = 'x'`).rejects.toMatchObject({ code: '42501' })
    })
  })

  test('[R28] an upgrade by an administrator resets the lock_timeout of the reader role, and an upgrade by the owner does not', async () => {
    const { databaseUrl, readerUrl } = await provision('launch')
    const limit = () => using(readerUrl, async (sql) => (await sql`show lock_timeout`)[0]?.lock_timeout)
    expect(await limit()).toBe('0')
    const readerRole = new URL(readerUrl).username
    await using(inject('postgresUrl'), (sql) =>
      sql.unsafe(`alter role ${quoteName(readerRole)} set lock_timeout = '2s'`),
    )
    await upgradeStore({ ownerOrAdminUrl: databaseUrl, to: 'v1.1', readerRole, connect: connectOnce })
    expect(await limit()).toBe('2s')
    const adminUrl = new URL(inject('postgresUrl'))
    adminUrl.pathname = new URL(databaseUrl).pathname
    await upgradeStore({ ownerOrAdminUrl: adminUrl.href, to: 'v1.1', readerRole, connect: connectOnce })
    expect(await limit()).toBe('0')
  })

  test('if the reader role of a provisioned store has twenty connections, PostgreSQL rejects another one', async () => {
    const { readerUrl } = await provision(LATEST_REVISION)
    const held = Array.from({ length: 20 }, () => openClient(readerUrl))
    try {
      await Promise.all(held.map((sql) => sql`select 1`))
      await using(readerUrl, async (sql) => {
        await expect(sql`select 1`).rejects.toMatchObject({ code: '53300' })
      })
    } finally {
      await Promise.all(held.map((sql) => sql.end()))
    }
  })

  test('if another role has an open transaction, the reader role can read the start time of this transaction', async () => {
    const { readerUrl } = await provision('launch')
    await using(inject('postgresUrl'), (admin) =>
      admin.begin(async (transaction) => {
        const [own] = await transaction`select pg_backend_pid() pid`
        await using(readerUrl, async (sql) => {
          const [row] = await sql`select xact_start is not null as seen from pg_stat_activity where pid = ${own?.pid}`
          expect(row?.seen).toBe(true)
        })
      }),
    )
  })

  test('[GEN-2] if the reader role of one store connects to another store, PostgreSQL rejects the connection', async () => {
    const [one, two] = [await provision('launch'), await provision('launch')]
    const foreign = new URL(one.readerUrl)
    foreign.pathname = new URL(two.readerUrl).pathname
    await expect(using(foreign.href, (sql) => sql`select 1`)).rejects.toMatchObject({ code: '42501' })
  })

  test('if the ID of a new store already has a database, provisioning fails, and the existing database remains', async () => {
    const storeId = randomUUID()
    const { databaseUrl } = await provision('launch', { storeId })
    await expect(provision('launch', { storeId })).rejects.toMatchObject({ code: '42710' })
    await using(databaseUrl, async (sql) => expect(await sql`select 1 from store`).toHaveLength(1))
  })

  test('if provisioning fails because of an invalid store name, no database and no role are left', async () => {
    const storeId = randomUUID()
    await expect(provision(LATEST_REVISION, { storeId, name: 'nul \0 byte' })).rejects.toThrow()
    await using(inject('postgresUrl'), async (sql) => {
      const short = storeId.slice(-12)
      expect(await sql`select 1 from pg_roles where rolname like ${`%${short}`}`).toHaveLength(0)
      expect(await sql`select 1 from pg_database where datname like ${`%${short}`}`).toHaveLength(0)
    })
  })

  test('if an administrator upgrades a store, the new tables belong to the owner of the store', async () => {
    const { databaseUrl } = await provision('launch')
    const adminUrl = new URL(inject('postgresUrl'))
    adminUrl.pathname = new URL(databaseUrl).pathname
    const { applied } = await upgradeStore({
      ownerOrAdminUrl: adminUrl.href,
      to: 'v1.2',
      readerRole: null,
      connect: connectOnce,
    })
    expect(applied).toEqual(['v1.1', 'v1.2'])
    await using(databaseUrl, (sql) => sql`insert into locations (id, name) values (gen_random_uuid(), 'n')`)
  })

  test("if a superuser upgrades a store, the owner's triggers run as a temporary role without superuser privileges", async () => {
    const { databaseUrl } = await provision('launch')
    const database = new URL(databaseUrl).pathname.slice(1)
    await using(databaseUrl, async (sql) => {
      await sql.unsafe(`
        create table seen (role text, is_super boolean);
        create function note() returns void language plpgsql as $$ begin
          reset role;
          insert into public.seen select session_user, rolsuper from pg_catalog.pg_roles where rolname = session_user;
        end $$;
        create function noting() returns trigger language plpgsql as $$ begin
          perform public.note();
          return new;
        end $$;
        create trigger noting before insert on store_schema_revisions for each row execute function noting();
        create schema hiding;
        create function hiding.pg_get_userbyid(oid) returns name language plpgsql as $$ begin
          perform public.note();
          return pg_catalog.pg_get_userbyid($1);
        end $$;
        alter database ${quoteName(database)} set search_path = hiding, pg_catalog, public`)
    })
    const adminUrl = new URL(inject('postgresUrl'))
    adminUrl.pathname = `/${database}`
    await upgradeStore({ ownerOrAdminUrl: adminUrl.href, to: 'v1.1', readerRole: null, connect: connectOnce })
    await using(databaseUrl, async (sql) => {
      const seen = await sql<{ role: string; is_super: boolean }[]>`select distinct role, is_super from public.seen`
      expect(seen).toEqual([{ role: expect.stringMatching(/^store_export_login_[0-9a-f]{16}$/), is_super: false }])
      expect(await sql`select from pg_roles where rolname = ${seen[0]?.role ?? ''}`).toEqual([])
    })
  })
})
