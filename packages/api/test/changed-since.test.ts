// Tests first pages of rows that changed since a timestamp. The service sorts the changed rows or reads the whole list,
// and both return the same rows.

import { parseDatetime, product } from '@store-export/contract'
import { StoreColumns } from '@store-export/engine'
import { type Connection, connect, parseConnectionUrl, queryRows, sql } from '@store-export/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { changedCountStatement, SORTED_ROWS_MAX } from '../../engine/src/query/changed-count.ts'
import type { Filter, PagePlan } from '../../engine/src/query/plan.ts'
import type { PresentColumns } from '../../engine/src/query/present-columns.ts'
import { statementOf } from '../../engine/src/query/sql.ts'
import { changedCountRequest } from '../../engine/src/stores/fill-page.ts'
import { idAt } from './support/rows.ts'

const ROWS = 50_500
const CHANGED = '2030-01-01T00:00:00Z'
const LIMIT = 20

let platform: TestPlatform
let store: TestStore
let connection: Connection

beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  connection = await connect(parseConnectionUrl(store.ownerUrl), { applicationName: 'test' })
  await connection.script(`insert into products (id, name, slug, price, created_at, updated_at)
    select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n, n, 1,
      timestamptz '2026-07-08Z' + n * interval '1 microsecond', timestamptz '${CHANGED}'
    from generate_series(0, ${ROWS - 1}) n`)
  await connection.script('alter table products set (autovacuum_enabled = off)')
  await connection.script('vacuum analyze products')
})
afterAll(async () => {
  await connection.close()
  await platform.close()
})

const ids = (from: number) => Array.from({ length: LIMIT }, (_, index) => idAt(from + index))

/** Makes the change of each product before index `row` old. The later products keep their recent change. */
async function changeFrom(row: number): Promise<void> {
  await connection.script(
    `update products set updated_at = timestamptz '2020-01-01Z' where name::int < ${row} and updated_at > '2029-01-01Z'`,
  )
}

async function page(cursor: string | null): Promise<{ ids: string[]; cursor: string }> {
  const query = `updated_since=${CHANGED}&limit=${LIMIT}${cursor === null ? '' : `&cursor=${cursor}`}`
  const { status, text, json } = await platform.get(`/api/v1/products?${query}`, store.key)
  expect(status, text).toBe(200)
  return { ids: json.data.map(({ id }: { id: string }) => id), cursor: json.meta.next_cursor }
}

const SINCE: Filter = {
  ...{ parameter: 'updated_since', field: 'updated_at' },
  ...{ operator: '>=', value: parseDatetime(CHANGED) ?? 0n },
}

const FIRST_PAGE: PagePlan = { kind: 'page', resource: product, limit: LIMIT, after: null, filters: [SINCE] }

async function columns(): Promise<PresentColumns> {
  const known = new StoreColumns({ refreshSeconds: 60, emit: () => undefined, now: () => 0 })
  return await known.of(
    { storeId: store.id, databaseUrl: store.ownerUrl, schemaName: 'public', encryptedPassword: null },
    connection,
  )
}

async function explained(text: string): Promise<string> {
  const statement = { text: `explain (analyze, timing off, costs off) ${text}`, values: [] }
  const lines = await queryRows<{ 'QUERY PLAN': string }>(connection, statement)
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}

test.each([
  { changed: SORTED_ROWS_MAX + 1, counted: SORTED_ROWS_MAX + 1 },
  { changed: SORTED_ROWS_MAX + 30_000, counted: SORTED_ROWS_MAX + 1 },
  { changed: SORTED_ROWS_MAX, counted: SORTED_ROWS_MAX },
])(
  '[Q-UPDATED, PAG-4] if $changed rows changed, the service counts $counted of them, and the first two pages return the 40 oldest changed rows',
  async (each) => {
    await connection.script(`update products set updated_at = timestamptz '${CHANGED}' where updated_at < '${CHANGED}'`)
    await changeFrom(ROWS - each.changed)
    await connection.script('vacuum analyze products')
    const { request, count } = changedCountRequest(FIRST_PAGE, await columns(), false)
    await connection.read([request])
    expect(count()).toBe(each.counted)
    const first = await page(null)
    const next = await page(first.cursor)
    expect([first.ids, next.ids]).toEqual([ids(ROWS - each.changed), ids(ROWS - each.changed + LIMIT)])
  },
)

test.each([
  {
    accessPath: 'sort',
    method: 'sorts the changed rows',
    way: /Sort Method: top-N/,
    other: /Scan using products_walk /,
  },
  {
    accessPath: 'skip',
    method: 'reads the list in its order',
    way: /Scan using products_walk /,
    other: /Scan using products_changed /,
  },
] as const)(
  '[Q-UPDATED] if table statistics are out of date, PostgreSQL still $method for the access path "$accessPath"',
  async (each) => {
    await changeFrom(ROWS)
    await connection.script('vacuum analyze products')
    await connection.script(
      `update products set updated_at = timestamptz '${CHANGED}' where name::int >= ${ROWS - 15_000}`,
    )
    const { text } = statementOf({ ...FIRST_PAGE, accessPath: each.accessPath }, await columns(), { prepares: false })
    const plan = await explained(text)
    expect(plan).toMatch(each.way)
    expect(plan).not.toMatch(each.other)
  },
)

/**
 * Returns the plan of the count on a connection that has counted before, and how often that connection used a generic
 * plan.
 */
async function countAgain(): Promise<{ plan: string; unplanned: bigint | undefined }> {
  const { text, values } = changedCountStatement(FIRST_PAGE, await columns(), true)
  await connection.script(`prepare counted as ${text}`)
  try {
    for (let n = 0; n < 5; n++) await connection.script(`execute counted('${values[0]}')`)
    const plan = await explained(`execute counted('${values[0]}')`)
    // PostgreSQL 14 added generic_plans.
    const [uses] = await queryRows<{ count: bigint | null }>(
      connection,
      sql`select (to_jsonb(p) -> 'generic_plans')::int8 as count from pg_prepared_statements p where name = 'counted'`,
    )
    return { plan, unplanned: uses?.count ?? undefined }
  } finally {
    await connection.script('deallocate counted')
  }
}

const BY_INDEX = /Scan using \w+_updated_at_created_at_id_idx on products/

test('[Q-UPDATED] if a connection has counted changed rows five times, the next count uses a generic plan with the updated_at index', async () => {
  await connection.script('create table copied (like products including all)')
  await connection.script('alter table products rename to aside; alter table copied rename to products')
  try {
    for (const rows of [200, ROWS]) {
      await connection.script(`truncate products; insert into products select * from aside limit ${rows}`)
      await connection.script('analyze products')
      const { plan, unplanned } = await countAgain()
      expect(plan).toMatch(BY_INDEX)
      expect(unplanned ?? 1n).toBe(1n)
    }
  } finally {
    await connection.script('drop table products; alter table aside rename to products')
  }
})

test('[Q-UPDATED] if a table was never analyzed, PostgreSQL counts changed rows with the updated_at index', async () => {
  await connection.script('create table analyzed (like products including all) with (autovacuum_enabled = off)')
  await connection.script('alter table products rename to aside; alter table analyzed rename to products')
  try {
    await connection.script(`insert into products select * from aside; update products set updated_at = '2020-01-01Z'`)
    expect((await countAgain()).plan).toMatch(BY_INDEX)
  } finally {
    await connection.script('drop table products; alter table aside rename to products')
  }
})
