import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Spreadsheet } from '../../../connectors/test/apps-script.ts'
import { compareRows } from '../../../connectors/test/compare.ts'
import { rowsOfTabs, withoutEmptyText } from '../../../connectors/test/google-sheets.ts'
import { readStore } from '../../../connectors/test/read-store.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/filled-store.ts'
import { recipesFor } from '../src/recipes/recipes.ts'
import { type ProxyError, startBusyProxy } from './support/busy-proxy.ts'

const SIZE = { orders: 620, customers: 60, products: 30, locations: 2, groups: 2 }
const HOUR_MS = 3_600_000
const GOOGLE_LIMIT_MS = 6 * 60_000
const NO_DIFFERENCES = { missing: 0, stale: 0, extra: 0, examples: [] }

let platform: TestPlatform
let store: TestStore

beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, undefined, SIZE)
})
afterAll(() => platform.close())

/** Returns a spreadsheet with the dashboard's script, which knows the URL. */
function connected(url = platform.service.url, { key } = store): Promise<Spreadsheet> {
  const code = recipesFor(url).find(({ id }) => id === 'google-sheets')?.code ?? ''
  return Spreadsheet.connect(url, key, code)
}

let firstExport: Spreadsheet['state'] | undefined

/** Returns a spreadsheet after its first export, which tests share. */
async function exported(): Promise<Spreadsheet> {
  const spreadsheet = await connected()
  if (firstExport === undefined) {
    const results = await spreadsheet.export('exportNow')
    expect(results.map(({ error }) => error)).toEqual([null])
    firstExport = spreadsheet.state
  }
  spreadsheet.state = structuredClone(firstExport)
  return spreadsheet
}

async function expectEqual(spreadsheet: Spreadsheet, { key } = store): Promise<void> {
  const rows = withoutEmptyText(await readStore(platform.service.url, key))
  expect(compareRows(rows, rowsOfTabs(spreadsheet))).toMatchObject(NO_DIFFERENCES)
}

/** Changes, moves, adds, and deletes rows of all kinds. */
async function changeStore({ sql } = store): Promise<void> {
  await sql`
    update orders set status = 'refunded', email = '=1+1' where id in (select id from orders order by id limit 3)`
  await sql`delete from orders where id in (select id from orders order by id desc limit 4)`
  await sql`delete from order_items where id in (select id from order_items order by id limit 5)`
  await sql`
    update order_items set order_id = (select id from orders order by id offset 9 limit 1)
    where id = (select id from order_items order by id desc limit 1)`
  await sql`
    insert into customers (id, email, name) values (gen_random_uuid(), gen_random_uuid() || '@example.com', '00123')`
  await sql`delete from categories where id = (select id from categories order by id desc limit 1)`
  await sql`
    update products set price = 1234567890123456.78, name = '-2' where id = (select id from products order by id limit 1)`
}

describe('the script for Google Sheets', () => {
  test('[SYNC-1] the first export writes all rows of all tables, and the tabs have the values of the store', async () => {
    const spreadsheet = await exported()
    await expectEqual(spreadsheet)
    expect(spreadsheet.message()).toMatch(/^Up to date\./)
    const [order] = spreadsheet.rows('orders')
    expect(typeof order?.total).toBe('number')
    expect(typeof order?.created_at).toBe('number')
    const { rows, formats, maxColumns } = spreadsheet.sheet('orders')
    expect(rows[0]).toHaveLength(maxColumns)
    const created = rows[0]?.indexOf('created_at') ?? -1
    expect(rows.slice(1).every((_, place) => formats[place + 1]?.[created] === 'yyyy-mm-dd hh:mm:ss')).toBe(true)
  })

  test('[SYNC-2] the next export requests changes and IDs, and the tabs have the values of the store', async () => {
    const spreadsheet = await exported()
    await changeStore()
    const proxy = await startBusyProxy(platform.service.url, new Map())
    spreadsheet.state.userProperties.url = proxy.url
    const [result] = await spreadsheet.export('exportOnSchedule')
    await proxy.close()
    expect(result?.error).toBeNull()
    await expectEqual(spreadsheet)
    const orders = proxy.seen.filter(({ path }) => path === '/api/v1/orders')
    expect(orders.map(({ query }) => query.has('updated_since'))).toEqual([true])
    expect(proxy.seen.map(({ path }) => path)).toContain('/api/v1/ids/orders')
    expect(spreadsheet.rows('orders').filter(({ email }) => email === '=1+1')).toHaveLength(3)
    expect(spreadsheet.rows('customers').map(({ name }) => name)).toContain('00123')
    expect(spreadsheet.rows('products').map(({ price }) => price)).toContain('1234567890123456.78')
  })

  test('[SYNC-3] if Google stops an export at any call, the next execution completes it', async () => {
    const small = await filledStore(platform)
    const spreadsheet = await connected(undefined, small)
    for (const change of [async () => undefined, changeStore]) {
      const before = spreadsheet.state
      await change(small)
      const { calls } = await spreadsheet.run('exportNow')
      for (let call = 1; call <= calls; call += Math.ceil(calls / 5)) {
        spreadsheet.state = before
        const [stopped, ...later] = await spreadsheet.export('exportNow', { stopAtCall: call })
        expect(stopped?.isStopped).toBe(true)
        // Before its first trigger exists, only the schedule or the user runs it again.
        if (later.length === 0) later.push(await spreadsheet.run('exportOnSchedule'))
        expect(later.map(({ error }) => error)).toEqual([null])
        await expectEqual(spreadsheet, small)
        expect(spreadsheet.state.triggers).toEqual([])
      }
    }
  }, 60_000)

  test('[SYNC-3] while an export is active, a trigger exists that continues it if Google stops it', async () => {
    const spreadsheet = await connected()
    const { isStopped } = await spreadsheet.run('exportNow', { stopAtCall: 150 })
    expect(isStopped).toBe(true)
    const at = expect.closeTo(spreadsheet.state.nowMs + 10 * 60_000, -5)
    expect(spreadsheet.state.triggers).toMatchObject([{ handler: 'continueExport', kind: 'once', at }])
  })

  test('[SYNC-3] if an export needs more than 6 minutes, it pauses, and a trigger continues it', async () => {
    const spreadsheet = await connected()
    const results = await spreadsheet.export('exportNow', { slowness: 60 })
    expect(results.length).toBeGreaterThan(2)
    for (const { isStopped, durationMs, error } of results) {
      expect([isStopped, error]).toEqual([false, null])
      expect(durationMs).toBeLessThan(GOOGLE_LIMIT_MS)
    }
    await expectEqual(spreadsheet)
    expect(spreadsheet.state.triggers).toEqual([])
  })

  test('[RATE-2] waits as long as Retry-After says, and pauses if the wait is longer than the time that is left', async () => {
    const busy: [number, ProxyError][] = [
      [2, { status: 429, code: 'RATE_LIMITED', headers: { 'Retry-After': '17' } }],
      [4, { status: 409, code: 'STORE_UPDATING', headers: { 'Retry-After': '30' } }],
      [5, { status: 502, code: 'STORE_DB_ERROR' }],
    ]
    const proxy = await startBusyProxy(platform.service.url, new Map(busy))
    const spreadsheet = await connected(proxy.url)
    const [result] = await spreadsheet.export('exportNow')
    expect(result).toMatchObject({ error: null, sleptMs: [17_000, 30_000, 2000] })
    await proxy.close()
    const refused = await spreadsheet.run('exportOnSchedule')
    expect(refused.sleptMs).toEqual([1000, 2000, 4000, 8000, 16_000])
    expect(refused.error).toContain('The service is not available (Address unavailable')
    const slow = await startBusyProxy(
      platform.service.url,
      new Map([[1, { status: 429, code: 'RATE_LIMITED', headers: { 'Retry-After': '290' } }]]),
    )
    spreadsheet.state.userProperties.url = slow.url
    const paused = await spreadsheet.run('exportOnSchedule')
    await slow.close()
    expect(paused).toMatchObject({ error: null, sleptMs: [] })
    const [trigger] = spreadsheet.state.triggers
    expect(trigger).toMatchObject({
      handler: 'continueExport',
      at: expect.closeTo(spreadsheet.state.nowMs + 290_000, -4),
    })
  })

  test('[SYNC-3] if the key is revoked, the tabs stay as they are, and the message says what to do', async () => {
    const spreadsheet = await exported()
    const { sheets } = structuredClone(spreadsheet.state)
    spreadsheet.state.userProperties.key = 'sdx_wrong'
    const { error } = await spreadsheet.run('exportOnSchedule')
    expect(error).toMatch(/status 401: .*Choose Store export > Connect, and enter another key\.$/)
    expect(spreadsheet.message()).toBe(`Stopped: ${error}`)
    expect(spreadsheet.state.sheets.slice(1)).toEqual(sheets.slice(1))
    expect(spreadsheet.state.triggers).toEqual([])
  })

  test('the key is in no cell and in no property that other editors can read', async () => {
    const spreadsheet = await exported()
    const { sheets, documentProperties, userProperties } = spreadsheet.state
    expect(JSON.stringify([sheets, documentProperties])).not.toContain(store.key)
    expect(userProperties.key).toBe(store.key)
  })

  test('if another export is active, a scheduled export changes nothing, and the menu shows a message', async () => {
    const spreadsheet = await connected()
    const before = structuredClone(spreadsheet.state)
    const scheduled = await spreadsheet.run('exportOnSchedule', { isLocked: true })
    expect([scheduled.error, scheduled.calls]).toEqual([null, 2])
    for (const handler of ['exportNow', 'exportEverything']) {
      const { error } = await spreadsheet.run(handler, { isLocked: true, isInteractive: true })
      expect(error).toBe('An export is active in this spreadsheet. Try again in 6 minutes.')
    }
    const { sheets, documentProperties } = spreadsheet.state
    expect({ sheets, documentProperties }).toMatchObject({
      sheets: before.sheets,
      documentProperties: before.documentProperties,
    })
  })

  test('if a person deletes, copies, or empties rows of a tab, the next export repairs the tab', async () => {
    const spreadsheet = await exported()
    const { rows } = spreadsheet.sheet('orders')
    rows.splice(5, 3)
    rows[9] = [...(rows[8] ?? [])]
    spreadsheet.sheet('order_items').rows[3] = []
    spreadsheet.waitMs(HOUR_MS)
    const [result] = await spreadsheet.export('exportOnSchedule')
    expect(result?.error).toBeNull()
    await expectEqual(spreadsheet)
  })

  test('if a person deletes a tab, the next export creates it again', async () => {
    const spreadsheet = await exported()
    spreadsheet.state.sheets = spreadsheet.state.sheets.filter(({ name }) => name !== 'order_items')
    const [result] = await spreadsheet.export('exportOnSchedule')
    expect(result?.error).toBeNull()
    await expectEqual(spreadsheet)
  })

  test('if the columns of a table changed, the export adapts the tab and reads the table again', async () => {
    const spreadsheet = await exported()
    const sheet = spreadsheet.sheet('orders')
    for (const row of sheet.rows) row?.splice(4, 2)
    sheet.maxColumns -= 2
    const state = JSON.parse(spreadsheet.state.documentProperties['table.orders'] ?? '')
    state.sheets.orders.width -= 2
    spreadsheet.state.documentProperties['table.orders'] = JSON.stringify(state)
    const [result] = await spreadsheet.export('exportOnSchedule')
    expect(result?.error).toBeNull()
    await expectEqual(spreadsheet)
  })

  test('if the store got new fields, the export reads the list without updated_since', async () => {
    const spreadsheet = await exported()
    const state = JSON.parse(spreadsheet.state.documentProperties['table.products'] ?? '')
    spreadsheet.state.documentProperties['table.products'] = JSON.stringify({ ...state, fields: 'older' })
    const proxy = await startBusyProxy(platform.service.url, new Map())
    spreadsheet.state.userProperties.url = proxy.url
    await spreadsheet.export('exportOnSchedule')
    await proxy.close()
    const products = proxy.seen.filter(({ path }) => path === '/api/v1/products')
    expect(products.map(({ query }) => query.has('updated_since'))).toEqual([true, false])
  })

  test('if the store does not track updates of customers, an export of the next day finds them', async () => {
    const old = await filledStore(platform, 'launch')
    const spreadsheet = await Spreadsheet.connect(platform.service.url, old.key)
    await spreadsheet.export('exportNow')
    await old.sql`update customers set name = 'Changed' where id = (select id from customers limit 1)`
    await old.sql`delete from customers where id in (select id from customers order by id desc limit 2)`
    await spreadsheet.export('exportOnSchedule')
    expect(spreadsheet.rows('customers')).toHaveLength(58)
    spreadsheet.waitMs(24 * HOUR_MS)
    await spreadsheet.export('exportOnSchedule')
    await expectEqual(spreadsheet, old)
  })

  test('a tab of the user with the name of a table stays as it is, and the message says what to do', async () => {
    const spreadsheet = await connected()
    const own = { id: 99, name: 'orders', rows: [['mine']], maxRows: 10, maxColumns: 5, formats: [] }
    spreadsheet.state.sheets.push(own)
    const { error } = await spreadsheet.run('exportNow')
    expect(error).toBe('The tab orders is not from this export. Rename or delete it, and export again.')
    expect(spreadsheet.sheet('orders')).toEqual(own)
    expect(spreadsheet.rows('products')).toHaveLength(SIZE.products)
    await store.sql`update products set name = 'Later' where id = (select id from products limit 1)`
    await spreadsheet.run('exportOnSchedule')
    expect(spreadsheet.rows('products').map(({ name }) => name)).toContain('Later')
  })

  test('if the rows exceed the size of a spreadsheet, the message says what to do', async () => {
    const spreadsheet = await connected()
    const own = { id: 99, name: 'mine', rows: [], maxRows: 9_880_000, maxColumns: 1, formats: [] }
    spreadsheet.state.sheets.push(own)
    const { error } = await spreadsheet.run('exportNow')
    expect(error).toMatch(/^The rows of \w+ do not fit, because Google Sheets has at most 10 million cells\. Choose/)
    expect(spreadsheet.message()).toBe(`Stopped: ${error}`)
    await spreadsheet.run('chooseTables', { isInteractive: true, replies: ['customers, products'] })
    spreadsheet.state.sheets = spreadsheet.state.sheets.filter(({ name }) => ['mine', 'Store export'].includes(name))
    const [result] = await spreadsheet.export('exportNow')
    expect(result?.error).toBeNull()
  })

  test('a text of more than 50,000 characters is cut, and the cell says so', async () => {
    const long = await filledStore(platform)
    await long.sql`update products set description = repeat('x', 60000) where id = (select id from products limit 1)`
    const spreadsheet = await Spreadsheet.connect(platform.service.url, long.key)
    const { error } = await spreadsheet.run('exportNow')
    expect(error).toBeNull()
    const texts = spreadsheet.rows('products').map(({ description }) => String(description))
    expect(texts.filter((text) => text.endsWith('(cut: a cell has at most 50,000 characters)'))).toHaveLength(1)
  })

  test('if the spreadsheet is connected to another store, the next export replaces the rows', async () => {
    const spreadsheet = await exported()
    const other = await filledStore(platform)
    spreadsheet.state.userProperties.key = other.key
    const { error } = await spreadsheet.run('exportOnSchedule')
    expect(error).toBe('This spreadsheet has the rows of another store. Choose Store export > Connect.')
    await spreadsheet.run('connect', { isInteractive: true, replies: [other.key] })
    await spreadsheet.export('exportNow')
    await expectEqual(spreadsheet, other)
  })

  test('if another person connects the spreadsheet to another store, the first person must connect again', async () => {
    const spreadsheet = await exported()
    const first = spreadsheet.state.userProperties
    const other = await platform.provision()
    spreadsheet.state.userProperties = {}
    await spreadsheet.run('connect', { isInteractive: true, replies: [other.key] })
    spreadsheet.state.userProperties = first
    const { error } = await spreadsheet.run('exportOnSchedule')
    expect(error).toMatch(/Another person has connected this spreadsheet to another store/)
  })

  test('the menu has the functions of the script, and the schedule has one trigger', async () => {
    const spreadsheet = await connected()
    for (const handler of ['onOpen', 'startSchedule', 'startSchedule'])
      expect((await spreadsheet.run(handler, { isInteractive: true })).error).toBeNull()
    expect(spreadsheet.state.triggers.map(({ handler, kind }) => [handler, kind])).toEqual([
      ['exportOnSchedule', 'hourly'],
    ])
    await spreadsheet.run('stopSchedule', { isInteractive: true })
    expect(spreadsheet.state.triggers).toEqual([])
  })
})
