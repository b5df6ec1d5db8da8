import { readFile } from 'node:fs/promises'
import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addMerchant, type TestMerchant } from '../../../../test/support/merchant.ts'
import type { TestStore } from '../../../../test/support/platform.ts'
import { filledStore } from '../../../api/test/support/filled-store.ts'
import { openScene, type Page, reloadUntil, SCRIPTING, type Scene, textOf, textsOf } from '../support/scene.ts'

const SIZE = { orders: 130, customers: 30, products: 20, locations: 2, groups: 3 }
const NOWHERE = '00000000-0000-4000-8000-000000000000'

let scene: Scene
let store: TestStore
let merchant: TestMerchant
beforeAll(async () => {
  scene = await openScene()
  store = await filledStore(scene.platform, LATEST_REVISION, SIZE)
  merchant = await addMerchant(scene.platform, store.id)
})
afterAll(() => scene.close())

const base = () => `${scene.url}/stores/${store.id}`

/** Reads the IDs of a list in the order of the API. */
async function idsOf(list: string): Promise<string[]> {
  const { json } = await scene.platform.get(`/api/v1/${list}?limit=250`, store.key)
  return json.data.map(({ id }: { id: string }) => id)
}

async function shownIds(page: Page): Promise<string[]> {
  const links = await page.locator('#rows > tr th a').all()
  return Promise.all(links.map(async (link) => ((await link.getAttribute('href')) ?? '').split('/').at(-1) ?? ''))
}

describe.each(SCRIPTING)('Data $scripting', ({ javaScript }) => {
  test.each(['newest', 'oldest'])(
    '[PAG-1] if a Data page shows the %s rows first, pressing "Load more" until the end shows each row once',
    async (order) => {
      const { page } = await scene.openAs(merchant, { javaScript })
      await page.goto(`${base()}/data/orders`)
      if (order === 'oldest') await page.getByRole('link', { name: 'Show oldest first' }).click()
      const next = page.getByRole('link', { name: 'Load more' })
      const ids = await shownIds(page)
      for (let pages = 1; (await next.count()) > 0; pages += 1) {
        expect(pages).toBeLessThan(4)
        const before = ids.length
        await next.click()
        // With the script, the rows are added below the others. Without it, they are on a new page.
        if (javaScript) await expect.poll(() => page.locator('#rows > tr').count()).toBeGreaterThan(before)
        ids.push(...(await shownIds(page)).slice(javaScript ? before : 0))
      }
      const expected = await idsOf('orders')
      expect(ids).toEqual(order === 'oldest' ? expected : expected.toReversed())
      expect(ids).toHaveLength(SIZE.orders)
    },
  )

  test(`if the orders can't be read from the store's database, "Load more" shows the message "Try again in a minute"`, async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(`${base()}/data/orders`)
    await store.sql`alter table orders rename to orders_away`
    await page.getByRole('link', { name: 'Load more' }).click()
    await expect.poll(() => textOf(page, '#rows-problem')).toContain('right now. Try again in a minute.')
    expect(await page.locator('#rows > tr').count()).toBe(javaScript ? 50 : 0)
    await store.sql`alter table orders_away rename to orders`
    if (!javaScript) return
    await page.getByRole('link', { name: 'Load more' }).click()
    await expect.poll(() => page.locator('#rows > tr').count()).toBe(100)
    expect(await textOf(page, '#rows-problem')).toBe('')
  })

  test('if a merchant searches customers by ID, email address, or name, the page shows the matches; an unknown ID gets an error message', async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    const [first = ''] = (await idsOf('customers')).slice(-1)
    await page.goto(`${base()}/data/customers`)
    const search = async (text: string) => {
      await page.getByLabel('Find by ID').fill(text)
      await page.getByRole('button', { name: 'Find' }).click()
    }
    await search(` ${first.toUpperCase()} `)
    expect(await shownIds(page)).toEqual([first])
    await search(NOWHERE)
    expect(await shownIds(page)).toEqual([])
    expect(await textOf(page, '.field-problem')).toBe('This store has no customer with this ID.')
    const { json } = await scene.platform.get(`/api/v1/customers/${first}`, store.key)
    await search(json.data.email)
    expect(await shownIds(page)).toEqual([first])
    await search(json.data.name.toUpperCase())
    expect(await shownIds(page)).toContain(first)
    await search('first customer')
    expect(await textOf(page, '.field-problem')).toContain('ID, email address or name')
    expect(await page.getByLabel('Find by ID').inputValue()).toBe('first customer')
    await page.getByRole('link', { name: 'Show all' }).click()
    expect(await shownIds(page)).toHaveLength(SIZE.customers)
  })

  test('if a merchant opens a product on the Data pages, its page shows the same JSON as the API', async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(`${base()}/data/products`)
    await page.locator('#rows > tr th a').nth(3).click()
    const id = page.url().split('/').at(-1) ?? ''
    const { json } = await scene.platform.get(`/api/v1/products/${id}`, store.key)
    expect(JSON.parse(await textOf(page, '#json'))).toEqual(json.data)
  })

  test.each([
    ['orders', 'Orders CSV'],
    ['customer-groups', 'Customer groups CSV'],
  ])(
    'if a merchant clicks the CSV link of %s, the downloaded file has all rows in the order of the API',
    async (list, name) => {
      const { page } = await scene.openAs(merchant, { javaScript })
      await page.goto(`${base()}/data/${list}`)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name, exact: true }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(new RegExp(`^${list}-\\d{4}-\\d\\d-\\d\\d\\.csv$`))
      const [, ...lines] = (await readFile(await download.path(), 'utf8')).split('\r\n')
      // The ID is the first value of a record. A line break inside a value is a line feed only.
      const ids = lines.filter((line) => line !== '').map((line) => line.split(',', 1)[0])
      expect(ids).toEqual(await idsOf(list))
    },
  )
})

interface Sums {
  readonly successful: number
  readonly clientErrors: number
  readonly rejected: number
  readonly failed: number
}

const PATTERN =
  /: (?<successful>[\d,]+) successful, (?<clientErrors>[\d,]+) wrong requests?, (?<rejected>[\d,]+) over the limit, (?<failed>[\d,]+) failed$/

/** Returns the labels of the bars, which have the numbers for screen readers. */
async function barLabels(page: Page): Promise<string[]> {
  const bars = await page.locator('.bar').all()
  return Promise.all(bars.map(async (bar) => (await bar.getAttribute('aria-label')) ?? ''))
}

const numberIn = (text = '') => Number(text.replaceAll(',', ''))

function sumsIn(words: string): Sums {
  const { successful, clientErrors, rejected, failed } = PATTERN.exec(words)?.groups ?? {}
  return {
    successful: numberIn(successful),
    clientErrors: numberIn(clientErrors),
    rejected: numberIn(rejected),
    failed: numberIn(failed),
  }
}

/** Reads a table of sums. The last value of each row must be the sum of the others. */
async function tableSums(page: Page, name: string): Promise<Sums[]> {
  // Includes a table that is folded.
  const rows = await page.locator(`table:has(caption:text-is("${name}")) tbody tr`).all()
  return Promise.all(
    rows.map(async (row) => {
      const cells = (await row.locator('td.number').allTextContents()).map(numberIn)
      const [successful = 0, clientErrors = 0, rejected = 0, failed = 0, all] = cells
      expect(all).toBe(successful + clientErrors + rejected + failed)
      return { successful, clientErrors, rejected, failed }
    }),
  )
}

function total(list: readonly Sums[]): Sums {
  const sum = (part: keyof Sums) => list.reduce((all, sums) => all + sums[part], 0)
  return {
    successful: sum('successful'),
    clientErrors: sum('clientErrors'),
    rejected: sum('rejected'),
    failed: sum('failed'),
  }
}

describe.each(SCRIPTING)('Usage $scripting', ({ javaScript }) => {
  test('if two keys have requests, the chart, both tables, and the tiles of the Usage page show the same sums', async () => {
    const { platform } = scene
    const other = await platform.newKey(store.id)
    for (const [at, keyId] of [store.keyId, other.id].entries())
      await platform.controlSql`
        insert into usage_hours (key_id, hour, successful, client_errors, rejected, failed, peak_minute)
        select ${keyId}, date_trunc('hour', now()) - make_interval(hours => n * 7), n * ${at + 11}, n % 5, n % 3, n % 2, 2
        from generate_series(0, 90) as n on conflict do nothing`
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(`${base()}/usage`)
    const chart = (await barLabels(page)).map(sumsIn)
    const byDay = await tableSums(page, 'Requests by day, newest first')
    expect(chart).toHaveLength(30)
    expect(chart).toEqual(byDay.toReversed())
    const whole = total(chart)
    expect(whole.successful).toBeGreaterThan(1000)
    expect(whole.clientErrors).toBeGreaterThan(0)
    expect(whole.rejected).toBeGreaterThan(0)
    expect(whole.failed).toBeGreaterThan(0)
    expect(total(await tableSums(page, 'Requests by key, most first'))).toEqual(whole)
    const [successful, clientErrors, rejected, failed] = (await textsOf(page, '.tile-value')).map(numberIn)
    expect({ successful, clientErrors, rejected, failed }).toEqual(whole)

    await page.locator('table:has-text("Requests by key") tbody tr th a').last().click()
    expect(page.url()).toContain('?key=')
    const selected = page.locator('table:has-text("Requests by key") tr.selected td.number')
    const [ofKey = 0] = (await selected.allTextContents()).map(numberIn)
    expect(total((await barLabels(page)).map(sumsIn)).successful).toBe(ofKey)
    expect(ofKey).toBeLessThan(whole.successful)
  })

  test('if a merchant chooses 24 hours, 7 days, or 90 days, the chart, the tables, and the tiles cover that range', async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(`${base()}/usage`)
    const current = () => page.locator('.ranges [aria-current]')
    expect(await current().textContent()).toBe('30 days')
    for (const [label, unit, count] of [
      ['24 hours', 'hour', 24],
      ['7 days', 'day', 7],
      ['90 days', 'day', 90],
    ] as const) {
      await page.getByRole('link', { name: label }).click()
      await expect.poll(() => current().textContent()).toBe(label)
      expect(await textOf(page, '.lead')).toBe(`Requests of all keys in the last ${label}.`)
      const chart = (await barLabels(page)).map(sumsIn)
      expect(chart).toHaveLength(count)
      expect(await tableSums(page, `Requests by ${unit}, newest first`)).toEqual(chart.toReversed())
      expect(total(await tableSums(page, 'Requests by key, most first'))).toEqual(total(chart))
      expect(numberIn((await textsOf(page, '.tile-value'))[0])).toBe(total(chart).successful)
    }
    await page.getByRole('link', { name: '30 days' }).click()
    expect(page.url()).toBe(`${base()}/usage`)
  })

  test("on the page of a key, changing the chart's range preserves the filter of the request log, and changing the filter preserves the range", async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(`${base()}/usage/keys/${store.keyId}`)
    await page.getByLabel('Result').selectOption('Errors only')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('link', { name: '24 hours' }).click()
    expect(new URL(page.url()).searchParams.get('range')).toBe('24h')
    expect(await page.locator('.bar').count()).toBe(24)
    expect(await page.getByLabel('Result').inputValue()).toBe('errors')
    await page.getByLabel('Result').selectOption('All requests')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('show')).toBe('')
    expect(await page.locator('.bar').count()).toBe(24)
  })

  test('if a bar of the usage chart is hovered or focused, its tooltip appears; on hover, it fits on screens of at least 360 px', async () => {
    for (const width of [360, 768, 1280]) {
      const { page } = await scene.openAs(merchant, { javaScript, width })
      for (const range of ['24h', '7d', '90d']) {
        await page.goto(`${base()}/usage?range=${range}`)
        const bars = page.locator('.bar')
        const count = await bars.count()
        for (const at of [0, Math.floor(count / 3), Math.ceil((count * 2) / 3) - 1, count - 1]) {
          await bars.nth(at).hover()
          const tip = bars.nth(at).locator('.tip')
          expect(await tip.isVisible(), `${range} ${at}`).toBe(true)
          const box = await tip.boundingBox()
          expect(box?.x, `${width} px, ${range} ${at}`).toBeGreaterThanOrEqual(0)
          expect((box?.x ?? 0) + (box?.width ?? 0), `${width} px, ${range} ${at}`).toBeLessThanOrEqual(width)
          // The pointer can move onto the tooltip.
          await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 8)
          expect(await tip.isVisible(), `${width} px, ${range} ${at}`).toBe(true)
        }
        await page.mouse.move(0, 0)
        expect(await page.locator('.tip:visible').count()).toBe(0)
        await bars.last().focus()
        expect(await page.locator('.tip:visible').count()).toBe(1)
      }
    }
  })

  test('on a screen of 360 px, the labels of the usage chart do not overlap in any range, in English and in German', async () => {
    for (const locale of ['en-GB', 'de-DE']) {
      const { page } = await scene.openAs(merchant, { javaScript, width: 360, locale })
      for (const range of ['24h', '7d', '30d', '90d']) {
        await page.goto(`${base()}/usage?range=${range}`)
        const labels = await page.locator('.chart-grid text:visible').all()
        const boxes = await Promise.all(labels.map((label) => label.boundingBox()))
        expect(boxes.length, `${locale}, ${range}`).toBeGreaterThan(2)
        const gaps = boxes.slice(1).map((box, at) => (box?.x ?? 0) - (boxes[at]?.x ?? 0) - (boxes[at]?.width ?? 0))
        expect(Math.min(...gaps), `${locale}, ${range}`).toBeGreaterThan(0)
      }
    }
  })

  test('on a screen of 390 px, the key name "Accounting" on the Usage page fits on one line', async () => {
    const { id } = await scene.platform.newKey(store.id)
    await scene.platform.controlSql`update api_keys set name = 'Accounting' where id = ${id}`
    const { page } = await scene.openAs(merchant, { javaScript, width: 390 })
    await page.goto(`${base()}/usage`)
    const name = page.getByRole('link', { name: 'Accounting', exact: true })
    const box = await name.boundingBox()
    expect(box?.height).toBeLessThan(30)
    await scene.platform.controlSql`delete from api_keys where id = ${id}`
  })

  test('on a screen of 390 px, the buttons on the page of a key are above its statistics, and the navigation marks API as current', async () => {
    const { page } = await scene.openAs(merchant, { javaScript, width: 390 })
    await page.goto(`${base()}/usage/keys/${store.keyId}`)
    expect(await textsOf(page, '.main-nav [aria-current]')).toEqual(['API'])
    const bottom = async (name: string) => {
      const box = await page.getByRole('link', { name, exact: true }).boundingBox()
      return (box?.y ?? Number.NaN) + (box?.height ?? Number.NaN)
    }
    const statistics = (await page.locator('main .card').first().boundingBox())?.y ?? Number.NaN
    for (const name of ['Rename', 'Change permissions', 'Turn off', 'Replace', 'Revoke'])
      expect(await bottom(name), name).toBeLessThanOrEqual(statistics)
    await page.locator('.trail').getByRole('link', { name: 'API', exact: true }).click()
    expect(page.url()).toBe(`${base()}/settings/api`)
  })

  test('if an unused key is revoked, its page says that the API rejects the key, instead of "Put the key into a tool"', async () => {
    const { id } = await scene.platform.newKey(store.id)
    await scene.platform.controlSql`update api_keys set revoked_at = now() where id = ${id}`
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(`${base()}/usage/keys/${id}`)
    const empty = (await textsOf(page, '.empty')).join(' ')
    expect(empty).toContain('The API rejects requests with it.')
    expect(empty).not.toContain('Put the key into a tool')
  })

  test('if a key was created 45 days ago and never used, its page and the keys page give the same advice to revoke the key', async () => {
    const { id } = await scene.platform.newKey(store.id)
    await scene.platform.controlSql`update api_keys set created_at = now() - interval '45 days' where id = ${id}`
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(`${base()}/settings/api`)
    const advice = await textOf(page, '.unused')
    expect(advice).toContain('Never used since its creation 45 days ago. Revoke it')
    await page.goto(`${base()}/usage/keys/${id}`)
    const empty = await textsOf(page, '.empty')
    expect(empty.join(' ')).toContain(advice)
    expect(await page.locator('search').count()).toBe(0)
    expect(empty.join(' ')).not.toContain('Put the key into a tool')
    await scene.platform.controlSql`delete from api_keys where id = ${id}`
  })

  test('if a merchant filters the request log by time, errors, or endpoint, the log and its CSV file have only the matching requests', async () => {
    const { id } = await scene.platform.newKey(store.id)
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    // A tool in Berlin, the store's time zone, runs every 15 minutes. It gets errors at 03:00 and then stops.
    await scene.platform.controlSql`
      insert into request_log (key_id, minute, endpoint, status, code, requests, rows, duration_ms, last_at)
      select ${id}, at, e, case when n = 48 then 502 else 200 end, case when n = 48 then 'STORE_DB_ERROR' else '' end,
        4, 1000, 30, at + interval '40 seconds'
      from generate_series(0, 48) n, unnest(array['/api/v1/orders', '/api/v1/products', '/api/v1/customers']) e,
        lateral (select (${`${day}T03:00`}::text::timestamp at time zone 'Europe/Berlin')
          - (48 - n) * interval '15 minutes' as at)`
    await store.sql`update store set store_timezone = 'Europe/Berlin'`
    const { page } = await scene.openAs(merchant, { javaScript, locale: 'en-GB' })
    await page.goto(`${base()}/usage/keys/${id}`)
    const times = () => textsOf(page, '#log-lines tbody th')
    expect((await times())[0]).toContain('03:00:40')
    expect(await times()).toHaveLength(102)
    await page.getByRole('link', { name: 'Older requests' }).click()
    expect(await times()).toHaveLength(45)
    expect(await page.getByRole('link', { name: 'Older requests' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Newest requests' }).click()

    await page.getByLabel('Until').fill(`${day}T02:30`)
    await page.getByRole('button', { name: 'Apply' }).click()
    expect((await times())[0]).toContain('02:30:40')
    await page.getByLabel('Until').fill('')
    await page.getByLabel('Result').selectOption('Errors only')
    await page.getByRole('button', { name: 'Apply' }).click()
    expect(await textsOf(page, '#log-lines .badge')).toEqual(['502', '502', '502'])
    expect((await times())[0]).toContain('03:00:40')
    await page.getByLabel('Endpoint').selectOption('/api/v1/products')
    await page.getByRole('button', { name: 'Apply' }).click()
    expect(await textsOf(page, '#log-lines .badge')).toEqual(['502'])
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'CSV' }).click()
    const file = await readFile(await (await download).path(), 'utf8')
    expect(file.split('\r\n').map((line) => line.split(',').slice(1, 4).join(' '))).toEqual([
      'endpoint status code',
      '/api/v1/products 502 STORE_DB_ERROR',
      '',
    ])
    await page.goto(`${base()}/usage/keys/${id}?until=three`)
    expect(await textOf(page, '.field-problem')).toContain('Enter a date and a time')
    await scene.platform.controlSql`delete from api_keys where id = ${id}`
  })

  test('the page of a key shows a complete sync as "Finished" and an incomplete sync as "In progress", then, an hour later, as "Stopped"', async () => {
    const { platform } = scene
    const { id, key } = await platform.newKey(store.id)
    for (const path of ['/api/v1/orders?limit=50', '/api/v1/products?limit=10']) {
      const { json } = await platform.get(path, key)
      await platform.get(`${path}&cursor=${json.meta.next_cursor}`, key)
    }
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(`${base()}/usage/keys/${id}`)
    const walks = async () => {
      const rows = await page.locator('table:has(caption:text-is("Syncs")) tbody tr').all()
      return Promise.all(
        rows.map(async (row) => {
          const [state, , , pages, rowsCount] = await row.locator('td').allTextContents()
          return [await row.locator('th').textContent(), state, pages, rowsCount]
        }),
      )
    }
    const finished = ['/api/v1/products', 'Finished', '2', '20']
    await reloadUntil(page, walks, [finished, ['/api/v1/orders', 'In progress', '2', '100']])
    await platform.controlSql`
      update walks set begun_at = begun_at - interval '1 hour', last_at = last_at - interval '1 hour' where key_id = ${id}`
    await page.reload()
    expect(await walks()).toEqual([finished, ['/api/v1/orders', 'Stopped', '2', '100']])
    const log = 'table:has(caption:text-is("Request log, newest first")) tbody tr'
    expect((await textsOf(page, `${log} code`)).toSorted()).toEqual(['/api/v1/orders', '/api/v1/products'])
    expect((await textsOf(page, `${log} td:nth-child(4)`)).toSorted()).toEqual(['2', '2'])
  })
})

test('in the usage chart, the arrow keys, Home, and End move the focus between the bars, and Escape hides the tooltip', async () => {
  const { page } = await scene.openAs(merchant)
  await page.goto(`${base()}/usage?range=7d`)
  const labels = await barLabels(page)
  const bars = page.locator('.bar')
  const focused = () => page.evaluate<string>(`document.activeElement.getAttribute('aria-label')`)
  const shown = async () => Number(await page.locator('.tip:visible').count())
  expect(await page.locator('.bars').getAttribute('aria-description')).toBe('The arrow keys move between the bars.')
  await page.getByRole('link', { name: '90 days' }).focus()
  await page.keyboard.press('Tab')
  expect(await focused()).toBe(labels[6])
  for (const [key, at] of [
    ['ArrowLeft', 5],
    ['Home', 0],
    ['ArrowLeft', 0],
    ['ArrowRight', 1],
    ['End', 6],
    ['ArrowRight', 6],
    ['ArrowLeft', 5],
  ] as const) {
    await page.keyboard.press(key)
    expect(await focused(), key).toBe(labels[at])
    expect(await shown()).toBe(1)
  }
  await page.keyboard.press('Escape')
  expect(await shown()).toBe(0)
  expect(await focused()).toBe(labels[5])
  await page.keyboard.press('ArrowLeft')
  expect(await shown()).toBe(1)
  // Tab leaves the chart, and Shift+Tab returns to the same bar.
  await page.keyboard.press('Tab')
  expect(await shown()).toBe(0)
  await page.keyboard.press('Shift+Tab')
  expect(await focused()).toBe(labels[4])
  await bars.nth(2).hover()
  expect(await shown()).toBe(1)
  expect(await bars.nth(2).locator('.tip').isVisible()).toBe(true)
  await page.keyboard.press('Escape')
  expect(await shown()).toBe(0)
  await bars.nth(3).hover()
  expect(await shown()).toBe(1)
})
