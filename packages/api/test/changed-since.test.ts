// First pages of what was changed since an instant: whether the changed rows are sorted or the list is walked, and that the
// client sees no difference.

import { parseInstant, product } from '@store-export/contract'
import { StoreColumns } from '@store-export/engine'
import { type Connection, connect, parseConnectionUrl, queryRows } from '@store-export/postgres'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { changedCountStatement } from '../../engine/src/query/changed-count.ts'
import type { PresentColumns } from '../../engine/src/query/columns-present.ts'
import type { Filter, PagePlan, WayToChanged } from '../../engine/src/query/plan.ts'
import { statementOf } from '../../engine/src/query/sql.ts'
import { ChangedRows } from '../../engine/src/stores/changed-rows.ts'
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

/** Rows from this one on are changed; the others long ago. */
async function changeFrom(row: number): Promise<void> {
  await connection.script(
    `update products set updated_at = timestamptz '2020-01-01Z' where name::int < ${row} and updated_at > '2029-01-01Z'`,
  )
}

/** Has the server believe that the list has so many rows: to make a million takes longer than all other tests of a file. */
async function pretendRows(count: number): Promise<void> {
  const url = new URL(inject('postgresUrl'))
  url.pathname = new URL(store.ownerUrl).pathname
  const admin = openClient(url.href)
  await admin.unsafe(`update pg_class set reltuples = ${count} where oid = 'public.products'::regclass`)
  await admin.end()
}

async function page(cursor: string | null): Promise<{ ids: string[]; cursor: string }> {
  const query = `updated_since=${CHANGED}&limit=${LIMIT}${cursor === null ? '' : `&cursor=${cursor}`}`
  const { status, text, json } = await platform.get(`/api/v1/products?${query}`, store.key)
  expect(status, text).toBe(200)
  return { ids: json.data.map(({ id }: { id: string }) => id), cursor: json.meta.next_cursor }
}

const SINCE: Filter = {
  ...{ parameter: 'updated_since', field: 'updated_at' },
  ...{ operator: '>=', value: parseInstant(CHANGED) ?? 0n },
}

const DRAFTS: Filter = { parameter: 'status', field: 'status', operator: '=', value: 'draft' }

const firstPage = (...others: readonly Filter[]): PagePlan => ({
  ...{ kind: 'page', resource: product, limit: LIMIT, after: null },
  filters: [SINCE, ...others],
})

async function columns(): Promise<PresentColumns> {
  const known = new StoreColumns({ refreshSeconds: 60, observe: () => undefined, now: () => 0 })
  return await known.of({ storeId: store.id, databaseUrl: store.ownerUrl, sealedPassword: null }, connection)
}

/** What the service decides before it reads a page, the first time and when it has counted the list before. */
async function way(plan: PagePlan): Promise<WayToChanged | 'none' | null> {
  const counting = { connection, present: await columns(), signal: undefined }
  const changed = new ChangedRows()
  const ways = [await changed.wayTo('a list', plan, counting), await changed.wayTo('a list', plan, counting)]
  expect(ways[1]).toBe(ways[0])
  return ways[0] ?? null
}

async function explained(text: string): Promise<string> {
  const statement = { text: `explain (analyze, timing off, costs off) ${text}`, values: [] }
  const lines = await queryRows<{ 'QUERY PLAN': string }>(connection, statement)
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}

describe.each([
  { what: 'a list', rows: ROWS, most: 10_000, sorted: 'indexed' },
  { what: 'a list of more than a million rows', rows: 2_000_000, most: 50_000, sorted: 'sorted' },
])('the first page of $what', ({ rows, most, sorted }) => {
  test.each([
    { changed: most + 1, way: 'walked' },
    { changed: most, way: sorted },
  ])('[Q-UPDATED, PAG-4] has $changed changed rows $way, and the next page goes on behind it', async (each) => {
    await connection.script(`update products set updated_at = timestamptz '${CHANGED}' where updated_at < '${CHANGED}'`)
    await changeFrom(ROWS - each.changed)
    await connection.script('vacuum analyze products')
    await pretendRows(rows)
    const first = await page(null)
    const next = await page(first.cursor)
    expect([first.ids, next.ids]).toEqual([ids(ROWS - each.changed), ids(ROWS - each.changed + LIMIT)])
    expect(await way(firstPage())).toBe(each.way)
  })
})

test('of a large list no more are sorted than of any where the index of changes does not answer alone, nor behind a cursor', async () => {
  await changeFrom(ROWS - 20_000)
  await pretendRows(2_000_000)
  expect(await way(firstPage())).toBe('sorted')
  const after = { createdAt: parseInstant('2026-01-01T00:00:00Z') ?? 0n, id: idAt(0) }
  expect(await way({ ...firstPage(), after })).toBe('walked')
  const created = { parameter: 'created_since', field: 'created_at', operator: '>=', value: 0n } as const
  expect(await way(firstPage(created))).toBe('walked')
  expect(await way(firstPage(DRAFTS))).toBe('walked')
  await changeFrom(ROWS - 2000)
  expect([await way(firstPage()), await way(firstPage(DRAFTS))]).toEqual(['indexed', 'indexed'])
})

test.each([
  { changed: 'indexed', way: /Sort Method: top-N/, other: /Scan using products_walk / },
  { changed: 'sorted', way: /Sort Method: top-N/, other: /Scan using products_walk / },
  { changed: 'walked', way: /Scan using products_walk /, other: /Scan using products_changed / },
] as const)('changed rows that are to be $changed are, though the server has not noticed the change', async (each) => {
  await changeFrom(ROWS)
  await connection.script('vacuum analyze products')
  await connection.script(
    `update products set updated_at = timestamptz '${CHANGED}' where name::int >= ${ROWS - 15_000}`,
  )
  const { text } = statementOf({ ...firstPage(), changed: each.changed }, await columns(), { prepares: false })
  const plan = await explained(text)
  expect(plan).toMatch(each.way)
  expect(plan).not.toMatch(each.other)
})

test('few changed rows are found by their index in a table that the server never analyzed', async () => {
  await connection.script('create table analyzed (like products including all) with (autovacuum_enabled = off)')
  await connection.script('alter table products rename to aside; alter table analyzed rename to products')
  try {
    await connection.script(`insert into products select * from aside; update products set updated_at = '2020-01-01Z'`)
    const present = await columns()
    // as few to a list of this size as the bound is to one of millions: for a fifth of its rows the server would read it whole
    const count = changedCountStatement(firstPage(), present, 1000)
    const { text } = statementOf({ ...firstPage(), changed: 'indexed' }, present, { prepares: false })
    for (const statement of [count.text, text]) {
      expect(await explained(statement)).toMatch(/Scan using \w+_updated_at_created_at_id_idx on products/)
      expect(await explained(statement)).not.toMatch(/Seq Scan on products/)
    }
  } finally {
    await connection.script('drop table products; alter table aside rename to products')
  }
})
