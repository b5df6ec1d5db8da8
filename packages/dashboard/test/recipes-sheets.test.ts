import path from 'node:path'
import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/filled-store.ts'
import { recipesFor } from '../src/recipes/recipes.ts'
import { type BusyProxy, isInstalled, type ProxyError, runToEnd, startBusyProxy } from './support/busy-proxy.ts'
import type { SheetOutcome, SheetRun } from './support/recipes-sheet-child.ts'

const SIZE = { orders: 620, customers: 60, products: 30, locations: 2, groups: 2 }
const HEADER = ['id', 'created_at', 'updated_at', 'status', 'email', 'items', 'total', 'currency']
const BUSY: ReadonlyMap<number, ProxyError> = new Map([
  [1, { status: 429, code: 'RATE_LIMITED', headers: { 'Retry-After': '1' } }],
])

let platform: TestPlatform
let store: TestStore
let proxy: BusyProxy

beforeAll(async () => {
  platform = await startPlatform()
})
beforeEach(async () => {
  store = await filledStore(platform, LATEST_REVISION, SIZE)
  proxy = await startBusyProxy(platform.service.url, BUSY)
  return () => proxy.close()
})
afterAll(() => platform.close())

async function run(url: string, before: Partial<Omit<SheetRun, 'code'>> = {}): Promise<SheetOutcome> {
  const code = recipesFor(url).find(({ id }) => id === 'google-sheets')?.code ?? ''
  const given: SheetRun = { code, cells: null, properties: { STORE_EXPORT_KEY: store.key }, ...before }
  const child = path.join(import.meta.dirname, 'support', 'recipes-sheet-child.ts')
  const { stdout, stderr } = await runToEnd([process.execPath, child], { input: JSON.stringify(given) })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

describe.skipIf(!isInstalled('curl'))('the recipe for Google Sheets', () => {
  test('[SYNC-1] the sheet recipe writes all orders to a new sheet and waits for the seconds in Retry-After', async () => {
    const startedAt = Date.now()
    const { error, cells, properties, sleptMs } = await run(proxy.url)
    expect(error).toBeNull()
    expect(proxy.seen.map(({ status }) => status)).toEqual([200, 429, 200, 200])
    expect(sleptMs).toEqual([1000])
    expect(cells?.[0]).toEqual(HEADER)
    const rows = await store.sql`select id from orders order by created_at, id`
    expect(cells?.slice(1).map(([id]) => id)).toEqual(rows.map(({ id }) => id))
    expect(cells?.slice(1).every((each) => typeof each[6] === 'number')).toBe(true)
    const since = Date.parse(properties.ORDERS_SINCE ?? '')
    expect(since).toBeGreaterThanOrEqual(startedAt - 1000)
    expect(since).toBeLessThanOrEqual(Date.now())
  })

  test('[SYNC-2] in its next run, the sheet recipe requests changes and updates their rows', async () => {
    const { cells, properties } = await run(platform.service.url)
    const [first = []] = cells?.slice(1) ?? []
    await store.sql`update orders set status = 'refunded', email = '=1+1', updated_at = clock_timestamp() where id = ${String(first[0])}`
    const later = await run(proxy.url, { cells, properties })
    expect(later.error).toBeNull()
    expect(proxy.seen.map(({ query }) => query.get('updated_since'))).toEqual([properties.ORDERS_SINCE])
    expect(later.cells).toHaveLength(cells?.length ?? 0)
    expect(later.cells?.[1]?.slice(3, 5)).toEqual(['refunded', '=1+1'])
    expect(later.cells?.slice(2)).toEqual(cells?.slice(2))
    const again = await run(platform.service.url, { cells: later.cells, properties: later.properties })
    expect(again.cells).toEqual(later.cells)
  })

  test('[SYNC-3] after a run has stopped, the sheet recipe continues with the next page', async () => {
    const broken = await startBusyProxy(platform.service.url, new Map([[1, { status: 401, code: 'INVALID_API_KEY' }]]))
    const first = await run(broken.url)
    await broken.close()
    expect(first.error).toContain('INVALID_API_KEY')
    expect(first.cells).toHaveLength(251)
    const refused = await run(broken.url, { cells: first.cells, properties: first.properties })
    expect(refused.error).toContain('Address unavailable')
    expect(refused.sleptMs).toEqual([1000, 2000, 4000, 8000, 16_000])
    const rest = await run(proxy.url, { cells: first.cells, properties: first.properties })
    expect(rest.error).toBeNull()
    expect(proxy.seen[0]?.query.has('cursor')).toBe(true)
    const rows = await store.sql`select id from orders order by created_at, id`
    expect(rest.cells?.slice(1).map(([id]) => id)).toEqual(rows.map(({ id }) => id))
    expect(rest.properties.ORDERS_CURSOR).toBe('')
  }, 60_000)

  test('[SYNC-3] if a run fails, the sheet recipe changes neither the sheet nor its progress', async () => {
    const properties = { STORE_EXPORT_KEY: 'sdx_wrong', ORDERS_SINCE: '2026-07-01T00:00:00.000Z' }
    const outcome = await run(platform.service.url, { properties })
    expect(outcome).toMatchObject({ cells: null, properties, error: expect.stringContaining('INVALID_API_KEY') })
  })
})
