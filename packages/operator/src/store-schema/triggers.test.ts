import { readFileSync } from 'node:fs'
import { LATEST_REVISION } from '@store-export/contract'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openClient, withConnection } from '../../../../test/support/client.ts'
import { createDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { migrateStore } from './migrate-store.ts'

const A = '00000000-0000-4000-8000-00000000000a'
const B = '00000000-0000-4000-8000-00000000000b'
const C = '00000000-0000-4000-8000-00000000000c'
const OLD = '2020-01-01T00:00:00.000Z'

let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await createDatabase()
  sql = openClient(database.url)
  await withConnection(database.url, (connection) => migrateStore(connection, LATEST_REVISION))
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})
/** Creates orders A, B, and C of 2020; A has two items, and B has one. */
beforeEach(async () => {
  await sql`truncate orders, products, customers, order_items, product_variants, customer_addresses, locations, customer_groups`
  await sql`insert into orders (id, email, created_at) select unnest(${[A, B, C]}::uuid[]), 'a@example.com', ${OLD}`
  await sql`insert into order_items (id, order_id, product_id, name, price)
    select gen_random_uuid(), o, gen_random_uuid(), 'n', 1 from unnest(${[A, A, B]}::uuid[]) o`
  await backdate('orders')
})

const backdate = (table: string) => sql`update ${sql(table)} set updated_at = ${OLD}`

/** IDs of the rows with a changed updated_at. */
async function changedIds(table: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from ${sql(table)} where updated_at is distinct from ${OLD} order by id`
  return rows.map(({ id }) => id)
}

describe('triggers for updated_at of a row', () => {
  test('if an order, customer, product, location, or customer group is updated, its updated_at changes', async () => {
    await sql`update orders set status = 'paid' where id = ${A}`
    expect(await changedIds('orders')).toEqual([A])
    await sql`insert into customers (id, email) values (${A}, 'a'), (${B}, 'b')`
    await sql`insert into products (id, name, slug, price) values (${A}, 'n', 's', 1)`
    await sql`insert into locations (id, name) values (${A}, 'n')`
    await sql`insert into customer_groups (id, name) values (${A}, 'n')`
    for (const [table, column] of [
      ['customers', 'email'],
      ['products', 'name'],
      ['locations', 'name'],
      ['customer_groups', 'name'],
    ] as const) {
      await backdate(table)
      await sql`update ${sql(table)} set ${sql(column)} = 'x' where id = ${A}`
      expect(await changedIds(table), table).toEqual([A])
    }
  })

  test('updated_at of a customer is null until the customer is changed', async () => {
    await sql`insert into customers (id, email) values (${A}, 'a')`
    expect(await sql`select updated_at from customers`).toEqual([{ updated_at: null }])
    await sql`update customers set name = 'x'`
    expect(await sql`select updated_at > now() - interval '1 minute' as fresh from customers`).toEqual([
      { fresh: true },
    ])
    await sql`update customers set updated_at = null`
    expect(await sql`select updated_at from customers`).toEqual([{ updated_at: null }])
  })

  test('if a statement sets updated_at explicitly, the row has the written value, even if the value is unchanged or infinity', async () => {
    await sql`update orders set updated_at = updated_at, status = 'paid' where id = ${A}`
    expect(await changedIds('orders')).toEqual([])
    await sql`update orders set updated_at = '2021-05-05T00:00:00Z', status = 'paid' where id = ${A}`
    await sql`update orders set updated_at = 'infinity' where id = ${B}`
    await sql`update orders set updated_at = '-infinity' where id = ${C}`
    const rows = await sql`select updated_at::text as at from orders order by id`
    expect(rows.map(({ at }) => at)).toEqual(['2021-05-05 00:00:00+00', 'infinity', '-infinity'])
  })

  test('if a transaction started before the last change of a row, an update in this transaction still increases updated_at', async () => {
    const other = openClient(database.url)
    await sql.begin(async (early) => {
      await early`select now()`
      await other`update orders set status = 'paid' where id = ${A}`
      const [first] = await other`select updated_at::text at from orders where id = ${A}`
      await early`update orders set status = 'shipped' where id = ${A}`
      const [second] =
        await early`select updated_at > ${first?.at}::text::timestamptz as later from orders where id = ${A}`
      expect(second?.later).toBe(true)
    })
    await other.end()
  })
})

describe('triggers for updated_at of parents', () => {
  test('[R29] if one statement inserts items of several orders, updated_at of these orders changes', async () => {
    await sql`insert into order_items (id, order_id, product_id, name, price)
      select gen_random_uuid(), o, gen_random_uuid(), 'n', 1 from unnest(${[B, C, C]}::uuid[]) o`
    expect(await changedIds('orders')).toEqual([B, C])
  })

  test('[R29] if an item is updated, updated_at of its order changes', async () => {
    await sql`update order_items set quantity = 2 where order_id = ${A}`
    expect(await changedIds('orders')).toEqual([A])
  })

  test('[R29] if an item moves to another order, updated_at of both orders changes', async () => {
    await sql`update order_items set order_id = ${C} where order_id = ${B}`
    expect(await changedIds('orders')).toEqual([B, C])
  })

  test('[R29] if an item is deleted, updated_at of its order changes', async () => {
    await sql`delete from order_items where order_id = ${A}`
    expect(await changedIds('orders')).toEqual([A])
  })

  test('[R29] if order items, variants, or addresses are truncated, updated_at of their orders, products, or customers changes', async () => {
    await sql`truncate order_items`
    expect(await changedIds('orders')).toEqual([A, B])
    await sql`insert into products (id, name, slug, price) values (${A}, 'n', 's', 1), (${B}, 'n', 't', 1)`
    await sql`insert into product_variants (id, product_id, sku, name) values (${A}, ${A}, 's', 'n')`
    await sql`insert into customers (id, email) values (${A}, 'a'), (${B}, 'b')`
    await sql`insert into customer_addresses (id, customer_id, first_name, last_name, line1, city, postal_code, country)
      values (${A}, ${B}, 'f', 'l', 's', 'c', 'p', 'DE')`
    await backdate('products')
    await backdate('customers')
    await sql`truncate product_variants, customer_addresses`
    expect([await changedIds('products'), await changedIds('customers')]).toEqual([[A], [B]])
  })

  test('[R29] if a store has the TRUNCATE trigger from docs/operate/connect-stores.md, truncating order items changes updated_at of their orders', async () => {
    const guide = readFileSync(new URL('../../../../docs/operate/connect-stores.md', import.meta.url), 'utf8')
    const [, trigger = ''] = /```sql\n([^`]*before truncate[^`]*)```/.exec(guide) ?? []
    await sql.begin(async (transaction) => {
      await transaction.unsafe('drop trigger order_items_truncated on order_items')
      await transaction.unsafe(trigger)
      await transaction`truncate order_items`
    })
    expect(await changedIds('orders')).toEqual([A, B])
  })

  test('[R29] truncating orders with cascade removes the orders and their items without an error of the updated_at triggers', async () => {
    await sql`truncate orders cascade`
    expect(await sql`select (select count(*) from orders) + (select count(*) from order_items) as left`).toEqual([
      { left: '0' },
    ])
  })

  test('[R29] if one statement sets updated_at of an order and changes one of its items, the order has the written updated_at', async () => {
    await sql`with o as (update orders set status = 'paid', updated_at = '2021-01-01Z' where id = ${A} returning id)
      insert into order_items (id, order_id, product_id, name, price) select gen_random_uuid(), id, id, 'n', 1 from o`
    await sql`with o as (update orders set updated_at = '2022-01-01Z' where id = ${B})
      update order_items set quantity = 3 where order_id = ${B}`
    const rows = await sql`select updated_at::text as at from orders where id in (${A}, ${B}) order by id`
    expect(rows.map(({ at }) => at)).toEqual(['2021-01-01 00:00:00+00', '2022-01-01 00:00:00+00'])
  })

  test('[R29] if a statement sets updated_at of an order and a later statement changes its item, updated_at becomes the current time', async () => {
    await sql.begin(async (transaction) => {
      await transaction`update orders set updated_at = '2021-01-01Z' where id = ${A}`
      await transaction`update order_items set quantity = 3 where order_id = ${A}`
    })
    const [row] = await sql`select updated_at > now() - interval '1 minute' as fresh from orders where id = ${A}`
    expect(row?.fresh).toBe(true)
  })

  test('[R29] if orders are deleted, their items are deleted, and the updated_at triggers change no other order', async () => {
    await sql`delete from orders where id in (${A}, ${B})`
    expect(await sql`select count(*)::int as left from order_items`).toEqual([{ left: 0 }])
    expect(await changedIds('orders')).toEqual([])
  })

  test('[R29] if a variant is added, or an address is added or removed, updated_at of its product or customer changes', async () => {
    await sql`insert into products (id, name, slug, price) values (${A}, 'n', 's', 1)`
    await sql`insert into customers (id, email) values (${A}, 'a'), (${B}, 'b')`
    await backdate('products')
    await backdate('customers')
    await sql`insert into product_variants (id, product_id, sku, name) values (${A}, ${A}, 's', 'n')`
    await sql`insert into customer_addresses (id, customer_id, first_name, last_name, line1, city, postal_code, country)
      values (${A}, ${A}, 'f', 'l', 's', 'c', 'p', 'DE')`
    expect([await changedIds('products'), await changedIds('customers')]).toEqual([[A], [A]])
    await backdate('customers')
    await sql`update customer_addresses set deleted_at = now()`
    expect(await changedIds('customers')).toEqual([A])
  })
})
