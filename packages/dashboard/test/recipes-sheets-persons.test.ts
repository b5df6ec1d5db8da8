import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Spreadsheet } from '../../../connectors/test/apps-script.ts'
import type { SheetState } from '../../../connectors/test/google-services.ts'
import { readStore } from '../../../connectors/test/read-store.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/filled-store.ts'
import { connected, expectEqual, FEW_ROWS, HOUR_MS, ONE_ROW, SMALL } from './support/sheets.ts'

/** Pauses an export several times. */
const SLOW = { slowness: 60 }
/** The tests stop the script at every seventh of its calls. With 1, they stop it at every call. */
const STOPPED_EVERY = 7
const STATUS_TAB = 'Store export'

let platform: TestPlatform
let url: string
let store: TestStore
let other: TestStore

beforeAll(async () => {
  platform = await startPlatform()
  url = platform.service.url
  store = await filledStore(platform, undefined, SMALL)
  other = await filledStore(platform, undefined, SMALL, 'other')
})
afterAll(() => platform.close())

async function exported(): Promise<Spreadsheet> {
  const spreadsheet = await connected(url, store, FEW_ROWS)
  const [result] = await spreadsheet.export('exportNow')
  expect(result?.error).toBeNull()
  return spreadsheet
}

/** Expects that an hourly export repairs the tabs. */
async function expectRepaired(spreadsheet: Spreadsheet): Promise<void> {
  spreadsheet.waitMs(HOUR_MS)
  const results = await spreadsheet.export('exportOnSchedule')
  expect(results.map(({ error }) => error)).toEqual([null])
  await expectEqual(url, spreadsheet, store)
}

function deleteColumn(sheet: SheetState, name: string): void {
  const place = sheet.rows[0]?.indexOf(name) ?? -1
  for (const row of [...sheet.rows, ...sheet.formats]) row?.splice(place, 1)
  sheet.maxColumns--
}

function insertColumn(sheet: SheetState, place: number): void {
  for (const row of [...sheet.rows, ...sheet.formats]) row?.splice(place, 0, '')
  sheet.maxColumns++
}

function deleteRow(sheet: SheetState, place: number): void {
  sheet.rows.splice(place, 1)
  sheet.formats.splice(place, 1)
  sheet.maxRows--
}

function copyOf(sheet: SheetState, place: number): SheetState['rows'][number] {
  return [...(sheet.rows[place] ?? [])]
}

describe('Google Sheets tabs that a person changes', () => {
  test.each(['id', 'customer_id', 'synced_at'])(
    'if a person deletes the column %s of a Google Sheets tab, the next export restores the column',
    async (name) => {
      const spreadsheet = await exported()
      deleteColumn(spreadsheet.sheet('orders'), name)
      if (name !== 'customer_id') deleteColumn(spreadsheet.sheet('order_items'), name)
      await store.sql`update products set name = name || '!'`
      await expectRepaired(spreadsheet)
      const { rows, formats, maxColumns } = spreadsheet.sheet('orders')
      expect(rows[0]).toHaveLength(maxColumns)
      const dates = rows[0]?.flatMap((title, place) => (formats[1]?.[place]?.includes('yyyy') ? [title] : []))
      expect(dates).toEqual(['created_at', 'updated_at'])
    },
  )

  test('if a person inserts columns into an exported Google Sheets tab, the next export removes the columns', async () => {
    const spreadsheet = await exported()
    insertColumn(spreadsheet.sheet('products'), 0)
    insertColumn(spreadsheet.sheet('orders'), 3)
    await expectRepaired(spreadsheet)
    expect(spreadsheet.sheet('orders').rows[0]).toHaveLength(spreadsheet.sheet('orders').maxColumns)
  })

  test('if a person deletes the header or all rows of a Google Sheets tab, the next export restores the tab', async () => {
    const spreadsheet = await exported()
    deleteRow(spreadsheet.sheet('orders'), 0)
    Object.assign(spreadsheet.sheet('products'), { maxRows: 1, rows: [['other header']], formats: [] })
    await expectRepaired(spreadsheet)
  })

  test('if a person deletes rows of a Google Sheets tab twice within a day, the next export restores the rows each time', async () => {
    const spreadsheet = await exported()
    for (const name of [
      'orders',
      'order_items',
      'products',
      'product_variants',
      'customer_addresses',
      'orders',
      'order_items',
    ]) {
      deleteRow(spreadsheet.sheet(name), 2)
      await expectRepaired(spreadsheet)
    }
    const { rows } = spreadsheet.sheet('order_items')
    rows.splice(2, rows.length)
    await expectRepaired(spreadsheet)
  })

  test("if a person copies, changes, empties, or adds rows in an exported tab, the next export restores the store's rows", async () => {
    const spreadsheet = await exported()
    for (const name of ['orders', 'order_items', 'categories']) {
      const sheet = spreadsheet.sheet(name)
      sheet.rows.push(copyOf(sheet, 1))
      await expectRepaired(spreadsheet)
      const changed = copyOf(spreadsheet.sheet(name), 2)
      changed[1] = 'changed'
      spreadsheet.sheet(name).rows.splice(1, 0, changed)
      spreadsheet.sheet(name).maxRows++
      await expectRepaired(spreadsheet)
      spreadsheet.sheet(name).rows[1] = copyOf(spreadsheet.sheet(name), 2)
      await expectRepaired(spreadsheet)
      spreadsheet.sheet(name).rows[2] = []
      spreadsheet.sheet(name).rows.push(['Total', '', 5])
      await expectRepaired(spreadsheet)
    }
  })

  test('if a person deletes exported rows while an export to Google Sheets is paused, the continued export restores them', async () => {
    const spreadsheet = await connected(url, store, ONE_ROW)
    let deleted = 0
    await spreadsheet.run('exportNow', SLOW)
    for (let run = 0; spreadsheet.state.triggers.length > 0; run++) {
      expect(run).toBeLessThan(100)
      const items = spreadsheet.state.sheets.find(({ name }) => name === 'order_items')
      if (deleted < 3 && (items?.rows.length ?? 0) > 6) {
        deleteRow(spreadsheet.sheet('order_items'), 2)
        deleted++
      }
      expect((await spreadsheet.run('continueExport', SLOW)).error).toBeNull()
    }
    expect(deleted).toBe(3)
    await expectEqual(url, spreadsheet, store)
  })

  test('if a person deletes a Google Sheets tab, the next export creates the tab again with all rows', async () => {
    const spreadsheet = await exported()
    spreadsheet.state.sheets = spreadsheet.state.sheets.filter(({ name }) => name !== 'order_items')
    await expectRepaired(spreadsheet)
  })

  test('if a person protects a tab, the Google Sheets export updates the other tables and says which table is incomplete', async () => {
    const spreadsheet = await exported()
    spreadsheet.sheet('orders').isProtected = true
    await store.sql`update orders set email = 'new@example.com'`
    await store.sql`update products set name = 'Later'`
    const [result] = await spreadsheet.export('exportOnSchedule')
    expect(result?.error).toMatch(/^The table orders is incomplete: You are trying to edit a protected cell/)
    expect(spreadsheet.message()).toBe(`Stopped: ${result?.error}`)
    expect(new Set(spreadsheet.rows('products').map(({ name }) => name))).toEqual(new Set(['Later']))
    spreadsheet.sheet('orders').isProtected = false
    await expectRepaired(spreadsheet)
  })

  test("if a person removes rows and columns of the export's status tab, the next Google Sheets export still writes the status there", async () => {
    const spreadsheet = await exported()
    Object.assign(spreadsheet.sheet(STATUS_TAB), { maxColumns: 3, maxRows: 2, rows: [] })
    await expectRepaired(spreadsheet)
    expect(spreadsheet.message()).toMatch(/^Up to date/)
  })

  test("if a person protects the export's status tab, the next Google Sheets export still updates all tables", async () => {
    const spreadsheet = await exported()
    spreadsheet.sheet(STATUS_TAB).isProtected = true
    await store.sql`update products set name = 'Latest'`
    await expectRepaired(spreadsheet)
  })
})

describe('Google Sheets exports by several persons or with several keys', () => {
  /** Returns a spreadsheet whose first export is paused in the list of orders. */
  async function paused(): Promise<Spreadsheet> {
    const spreadsheet = await connected(url, store, ONE_ROW)
    let results = 0
    do {
      const { error } = await spreadsheet.run(results++ === 0 ? 'exportNow' : 'continueExport', SLOW)
      expect(error).toBeNull()
    } while (spreadsheet.state.sheets.every(({ name, rows }) => name !== 'orders' || rows.length < 2))
    expect(spreadsheet.state.triggers).toHaveLength(1)
    expect(spreadsheet.rows('orders').length).toBeLessThan(SMALL.orders)
    return spreadsheet
  }

  /** Returns the stores whose rows are in each tab. */
  async function storesOfTabs(spreadsheet: Spreadsheet): Promise<Set<string>[]> {
    const owners = new Map<unknown, string>()
    for (const { id, key } of [store, other])
      for (const rows of (await readStore(url, key)).values()) for (const row of rows.keys()) owners.set(row, id)
    const tabs = spreadsheet.state.sheets.filter(({ name }) => name !== STATUS_TAB)
    return tabs.map(({ rows }) => new Set(rows.slice(1).flatMap((row) => owners.get(row?.[0]) ?? [])))
  }

  /** Runs the continuations. Expects after each that no tab has the rows of two stores. */
  async function continued(spreadsheet: Spreadsheet, handler = 'continueExport'): Promise<void> {
    let next = handler
    do {
      const { error } = await spreadsheet.run(next, SLOW)
      expect(error).toBeNull()
      for (const stores of await storesOfTabs(spreadsheet)) expect(stores.size).toBeLessThan(2)
      next = 'continueExport'
    } while (spreadsheet.state.triggers.length > 0)
  }

  test("if a second person connects a spreadsheet to another store, the first person's paused export stops with an error and changes nothing", async () => {
    const spreadsheet = await paused()
    spreadsheet.use('second')
    await spreadsheet.run('connect', { isInteractive: true, replies: [other.key] })
    await spreadsheet.run('exportNow', SLOW)
    spreadsheet.use('first')
    const before = structuredClone(spreadsheet.state)
    const { error } = await spreadsheet.run('continueExport', SLOW)
    expect(error).toMatch(/^This spreadsheet is connected to another store than your key\. .* Connect\.$/)
    expect(spreadsheet.state.documentProperties).toEqual(before.documentProperties)
    expect(spreadsheet.state.sheets.slice(1)).toEqual(before.sheets.slice(1))
    expect(spreadsheet.state.triggers).toEqual([])
    spreadsheet.use('second')
    await continued(spreadsheet)
    await expectEqual(url, spreadsheet, other)
    spreadsheet.use('first')
    await spreadsheet.run('connect', { isInteractive: true, replies: [store.key] })
    await continued(spreadsheet, 'exportNow')
    await expectEqual(url, spreadsheet, store)
  })

  test("if a spreadsheet is connected to another store and Google stops the next export, no tab mixes the stores' rows, and a further export completes", async () => {
    const spreadsheet = await exported()
    await spreadsheet.run('connect', { isInteractive: true, replies: [other.key] })
    const before = spreadsheet.state
    const { callsAfterChange } = await spreadsheet.run('exportNow')
    for (const stopAtCall of callsAfterChange.filter((_, place) => place % STOPPED_EVERY === 0)) {
      spreadsheet.state = before
      expect((await spreadsheet.run('exportNow', { stopAtCall })).isStopped).toBe(true)
      for (const stores of await storesOfTabs(spreadsheet)) expect(stores.size).toBeLessThan(2)
      expect((await spreadsheet.run('exportNow')).error).toBeNull()
      await expectEqual(url, spreadsheet, other)
    }
  }, 60_000)

  test.each(['a key of another store', 'another key of the store'])(
    "if a person enters %s while a Google Sheets export is paused, the export completes with the rows of that key's store",
    async (which) => {
      const spreadsheet = await paused()
      const next = which === 'a key of another store' ? other : { key: (await platform.newKey(store.id)).key }
      await spreadsheet.run('connect', { isInteractive: true, replies: [next.key] })
      await continued(spreadsheet)
      await expectEqual(url, spreadsheet, next)
    },
  )

  test("if a person's stored key is for a different store than the spreadsheet, a paused export stops with an error and changes no table", async () => {
    const spreadsheet = await paused()
    const { sheets } = structuredClone(spreadsheet.state)
    spreadsheet.state.userProperties.key = other.key
    const { error } = await spreadsheet.run('continueExport')
    expect(error).toMatch(/^This spreadsheet is connected to another store than your key\./)
    expect(spreadsheet.state.sheets.slice(1)).toEqual(sheets.slice(1))
  })

  test.each([
    ['no key', null],
    ['a revoked key', 'sdx_revoked'],
  ])(
    "if a second person with %s tries to export, the first person's paused export still continues where it paused",
    async (_what, key) => {
      const spreadsheet = await paused()
      const { documentProperties, sheets } = structuredClone(spreadsheet.state)
      spreadsheet.use('second')
      if (key !== null) spreadsheet.state.userProperties = { url, key }
      for (const handler of ['exportNow', 'exportEverything']) {
        const { error } = await spreadsheet.run(handler, { isInteractive: true })
        expect(error).toMatch(key === null ? /^Choose Store export > Connect first\.$/ : /status 401/)
      }
      expect(spreadsheet.state.triggers).toEqual([])
      expect(spreadsheet.state.documentProperties).toEqual(documentProperties)
      expect(spreadsheet.state.sheets.slice(1)).toEqual(sheets.slice(1))
      spreadsheet.use('first')
      const done = JSON.parse(documentProperties['table.locations'] ?? '{}').done
      await continued(spreadsheet)
      // The export did not start over.
      expect(JSON.parse(spreadsheet.state.documentProperties['table.locations'] ?? '{}').done).toBe(done)
      await expectEqual(url, spreadsheet, store)
    },
  )

  test("if a second person completes the first person's paused export, the first person's scheduled continuation changes nothing", async () => {
    const spreadsheet = await paused()
    spreadsheet.use('second')
    await spreadsheet.run('connect', { isInteractive: true, replies: [store.key] })
    await spreadsheet.export('exportNow')
    const { documentProperties } = structuredClone(spreadsheet.state)
    spreadsheet.use('first')
    await continued(spreadsheet)
    expect(spreadsheet.state.documentProperties).toEqual(documentProperties)
  })
})
