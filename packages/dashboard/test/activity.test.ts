import { EVENTS_PER_PAGE, removeMerchant } from '@store-export/control'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
})
afterAll(() => platform.close())

async function newShop() {
  const store = await platform.provision()
  const merchant = await addMerchant(platform, store.id)
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(merchant)
  const keys = `/stores/${store.id}/settings/api`
  return { store, merchant, visitor, keys, page: `/stores/${store.id}/settings/activity` }
}

/** Returns the lines of the page as `change | by`, newest first. */
function changesIn(html: string): string[] {
  const [, body = ''] = html.split('<tbody')
  return body
    .split('<tr')
    .slice(1)
    .map((row) => {
      const cells = row.split(/<t[hd] /).slice(1, 3)
      return cells
        .map((cell) =>
          cell
            .replace(/^[^>]*>/, '')
            .replace(/<[^>]*>/g, '')
            .trim(),
        )
        .join(' | ')
    })
}

test('[AUTH-3, AUTH-5] the activity page lists each change of the store and its keys, and names the merchant or the platform as the actor', async () => {
  const { store, merchant, visitor, keys, page } = await newShop()
  await visitor.send(keys, `${keys}/keys`, { name: 'Accounting' })
  const [key] = await platform.controlSql`select id from api_keys where store_id = ${store.id} and name = 'Accounting'`
  await visitor.send(`${keys}/keys/${key?.id}/rename`, `${keys}/keys/${key?.id}/rename`, { name: 'Books' })
  await visitor.send(`${keys}/keys/${key?.id}/revoke`, `${keys}/keys/${key?.id}/revoke`)
  await platform.controlSql`update stores set name = 'Renamed' where id = ${store.id}`
  const you = `${merchant.email} (you)`
  expect(changesIn((await visitor.get(page)).text)).toEqual([
    'Changed this store: its name | Your platform',
    `Revoked the key Books | ${you}`,
    `Renamed the key Books | ${you}`,
    `Created the key Books | ${you}`,
    `Gave ${merchant.email} access to this store as an admin | Your platform`,
    'Created the key test | Your platform',
    'Added this store | Your platform',
  ])
})

test('if a key expires, the activity page says "Ended the key" and names "Its end date" as the actor', async () => {
  const { store, visitor, keys, page } = await newShop()
  await platform.controlSql`update api_keys set expires_at = now() - interval '1 second' where store_id = ${store.id}`
  await visitor.send(keys, `${keys}/keys`, { name: 'Next' })
  expect(changesIn((await visitor.get(page)).text)).toContain('Ended the key test | Its end date')
})

test(`if the account that made a change was removed, the activity page shows "A removed account" instead of the account's email address`, async () => {
  const { store, visitor, keys, page } = await newShop()
  const other = await addMerchant(platform, store.id)
  const colleague = await new PlainBrowser(urlOf(platform)).signIn(other)
  await colleague.send(keys, `${keys}/keys`, { name: 'Stock sheet' })
  await removeMerchant(platform.service.control, other.email)
  const changes = changesIn((await visitor.get(page)).text)
  expect(changes).toContain('Created the key Stock sheet | A removed account')
  expect(changes).toContain('Gave a removed account access to this store as an admin | Your platform')
  expect(changes.join()).not.toContain(other.email)
})

test('if the changes of a store fill three activity pages, the pages together list as many changes as the audit table has', async () => {
  const { store, visitor, page } = await newShop()
  for (let change = 0; change < EVENTS_PER_PAGE * 2; change++)
    await platform.controlSql`update stores set name = ${`Name ${change}`} where id = ${store.id}`
  const [sum] = await platform.controlSql`select count(*)::int as events from audit_events where store_id = ${store.id}`
  let seen = 0
  let pages = 0
  for (let next: string | null = page; next !== null; pages++) {
    const { text } = await visitor.get(next)
    seen += changesIn(text).length
    next = /href="([^"]+\?before=[^"]+)"/.exec(text)?.[1] ?? null
  }
  expect([seen, pages]).toEqual([sum?.events, 3])
})

test("[GEN-2] another store's activity page and CSV file return 404, and before=<event of another store> lists no changes", async () => {
  const [own, other] = [await newShop(), await newShop()]
  const text = async (path: string) => (await own.visitor.get(path)).text
  expect(await text(own.page)).not.toContain(other.merchant.email)
  const [event] = await platform.controlSql`
    select id from audit_events where store_id = ${other.store.id} order by at desc limit 1`
  expect(changesIn(await text(`${own.page}?before=${event?.id}`))).toEqual([])
  expect((await own.visitor.get(other.page)).status).toBe(404)
  expect((await own.visitor.get(`${own.page}?before=newest`)).status).toBe(404)
  expect((await own.visitor.get(`${other.page}.csv`)).status).toBe(404)
})

/** Returns a shop with changes of a merchant, a colleague, the platform, and its command line, and the end of a key. */
async function changedShop() {
  const shop = await newShop()
  const { store, visitor, keys } = shop
  const colleague = await addMerchant(platform, store.id)
  await visitor.send(keys, `${keys}/keys`, { name: '=Accounting' })
  await (await new PlainBrowser(urlOf(platform)).signIn(colleague)).send(keys, `${keys}/keys`, { name: 'Warehouse' })
  const sql = platform.controlSql
  await sql.begin(async (tx) => {
    await tx`set local application_name = 'store-export command line (operator)'`
    await tx`update stores set state = 'generating' where id = ${store.id}`
  })
  await sql`update api_keys set expires_at = now() - interval '1 second' where store_id = ${store.id} and name = 'test'`
  await visitor.get(keys)
  return { ...shop, colleague }
}

test('if a merchant filters the activity page by action, actor, or both, the page lists only the matching changes', async () => {
  const { merchant, colleague, visitor, page } = await changedShop()
  const chosen = async (query: Record<string, string>) =>
    changesIn((await visitor.get(`${page}?${new URLSearchParams(query)}`)).text)
  const own = `Created the key =Accounting | ${merchant.email} (you)`
  expect(await chosen({ action: 'key.created' })).toEqual([
    `Created the key Warehouse | ${colleague.email}`,
    own,
    'Created the key test | Your platform',
  ])
  expect(await chosen({ by: merchant.id })).toEqual([own])
  expect(await chosen({ by: 'platform', action: 'key.created' })).toEqual(['Created the key test | Your platform'])
  expect(await chosen({ by: 'end_date' })).toEqual(['Ended the key test | Its end date'])
  expect(await chosen({ by: 'command_line' })).toEqual(['Changed this store: its state | Your platform’s command line'])
  expect(await chosen({ by: colleague.id, action: 'key.renamed' })).toEqual([])
})

test('the actor filter of the activity page offers "Everyone" and exactly the people and systems that changed the store', async () => {
  const { merchant, colleague, visitor, page } = await changedShop()
  const { text } = await visitor.get(page)
  const [, list = ''] = /<select id="by"[^>]*>(.*?)<\/select>/.exec(text) ?? []
  const people = [`${merchant.email} (you)`, colleague.email].toSorted()
  expect([...list.matchAll(/>([^<]+)<\/option>/g)].map(([, label]) => label)).toEqual([
    'Everyone',
    ...people,
    ...['Its end date', 'Your platform’s command line', 'Your platform'],
  ])
})

test("if a merchant filters the activity page by day, days begin at midnight in the store's time zone, and the last day is included", async () => {
  const { store, visitor, page } = await newShop()
  await store.sql`update store set store_timezone = 'Pacific/Auckland'`
  const [times] = await platform.controlSql<[{ first: Date; last: Date }]>`
    select min(at) as first, max(at) as last from audit_events where store_id = ${store.id}`
  const dayOf = (time: Date, days = 0) =>
    new Date(time.getTime() + days * 86_400_000).toLocaleDateString('en-CA', { timeZone: 'Pacific/Auckland' })
  const changes = async (query: string) => changesIn((await visitor.get(`${page}?${query}`)).text).length
  const all = await changes('')
  expect(all).toBeGreaterThan(0)
  expect(await changes(`from=${dayOf(times.first)}&until=${dayOf(times.last)}`)).toBe(all)
  expect(await changes(`from=${dayOf(times.last, 1)}`)).toBe(0)
  expect(await changes(`until=${dayOf(times.first, -1)}`)).toBe(0)
  const { text } = await visitor.get(`${page}?from=yesterday`)
  expect(text).toContain('Enter a day, such as 2026-11-21.')
  expect(changesIn(text)).toHaveLength(all)
})

test('if filtered changes fill two activity pages, the links to older changes, to the newest changes, and to the CSV file preserve the filter', async () => {
  const { store, merchant, visitor, page } = await newShop()
  for (let change = 0; change < EVENTS_PER_PAGE + 5; change++)
    await platform.controlSql`update stores set name = ${`Name ${change}`} where id = ${store.id}`
  const first = (await visitor.get(`${page}?action=store.changed&by=platform`)).text
  const hrefs = (text: string) =>
    [...text.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
  const older = hrefs(first).find((href) => href.includes('before=')) ?? ''
  const second = (await visitor.get(older)).text
  expect([changesIn(first).length, changesIn(second).length]).toEqual([EVENTS_PER_PAGE, 5])
  expect(new Set([...changesIn(first), ...changesIn(second)])).toEqual(
    new Set(['Changed this store: its name | Your platform']),
  )
  expect(second).toContain('<option value="store.changed" selected>')
  expect(hrefs(second)).toContain(`${page}?action=store.changed&by=platform`)
  const file = hrefs(second).find((href) => href.includes('.csv')) ?? ''
  const { text, headers } = await visitor.get(file)
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="activity-\d{4}-\d\d-\d\d\.csv"$/)
  const [head, ...lines] = text.trimEnd().split('\r\n')
  expect(head).toBe('time,action,by,key_id,key_name,person,role,reason,found_at,changed')
  expect(lines).toHaveLength(EVENTS_PER_PAGE + 5)
  for (const line of lines) expect(line).toMatch(/^\d{4}-[\d-]+T[\d:.]+Z,store\.changed,platform,,,,,,,name$/)
  expect(text).not.toContain(merchant.email)
})

test('if the name of a key begins with =, the CSV file of the activity page puts an apostrophe before the name', async () => {
  const { merchant, visitor, page } = await changedShop()
  const { text } = await visitor.get(`${page}.csv?by=${merchant.id}`)
  const [, line = ''] = text.split('\r\n')
  expect(line).toMatch(new RegExp(`,key\\.created,${merchant.email},[0-9a-f-]{36},'=Accounting,,,,,$`))
})

test('if the URL of the activity page filters by an invalid action, actor, or day, the page and its CSV file list all changes', async () => {
  const { visitor, page } = await newShop()
  const all = changesIn((await visitor.get(page)).text)
  const days = ['0000-01-01', '9999-12-31', '2026-02-30', '%00']
  const queries = ['action=%00', 'action=two_factor.enabled', 'by=%00', "by='", ...days.map((day) => `until=${day}`)]
  for (const query of queries) {
    expect([query, changesIn((await visitor.get(`${page}?${query}`)).text)]).toEqual([query, all])
    expect([query, (await visitor.get(`${page}.csv?${query}`)).text.split('\r\n').length]).toEqual([
      query,
      all.length + 2,
    ])
  }
})
