import { LATEST_REVISION, REVISIONS } from '@store-export/contract'
import type { Connection } from '@store-export/postgres'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectOnce, openClient } from '../../../../test/support/client.ts'
import { createDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { migrateStore } from '../store-schema/migrate-store.ts'
import { storeTables } from '../store-schema/store-tables.ts'
import { DEMO_STORES } from './demo-stores.ts'
import { type GenerateOptions, generateStore } from './generate-store.ts'
import { loadStore } from './load-store.ts'

const { id, name, shop } = DEMO_STORES[0]
const size = { orders: 120, customers: 30, products: 24, locations: 3, groups: 4 }

let database: TestDatabase
let sql: Sql
let connection: Connection

beforeAll(async () => {
  database = await createDatabase()
  sql = openClient(database.url)
  connection = await connectOnce(database.url)
})
beforeEach(() => sql.unsafe('drop schema public cascade; create schema public'))
afterAll(async () => {
  await Promise.all([sql.end(), connection.close()])
  await database.drop()
})

describe('loading a demo store', () => {
  test.each(REVISIONS.map((revision) => revision.id))(
    '[VER-2] if a demo store has the schema version %s, all of its generated rows are loaded, and all triggers are enabled again',
    async (revision) => {
      const options: GenerateOptions = { seed: 'test', storeId: id, name, revision, shop, size }
      await migrateStore(connection, revision)
      await loadStore(connection, revision, generateStore(options))
      const loaded = new Map<string, number>()
      for (const { table, rows } of generateStore(options)) loaded.set(table, (loaded.get(table) ?? 0) + rows.length)
      for (const { table } of storeTables(revision)) {
        const [row] = await sql`select count(*)::int as rows from ${sql(table)}`
        expect(row?.rows, table).toBe(loaded.get(table))
      }
      const [triggers] =
        await sql`select count(*)::int as disabled from pg_trigger where not tgisinternal and tgenabled = 'D'`
      expect(triggers?.disabled).toBe(0)
    },
  )

  test('if generated values have line breaks, quotes, or microseconds, the loaded row has the same values', async () => {
    await migrateStore(connection, LATEST_REVISION)
    const row = {
      id,
      name: 'a\tb\\N\n"c"',
      slug: '',
      description: '\\.',
      price: '9007199254740993.01',
      images: ['x"y\\', 'é,{}', ''],
      videos: [],
      status: 'active',
      has_variants: false,
      metafields: '[{"key":"\\n"}]',
      created_at: '2024-11-01T00:00:00.000007Z',
      updated_at: '2024-11-01T00:00:00.000007Z',
    }
    await loadStore(connection, LATEST_REVISION, [{ table: 'products', rows: [row] }])
    const [read] =
      await sql`select name, slug, description, price, images, metafields, created_at = '2024-11-01 00:00:00.000007Z' as exact from products`
    expect(read).toEqual({
      name: row.name,
      slug: '',
      description: '\\.',
      price: row.price,
      images: row.images,
      metafields: [{ key: '\n' }],
      exact: true,
    })
  })

  test('if a generated row has an invalid ID, loading throws the error 22P02, and no row of the table is stored', async () => {
    await migrateStore(connection, 'launch')
    const batches = [
      { table: 'categories', rows: [{ id, name: 'n', slug: 's', order: 1, created_at: 'now' }, { id: 'no uuid' }] },
    ]
    await expect(loadStore(connection, 'launch', batches)).rejects.toMatchObject({ code: '22P02' })
    expect(await sql`select 1 from categories`).toHaveLength(0)
  })
})
