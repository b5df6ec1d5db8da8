// Tests stores that share a database, each in its own schema.

import { randomBytes } from 'node:crypto'
import { LATEST_REVISION } from '@store-export/contract'
import { setStore } from '@store-export/control'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { eventsOf, readerOf } from './support/rows.ts'
import { createTenants, type Tenant, type Tenants } from './support/tenants.ts'

/** 63 bytes, PostgreSQL's maximum, with characters that have a meaning in SQL. */
const HOSTILE = `Ac"me's; drop $$ \\ .ü-${'x'.repeat(40)}`
const LISTS = ['orders', 'products', 'customers', 'categories', 'locations', 'customer-groups', 'ids/orders']

let platform: TestPlatform
let made: Tenants
let old: Tenant
let hostile: Tenant
let common: Tenant

beforeAll(async () => {
  platform = await startPlatform(
    { COUNTS_MAX_AGE_SECONDS: '3600', SCHEMA_REFRESH_SECONDS: '30', TRANSACTION_WAIT_MS: '0', SCAN_BATCH_ROWS: '100' },
    { dashboard: true },
  )
  const size = { orders: 60, customers: 12, products: 20, locations: 2, groups: 2 }
  made = await createTenants(platform, [
    { schema: 'acme', revision: 'launch', size },
    { schema: HOSTILE, revision: LATEST_REVISION, size: { ...size, orders: 380 } },
    { schema: 'Select', revision: LATEST_REVISION, size: { ...size, orders: 70 } },
  ])
  ;[old, hostile, common] = made.tenants as [Tenant, Tenant, Tenant]
})
afterAll(async () => {
  await platform.close()
  await made.drop()
})

const get = (path: string, { key }: Tenant) => platform.get(`/api/v1/${path}`, key)

async function idsIn({ sql }: Tenant, table: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from ${sql(table)} order by created_at, id`
  return rows.map(({ id }) => id)
}

const currencyOf = ({ currency }: { currency: string | null }) => currency

async function readAll(path: string, tenant: Tenant): Promise<{ id: string }[]> {
  const rows: { id: string }[] = []
  for (let cursor = ''; ; ) {
    const { status, json, text } = await get(`${path}${path.includes('?') ? '&' : '?'}limit=25${cursor}`, tenant)
    expect(status, text).toBe(200)
    rows.push(...json.data)
    if (!json.meta.has_more) return rows
    cursor = `&cursor=${json.meta.next_cursor}`
  }
}

describe('stores in schemas of one database', () => {
  test('[GEN-2] if three stores share a database and are read at once, each key gets only rows of its own schema', async () => {
    expect(Buffer.byteLength(HOSTILE)).toBe(63)
    const tables = ['orders', 'products', 'customers', 'categories']
    const reads = Array.from({ length: 5 }, () => made.tenants)
      .flat()
      .flatMap((tenant) => tables.map(async (table) => ({ tenant, table, rows: await readAll(table, tenant) })))
    for (const { tenant, table, rows } of await Promise.all(reads))
      expect(rows.map(({ id }) => id)).toEqual(await idsIn(tenant, table))
    const ids = await Promise.all(made.tenants.map((tenant) => idsIn(tenant, 'orders')))
    expect(ids.map(({ length }) => length)).toEqual([60, 380, 70])
    expect(new Set(ids.flat()).size).toBe(510)
  })

  test('[RES-STORE] if a store is in its own schema, GET /store returns the name and counts from that schema', async () => {
    for (const [tenant, orders] of [
      [old, 60],
      [hostile, 380],
      [common, 70],
    ] as const) {
      const { json } = await get('store', tenant)
      expect(json.data).toMatchObject({ id: tenant.id, name: tenant.schema, counts: { orders } })
    }
  })

  test('[VER-2, FMT-6] if two stores in one database have different schema versions, only the store with the newer version returns locations and order currencies', async () => {
    expect((await get('locations', old)).json.data).toEqual([])
    expect((await get('locations', hostile)).json.data).toHaveLength(2)
    const [launch, newest] = await Promise.all([get('orders?limit=250', old), get('orders?limit=250', hostile)])
    expect(new Set(launch.json.data.map(currencyOf))).toEqual(new Set([null]))
    expect(new Set(newest.json.data.map(currencyOf))).toContain('EUR')
    expect(Object.keys(launch.json.data[0])).toEqual(Object.keys(newest.json.data[0]))
  })

  test('[GEN-2] if a store is in its own schema, its orders have the items of that schema, in lists and by ID', async () => {
    for (const tenant of made.tenants) {
      const expected = await tenant.sql<{ id: string }[]>`select id from order_items`
      const orders = (await readAll('orders', tenant)) as { id: string; items: { id: string }[] }[]
      const ids = orders.flatMap(({ items }) => items.map(({ id }) => id))
      expect(ids.toSorted()).toEqual(expected.map(({ id }) => id).toSorted())
      expect((await get(`orders/${orders[0]?.id}`, tenant)).json.data).toEqual(orders[0])
    }
  })

  test('[EP-ID-MISSING] if an order ID belongs to the schema of another store, GET /orders/{id} returns 404', async () => {
    const [id] = await idsIn(hostile, 'orders')
    expect((await get(`orders/${id}`, hostile)).status).toBe(200)
    for (const other of [old, common]) expect((await get(`orders/${id}`, other)).status).toBe(404)
  })

  test('[SYNC-2] if an order changes in one schema, updated_since returns this order only for the store of that schema', async () => {
    const since = async (tenant: Tenant) => (await get('orders?limit=1', tenant)).headers.get('x-sync-watermark')
    const before = await Promise.all(made.tenants.map(since))
    const [id = ''] = await idsIn(hostile, 'orders')
    await hostile.sql`update orders set status = 'paid', updated_at = clock_timestamp() + interval '1 s' where id = ${id}`
    const changed = await Promise.all(
      made.tenants.map((tenant, at) => readAll(`orders?updated_since=${encodeURIComponent(before[at] ?? '')}`, tenant)),
    )
    expect(changed.map((rows) => rows.map((row) => row.id))).toEqual([[], [id], []])
  })

  test("[GEN-2] if a filter has no index, the list still returns only rows of the store's schema", async () => {
    for (const tenant of made.tenants) {
      await tenant.sql`drop index orders_status_walk`
      const paid = await tenant.sql<{ id: string }[]>`
        select id from orders where status = 'paid' order by created_at, id`
      expect((await readAll('orders?status=paid', tenant)).map(({ id }) => id)).toEqual(paid.map(({ id }) => id))
    }
  })

  test('if a store is in its own schema, the dashboard shows and finds only rows of that schema', async () => {
    const merchant = await addMerchant(platform, ...made.tenants.map(({ id }) => id))
    const visitor = await new PlainBrowser(urlOf(platform)).signIn(merchant)
    for (const tenant of made.tenants) {
      const ids = await idsIn(tenant, 'orders')
      const [row] = await tenant.sql<{ id: string; order_number: string }[]>`select * from orders limit 1`
      const page = await visitor.get(`/stores/${tenant.id}/data/orders`)
      const shown = [...page.text.matchAll(/data\/orders\/([0-9a-f-]{36})/g)].map(([, id = '']) => id)
      expect(shown.length).toBeGreaterThan(0)
      for (const id of shown) expect(ids).toContain(id)
      const [variant] = await tenant.sql<{ sku: string; product_id: string }[]>`
        select sku, product_id from product_variants where sku is not null limit 1`
      const found = await visitor.get(
        `/stores/${tenant.id}/data/products?find=${encodeURIComponent(variant?.sku ?? '-')}`,
      )
      expect(found.text).toContain(`data/products/${variant?.product_id}`)
      const one = await visitor.get(`/stores/${tenant.id}/data/orders/${row?.id}`)
      expect([one.status, one.text.includes(row?.id ?? '-')]).toEqual([200, true])
      const others = made.tenants.filter(({ id }) => id !== tenant.id)
      for (const other of others)
        expect((await visitor.get(`/stores/${other.id}/data/orders/${row?.id}`)).status).toBe(404)
    }
  })
})

describe('a store that moves to another schema', () => {
  const move = (tenant: Tenant, schemaName: string) =>
    setStore(
      {
        database: platform.service.control,
        keys: { current: platform.encryptionKey, previous: null },
        random: randomBytes,
      },
      tenant.id,
      { schemaName },
    )

  test('[ERR-3] if the schema of a store does not exist, every list returns 502, and the event store.query_failed names the schema', async () => {
    await get('orders', common)
    await move(common, 'Nowhere')
    for (const list of LISTS)
      expect(await get(list, common), list).toMatchObject({ status: 502, json: { error: { code: 'STORE_DB_ERROR' } } })
    const causes = eventsOf(platform, 'store.query_failed').map(({ cause }) => String(cause))
    expect(causes.at(-1)).toContain('the schema "Nowhere" does not exist, or has no table of a store')
  })

  test('[ERR-3] if the reader role has no usage grant on the schema of its store, a list returns 502', async () => {
    await move(common, hostile.schema)
    const { status, text } = await get('orders', common)
    expect([status, text.includes('"data"')]).toEqual([502, false])
  })

  test('[GEN-2, RES-STORE] after a store moves to another schema, the next request returns the rows and counts of the new schema', async () => {
    const role = readerOf(common)
    await common.sql.unsafe(`create schema moved; grant usage on schema moved to ${role};
      do $$ declare t record; begin for t in select tablename as name from pg_tables where schemaname = 'Select' loop
        execute format('create table moved.%I (like %I including all); grant select on moved.%I to ${role}', t.name, t.name, t.name);
      end loop; end $$;
      insert into moved.store select * from store`)
    await move(common, 'moved')
    expect((await get('store', common)).json.data).toMatchObject({ id: common.id, counts: { orders: 0 } })
    expect((await get('orders', common)).json.data).toEqual([])
    await move(common, 'Select')
    expect((await get('store', common)).json.data.counts.orders).toBe(70)
    expect(await readAll('orders', common)).toHaveLength(70)
    await common.sql.unsafe('create schema "next"; alter table "Select".orders set schema "next"')
    const { status } = await get('orders', common)
    await common.sql.unsafe('alter table "next".orders set schema "Select"')
    expect(status).toBe(502)
    expect(await readAll('orders', common)).toHaveLength(70)
  })
})
