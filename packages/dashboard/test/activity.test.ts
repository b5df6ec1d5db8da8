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

test('[AUTH-3] [AUTH-5] if a merchant and the platform change a key, the activity page lists each change and who made it', async () => {
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
    `Gave ${merchant.email} access to this store | Your platform`,
    'Created the key test | Your platform',
    'Added this store | Your platform',
  ])
})

test('if a key expires, the activity page says so', async () => {
  const { store, visitor, keys, page } = await newShop()
  await platform.controlSql`update api_keys set expires_at = now() - interval '1 second' where store_id = ${store.id}`
  await visitor.send(keys, `${keys}/keys`, { name: 'Next' })
  expect(changesIn((await visitor.get(page)).text)).toContain('End of the key test | Its end date')
})

test('if the account that made a change was removed, the activity page does not show its email address', async () => {
  const { store, visitor, keys, page } = await newShop()
  const other = await addMerchant(platform, store.id)
  const colleague = await new PlainBrowser(urlOf(platform)).signIn(other)
  await colleague.send(keys, `${keys}/keys`, { name: 'Stock sheet' })
  await removeMerchant(platform.service.control, other.email)
  const changes = changesIn((await visitor.get(page)).text)
  expect(changes).toContain('Created the key Stock sheet | A removed account')
  expect(changes).toContain('Gave a removed account access to this store | Your platform')
  expect(changes.join()).not.toContain(other.email)
})

test('if a store has more changes than fit on an activity page, the pages together list each change once', async () => {
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

test('[GEN-2] if the URL of an activity page has a position of another store, the page lists no change of that store', async () => {
  const [own, other] = [await newShop(), await newShop()]
  const text = async (path: string) => (await own.visitor.get(path)).text
  expect(await text(own.page)).not.toContain(other.merchant.email)
  const [event] = await platform.controlSql`
    select id from audit_events where store_id = ${other.store.id} order by at desc limit 1`
  expect(changesIn(await text(`${own.page}?before=${event?.id}`))).toEqual([])
  expect((await own.visitor.get(other.page)).status).toBe(404)
  expect((await own.visitor.get(`${own.page}?before=newest`)).status).toBe(404)
})
