// Reads lists of IDs while rows are written. A small page size makes several pages of a few thousand rows.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import {
  arbitraryChange,
  arbitraryRow,
  CUSTOMERS,
  compareModelRows,
  History,
  type ModelRow,
  ORDERS,
} from './support/history.ts'
import { idAt } from './support/rows.ts'

/**
 * A row of a list of IDs needs 86 bytes, or 64 without a timestamp. A full page of rows of the first kind has more than
 * 64 KiB, and of the second kind less.
 */
const PAGE_ROWS_MIN = 700
const PAGE_ROWS_MAX = 1100
const LISTS = [ORDERS, CUSTOMERS]

let platform: TestPlatform
let store: TestStore
/** A store whose schema allows rows without created_at. */
let loose: TestStore
beforeAll(async () => {
  platform = await startPlatform({ PAGE_BYTES_MAX: '65536' })
  ;[store, loose] = await Promise.all([platform.provision(), platform.provision()])
  for (const { table } of LISTS) await loose.sql.unsafe(`alter table ${table} alter column created_at drop not null`)
})
afterAll(() => platform.close())

interface Page {
  readonly text: string
  readonly ids: string[]
  readonly cursor: string | null
}

async function page(of: TestStore, name: string, cursor: string | null): Promise<Page> {
  const query = cursor === null ? '' : `?cursor=${cursor}`
  const { status, text, json } = await platform.get(`/api/v1/ids/${name}${query}`, of.key)
  expect(status, text).toBe(200)
  expect(json.meta.has_more).toBe(json.meta.next_cursor !== null)
  return { text, ids: json.data.map(({ id }: { id: string }) => id), cursor: json.meta.next_cursor }
}

/** Returns the rows after `last`, in the order of the list. */
function rowsAfter(last: ModelRow | null, rows: readonly ModelRow[]): ModelRow[] {
  return rows.filter((each) => last === null || compareModelRows(each, last) > 0).sort(compareModelRows)
}

describe.each([
  ['as specified', false],
  ['that allows a missing or infinite created_at', true],
] as const)('ID lists in a schema %s', (_name, nullable) => {
  test.each(LISTS.map((list) => [list.path, list] as const))(
    '[PAG-1, PAG-2, PAG-4, R15, R16, R17, R31] if rows change between pages of ids/%s, each page continues after the last ID of the previous page',
    async (name, list) => {
      const of = nullable ? loose : store
      const history = new History(of, list)
      const row = arbitraryRow(list, nullable)
      const changes = fc.array(fc.array(arbitraryChange(list, row), { maxLength: 6 }), { minLength: 1, maxLength: 5 })
      const property = fc.asyncProperty(
        fc.array(row, { minLength: 1600, maxLength: 2600, size: 'max' }),
        changes,
        async (rows, rounds) => {
          await history.reset(rows)
          // Rows with the same ID become one row, so the rest may fit into a page.
          const isLong = history.rows.length > PAGE_ROWS_MAX
          const seen: string[] = []
          let last: ModelRow | null = null
          let pages = 0
          for (let cursor: string | null = null; pages === 0 || cursor !== null; pages += 1) {
            for (const change of pages === 0 ? [] : (rounds[pages - 1] ?? []))
              await history.apply(change, last?.id ?? null)
            const found: Page = await page(of, name, cursor)
            const left = rowsAfter(last, history.rows)
            expect(found.ids).toEqual(left.slice(0, found.ids.length).map(({ id }) => id))
            if (found.cursor === null) expect(found.ids.length).toBe(left.length)
            else expect(found.ids.length).toBeGreaterThan(PAGE_ROWS_MIN)
            // The same cursor returns the same page.
            expect((await page(of, name, cursor)).ids).toEqual(found.ids)
            seen.push(...found.ids)
            cursor = found.cursor
            last = left[found.ids.length - 1] ?? last
          }
          if (isLong) expect(pages).toBeGreaterThan(1)
          expect(new Set(seen).size).toBe(seen.length)
        },
      )
      await fc.assert(property, { numRuns: 5, endOnFailure: true })
      await history.reset([])
    },
  )
})

test('[PAG-4, R31] while rows are written, the pages of an ID list return each unchanged row once and repeat no ID', async () => {
  const count = 3000
  const stable = Array.from({ length: count }, (_, index) => idAt(index * 2))
  await store.sql.unsafe(`insert into customers (id, email, created_at)
    select id::uuid, id, timestamptz '2026-07-08Z' + (n / 5) * interval '1 microsecond'
    from unnest('{${stable.join(',')}}'::text[]) with ordinality u(id, n)`)
  let isWalking = true
  let writes = 0
  const write = async (writer: number) => {
    const sql = openClient(store.ownerUrl)
    const own = (n: number) => `gen_random_uuid(), '${writer} ${n}', timestamptz '2026-07-08Z'`
    for (let n = 0; isWalking; n += 1) {
      const at = (n * 7919) % count
      await sql.unsafe(`insert into customers (id, email, created_at) values (${own(n)} + ${at % 600} * interval '1 microsecond');
        update customers set name = '${n}', updated_at = now() where id = '${stable[at]}';
        delete from customers where email = '${writer} ${n - 20}'`)
      writes += 1
    }
    await sql.end()
  }
  const walkAll = async () => {
    for (let walks = 0; walks < 8 || writes < 200; walks += 1) {
      const seen: string[] = []
      for (let cursor: string | null = null, pages = 0; pages === 0 || cursor !== null; pages += 1) {
        const found: Page = await page(store, 'customers', cursor)
        seen.push(...found.ids)
        cursor = found.cursor
      }
      const there = new Set(seen)
      expect(there.size).toBe(seen.length)
      const stays = new Set(stable)
      expect(seen.filter((id) => stays.has(id))).toEqual(stable)
    }
  }
  const writers = [write(0), write(1), write(2)]
  await walkAll().finally(() => {
    isWalking = false
  })
  await Promise.all(writers)
})
