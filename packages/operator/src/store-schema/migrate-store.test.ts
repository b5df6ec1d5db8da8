import {
  category,
  columnsOf,
  customer,
  customerAddress,
  customerGroup,
  LATEST_REVISION,
  location,
  order,
  orderItem,
  product,
  REVISIONS,
  type Resource,
  type RevisionId,
  store,
  variant,
} from '@store-export/contract'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openClient, withConnection } from '../../../../test/support/client.ts'
import { createDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { inUpgradeTransaction, migrateStore, migrationStatements } from './migrate-store.ts'
import { storeTables } from './store-tables.ts'

let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await createDatabase()
  sql = openClient(database.url)
})
beforeEach(() => sql.unsafe('drop schema public cascade; create schema public'))
afterAll(async () => {
  await sql.end()
  await database.drop()
})

interface Column {
  readonly table: string
  readonly name: string
  readonly nullable: boolean
}

async function columns(): Promise<Column[]> {
  return sql<Column[]>`
    select table_name as table, column_name as name, is_nullable = 'YES' as nullable
    from information_schema.columns where table_schema = 'public' and table_name <> 'store_schema_revisions'`
}

const migrate = (to: RevisionId) => withConnection(database.url, (connection) => migrateStore(connection, to))

const names = (list: readonly { table: string; name: string }[]) =>
  list.map(({ table, name }) => `${table}.${name}`).sort()

describe('migrations of a store', () => {
  test('[VER-2] if a store is migrated to any schema version, its columns are those of the contract plus customers.password_hash', async () => {
    for (const { id } of REVISIONS) {
      expect(await migrate(id)).toEqual([id])
      const declared = storeTables(id).flatMap(({ table, columns }) => columns.map((name) => ({ table, name })))
      expect(names(await columns())).toEqual(names([...declared, { table: 'customers', name: 'password_hash' }]))
    }
  })

  test('in a migrated store, a column is nullable if and only if its field can be null in the contract', async () => {
    await migrate(LATEST_REVISION)
    const found = new Map((await columns()).map(({ table, name, nullable }) => [`${table}.${name}`, nullable]))
    const resources: Resource[] = [
      store,
      order,
      orderItem,
      customer,
      customerAddress,
      customerGroup,
      location,
      product,
      variant,
      category,
    ]
    for (const resource of resources) {
      for (const name of columnsOf(resource)) {
        const nullable = resource.fields[name]?.nullable ?? true
        expect(found.get(`${resource.table}.${name}`), `${resource.table}.${name}`).toBe(nullable)
      }
    }
  })

  test('if two migrations of a store run at once, each schema version is applied once, and a later run applies none', async () => {
    const applied = await Promise.all([migrate('v1.2'), migrate('v1.2')])
    expect(applied.flat().sort()).toEqual(['launch', 'v1.1', 'v1.2'])
    expect(await migrate('v1.2')).toEqual([])
  })

  test('[R28] if only the first half of a migration is applied, the store has only the columns of that half', async () => {
    await migrate('launch')
    const [first, second] = migrationStatements('v1.1')
    await sql.unsafe(`${first}; ${second}`)
    const found = names(await columns())
    expect(found).toContain('customers.phone')
    expect(found).not.toContain('orders.currency')
  })

  test('if a migration of a store fails, it adds no column, and the store keeps its schema version', async () => {
    await migrate('launch')
    await sql`create table public.customer_groups (id int)`
    await expect(migrate('v1.1')).rejects.toThrow('customer_groups')
    expect(names(await columns())).not.toContain('customers.phone')
    expect(await sql`select revision from public.store_schema_revisions`).toEqual([{ revision: 'launch' }])
  })

  test('if an upgrade causes a deadlock with another transaction, the upgrade rolls back and tries again after it', async () => {
    await sql`create table first ()`
    await sql`create table second ()`
    const other = openClient(database.url)
    const upgrade = () =>
      withConnection(database.url, (connection) =>
        inUpgradeTransaction(connection, async () => {
          await connection.script('alter table first add column later text')
          await connection.script('alter table second add column later text')
        }),
      )
    const upgraded = await other.begin(async (transaction) => {
      await transaction`lock table second`
      const upgrading = upgrade()
      await vi.waitFor(async () => {
        const waiting = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        expect(waiting).toHaveLength(1)
      })
      // The server cancels the upgrade, because it has waited longer.
      await transaction`lock table first`
      return { upgrading }
    })
    await upgraded.upgrading
    await other.end()
    expect((await columns()).map(({ table, name }) => `${table}.${name}`)).toEqual(['first.later', 'second.later'])
  })

  test('in a migrated store, each table that the API lists, and no other table, has an index on created_at and id', async () => {
    await migrate(LATEST_REVISION)
    const rows = await sql<{ table: string; definition: string }[]>`
      select tablename as table, indexdef as definition from pg_indexes where schemaname = 'public'`
    const walked = new Set(
      rows.filter(({ definition }) => /\(created_at, id\b/.test(definition)).map(({ table }) => table),
    )
    const pages = storeTables(LATEST_REVISION).map(({ table }) => table)
    const embedded = ['store', 'order_items', 'product_variants']
    expect([...walked].sort()).toEqual(pages.filter((table) => !embedded.includes(table)).sort())
  })

  test('in a migrated store, rows without optional columns can be inserted, and a location gets default opening hours for seven days', async () => {
    await migrate(LATEST_REVISION)
    const id = '00000000-0000-4000-8000-000000000001'
    await sql`insert into orders (id, email) values (${id}, 'a@example.com')`
    await sql`insert into order_items (id, order_id, product_id, name, price) values (${id}, ${id}, ${id}, 'n', 1)`
    await sql`insert into customers (id, email) values (${id}, 'a@example.com')`
    await sql`insert into products (id, name, slug, price) values (${id}, 'n', 's', 1)`
    await sql`insert into product_variants (id, product_id, sku, name) values (${id}, ${id}, 's', 'n')`
    await sql`insert into categories (id, name, slug) values (${id}, 'n', 's')`
    await sql`insert into customer_groups (id, name) values (${id}, 'n')`
    await sql`insert into locations (id, name) values (${id}, 'n')`
    await sql`insert into customer_addresses (id, customer_id, first_name, last_name, line1, city, postal_code, country)
      values (${id}, ${id}, 'f', 'l', 's', 'c', 'p', 'DE')`
    const [hours] = await sql`select jsonb_array_length(opening_hours) days from locations`
    expect(hours?.days).toBe(7)
  })
})
