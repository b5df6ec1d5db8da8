import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Spreadsheet } from '../../../connectors/test/apps-script.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/filled-store.ts'
import { type ProxyError, startBusyProxy } from './support/busy-proxy.ts'
import { changeStore, connected, expectEqual, FEW_ROWS, HOUR_MS, SMALL } from './support/sheets.ts'

const SIZE = { orders: 620, customers: 60, products: 30, locations: 2, groups: 2 }
/**
 * The tests stop the script at every third of its calls. With 1, they stop it at every call, which takes three times as
 * long.
 */
const STOPPED_EVERY = 3
const GOOGLE_LIMIT_MS = 6 * 60_000

let platform: TestPlatform
let store: TestStore

beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, undefined, SIZE)
})
afterAll(() => platform.close())

let firstExport: Spreadsheet['state'] | undefined

/** Returns a spreadsheet after its first export, which tests share. */
async function exported(): Promise<Spreadsheet> {
  const spreadsheet = await connected(platform.service.url, store)
  if (firstExport === undefined) {
    const results = await spreadsheet.export('exportNow')
    expect(results.map(({ error }) => error)).toEqual([null])
    firstExport = spreadsheet.state
  }
  spreadsheet.state = structuredClone(firstExport)
  return spreadsheet
}

describe('the recipe for Google Sheets', () => {
  test('[SYNC-1] the first export to Google Sheets writes all rows of all tables with the same values as the store', async () => {
    const spreadsheet = await exported()
    await expectEqual(platform.service.url, spreadsheet, store)
    expect(spreadsheet.message()).toMatch(/^Up to date\./)
    const [order] = spreadsheet.rows('orders')
    expect(typeof order?.total).toBe('number')
    expect(typeof order?.created_at).toBe('number')
    const { rows, formats, maxColumns } = spreadsheet.sheet('orders')
    expect(rows[0]).toHaveLength(maxColumns)
    const created = rows[0]?.indexOf('created_at') ?? -1
    expect(rows.slice(1).every((_, place) => formats[place + 1]?.[created] === 'yyyy-mm-dd hh:mm:ss')).toBe(true)
  })

  test('[SYNC-2] after the store changes, the next Google Sheets export requests only changed orders, and the tabs equal the store again', async () => {
    const spreadsheet = await exported()
    await changeStore(store)
    const proxy = await startBusyProxy(platform.service.url, new Map())
    spreadsheet.state.userProperties.url = proxy.url
    const [result] = await spreadsheet.export('exportOnSchedule')
    await proxy.close()
    expect(result?.error).toBeNull()
    await expectEqual(platform.service.url, spreadsheet, store)
    const orders = proxy.seen.filter(({ path }) => path === '/api/v1/orders')
    expect(orders.map(({ query }) => query.has('updated_since'))).toEqual([true])
    expect(proxy.seen.map(({ path }) => path)).toContain('/api/v1/ids/orders')
    expect(spreadsheet.rows('orders').filter(({ email }) => email === '=1+1')).toHaveLength(3)
    expect(spreadsheet.rows('customers').map(({ name }) => name)).toContain('00123')
    expect(spreadsheet.rows('products').map(({ price }) => price)).toContain('1234567890123456.78')
  })

  test('[SYNC-3] wherever Google stops the export script, the next run of the script completes the export', async () => {
    const small = await filledStore(platform, undefined, SMALL)
    const spreadsheet = await connected(platform.service.url, small, FEW_ROWS)
    for (const change of [async () => undefined, changeStore]) {
      const before = spreadsheet.state
      await change(small)
      const { callsAfterChange } = await spreadsheet.run('exportNow')
      // Between these calls, Google stores nothing. A stop at a call between them has the same result.
      for (const stopAtCall of [1, ...callsAfterChange].filter((_, place) => place % STOPPED_EVERY === 0)) {
        spreadsheet.state = before
        const [stopped, ...later] = await spreadsheet.export('exportNow', { stopAtCall })
        expect(stopped?.isStopped).toBe(true)
        // Before the first trigger of the script exists, only the schedule or the user runs the script again.
        if (later.length === 0) later.push(await spreadsheet.run('exportOnSchedule'))
        expect(later.map(({ error }) => error)).toEqual([null])
        await expectEqual(platform.service.url, spreadsheet, small)
        expect(spreadsheet.state.triggers).toEqual([])
      }
    }
  }, 60_000)

  test('[SYNC-3] if Google stops an export, an Apps Script trigger already exists that continues the export ten minutes later', async () => {
    const spreadsheet = await connected(platform.service.url, store)
    const { isStopped } = await spreadsheet.run('exportNow', { stopAtCall: 150 })
    expect(isStopped).toBe(true)
    const at = expect.closeTo(spreadsheet.state.nowMs + 10 * 60_000, -5)
    expect(spreadsheet.state.triggers).toMatchObject([{ handler: 'continueExport', kind: 'once', at }])
  })

  test('[SYNC-3] wherever Google stops a continued export, even while the script replaces its Apps Script trigger, the spreadsheet still has a trigger', async () => {
    const spreadsheet = await connected(platform.service.url, store)
    await spreadsheet.run('exportNow', { slowness: 60 })
    const before = spreadsheet.state
    const { callsAfterChange } = await spreadsheet.run('continueExport', { slowness: 60 })
    for (const stopAtCall of callsAfterChange) {
      spreadsheet.state = before
      expect((await spreadsheet.run('continueExport', { slowness: 60, stopAtCall })).isStopped).toBe(true)
      expect(spreadsheet.state.triggers).not.toEqual([])
    }
  })

  test("[SYNC-3] an export of more than 6 minutes pauses before Google's time limit, and Apps Script triggers continue the export until it is complete", async () => {
    const spreadsheet = await connected(platform.service.url, store)
    const results = await spreadsheet.export('exportNow', { slowness: 60 })
    expect(results.length).toBeGreaterThan(2)
    for (const { isStopped, durationMs, error } of results) {
      expect([isStopped, error]).toEqual([false, null])
      expect(durationMs).toBeLessThan(GOOGLE_LIMIT_MS)
    }
    await expectEqual(platform.service.url, spreadsheet, store)
    expect(spreadsheet.state.triggers).toEqual([])
  })

  test('[ERR-2, R41] if an error response has Retry-After, the Google Sheets export waits that long, or pauses if the wait would exceed its time limit', async () => {
    const busy: [number, ProxyError][] = [
      [2, { status: 429, code: 'RATE_LIMITED', headers: { 'Retry-After': '17' } }],
      [4, { status: 409, code: 'STORE_UPDATING', headers: { 'Retry-After': '30' } }],
      [5, { status: 502, code: 'STORE_DB_ERROR' }],
    ]
    const proxy = await startBusyProxy(platform.service.url, new Map(busy))
    const spreadsheet = await connected(proxy.url, store)
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

  test('[SYNC-3] if the API rejects the key with 401, the Google Sheets export changes no table and says to enter another key', async () => {
    const spreadsheet = await exported()
    const { sheets } = structuredClone(spreadsheet.state)
    spreadsheet.state.userProperties.key = 'sdx_wrong'
    const { error } = await spreadsheet.run('exportOnSchedule')
    expect(error).toMatch(/status 401: .*Choose Store export > Connect, and enter another key\.$/)
    expect(spreadsheet.message()).toBe(`Stopped: ${error}`)
    expect(spreadsheet.state.sheets.slice(1)).toEqual(sheets.slice(1))
    expect(spreadsheet.state.triggers).toEqual([])
  })

  test("the Google Sheets script stores the API key only in the user's own properties, not in the tabs or document properties", async () => {
    const spreadsheet = await exported()
    const { sheets, documentProperties, userProperties } = spreadsheet.state
    expect(JSON.stringify([sheets, documentProperties])).not.toContain(store.key)
    expect(userProperties.key).toBe(store.key)
  })

  test('while a Google Sheets export is active, a scheduled export ends without changes, and an export from the menu shows an error', async () => {
    const spreadsheet = await connected(platform.service.url, store)
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

  test('if two columns were removed from a Google Sheets tab, the scheduled export restores the columns and their values', async () => {
    const spreadsheet = await exported()
    const sheet = spreadsheet.sheet('orders')
    for (const row of sheet.rows) row?.splice(4, 2)
    sheet.maxColumns -= 2
    const [result] = await spreadsheet.export('exportOnSchedule')
    expect(result?.error).toBeNull()
    await expectEqual(platform.service.url, spreadsheet, store)
  })

  test('if a table has new fields, the Google Sheets export reads the whole table again instead of only changed rows', async () => {
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

  test('if the store does not track customer updates, the scheduled Google Sheets export after 24 hours includes changed customers and removes deleted ones', async () => {
    const old = await filledStore(platform, 'launch')
    const spreadsheet = await Spreadsheet.connect(platform.service.url, old.key)
    await spreadsheet.export('exportNow')
    await old.sql`update customers set name = 'Changed' where id = (select id from customers limit 1)`
    await old.sql`delete from customers where id in (select id from customers order by id desc limit 2)`
    await spreadsheet.export('exportOnSchedule')
    expect(spreadsheet.rows('customers')).toHaveLength(58)
    spreadsheet.waitMs(24 * HOUR_MS)
    await spreadsheet.export('exportOnSchedule')
    await expectEqual(platform.service.url, spreadsheet, old)
  })

  test("if a user's own tab has the name of a table, the Google Sheets export preserves this tab and says to rename or delete it", async () => {
    const spreadsheet = await connected(platform.service.url, store)
    const own = { id: 99, name: 'orders', rows: [['mine']], maxRows: 10, maxColumns: 5, formats: [] }
    spreadsheet.state.sheets.push(own)
    const { error } = await spreadsheet.run('exportNow')
    expect(error).toBe(
      'The table orders is incomplete: The tab orders is not from this export. Rename or delete it, and export again.',
    )
    expect(spreadsheet.sheet('orders')).toEqual(own)
    expect(spreadsheet.rows('products')).toHaveLength(SIZE.products)
    await store.sql`update products set name = 'Later' where id = (select id from products limit 1)`
    await spreadsheet.run('exportOnSchedule')
    expect(spreadsheet.rows('products').map(({ name }) => name)).toContain('Later')
  })

  test("if a store's rows don't fit into the 10 million cells of a spreadsheet, the Google Sheets export stops and names this limit", async () => {
    const spreadsheet = await connected(platform.service.url, store)
    const own = { id: 99, name: 'mine', rows: [], maxRows: 9_880_000, maxColumns: 1, formats: [] }
    spreadsheet.state.sheets.push(own)
    const { error } = await spreadsheet.run('exportNow')
    expect(error).toMatch(/: The rows of \w+ do not fit, because Google Sheets has at most 10 million cells\. Choose/)
    expect(spreadsheet.message()).toBe(`Stopped: ${error}`)
    await spreadsheet.run('chooseTables', { isInteractive: true, replies: ['customers, products'] })
    spreadsheet.state.sheets = spreadsheet.state.sheets.filter(({ name }) => ['mine', 'Store export'].includes(name))
    const [result] = await spreadsheet.export('exportNow')
    expect(result?.error).toBeNull()
  })

  test('if a value has more than 50,000 characters, its Google Sheets cell ends with a note that the value is cut', async () => {
    const long = await filledStore(platform)
    await long.sql`update products set description = repeat('x', 60000) where id = (select id from products limit 1)`
    const spreadsheet = await Spreadsheet.connect(platform.service.url, long.key)
    const { error } = await spreadsheet.run('exportNow')
    expect(error).toBeNull()
    const texts = spreadsheet.rows('products').map(({ description }) => String(description))
    expect(texts.filter((text) => text.endsWith('(cut: a cell has at most 50,000 characters)'))).toHaveLength(1)
  })

  test('if a metafield has a long number, its Google Sheets cell has all digits', async () => {
    const small = await filledStore(platform, undefined, SMALL)
    const values = { id: '12345678901234567890', rate: '0.12345678901234567891', text: '"\\"1234567890123456, \\\\"' }
    const json = `[{"id": ${values.id}, "rate": ${values.rate}, "text": ${values.text}, "list": [-9007199254740993, 5]}]`
    await small.sql`update products set metafields = ${json}::text::jsonb`
    const spreadsheet = await connected(platform.service.url, small)
    await spreadsheet.export('exportNow')
    const [product] = spreadsheet.rows('products')
    for (const value of [...Object.values(values), '[-9007199254740993,5]'])
      expect(product?.metafields).toContain(value)
    await expectEqual(platform.service.url, spreadsheet, small)
  })

  test('if the service ignores a parameter that the Google Sheets script sends, the export stops with an error that names the parameter', async () => {
    const spreadsheet = await connected(platform.service.url, store, ['{ limit: PAGE_ROWS', '{ limits: PAGE_ROWS'])
    const { error } = await spreadsheet.run('exportNow')
    expect(error).toMatch(/^The service ignored the parameter limits, so its rows can be wrong\. Replace this script/)
    expect(spreadsheet.rows('customer_groups')).toEqual([])
  })

  test('if a proxy adds a parameter that the service ignores, the Google Sheets export still writes all rows', async () => {
    const added = "request(url + (url.includes('?') ? '&' : '?') + 'utm=1', run.key)"
    const spreadsheet = await connected(platform.service.url, store, ['request(url, run.key)', added])
    const { error } = await spreadsheet.run('exportNow')
    expect(error).toBeNull()
    await expectEqual(platform.service.url, spreadsheet, store)
  })

  test('starting the schedule of Google Sheets exports twice creates one hourly trigger, and stopping the schedule removes the trigger', async () => {
    const spreadsheet = await connected(platform.service.url, store)
    for (const handler of ['onOpen', 'startSchedule', 'startSchedule'])
      expect((await spreadsheet.run(handler, { isInteractive: true })).error).toBeNull()
    expect(spreadsheet.state.triggers.map(({ handler, kind }) => [handler, kind])).toEqual([
      ['exportOnSchedule', 'hourly'],
    ])
    await spreadsheet.run('stopSchedule', { isInteractive: true })
    expect(spreadsheet.state.triggers).toEqual([])
  })
})
