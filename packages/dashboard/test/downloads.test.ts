import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
  store = await platform.provision()
  // These rows exceed the buffers of a connection, so a download stays open while the client does not read.
  await store.sql`
    insert into products (id, name, slug, description, price, status, created_at, updated_at)
    select gen_random_uuid(), 'p' || n, 'p' || n, repeat('x', 100000), 1, 'active', now() + n * interval '1 s', now()
    from generate_series(1, 300) n`
})
afterAll(() => platform.close())

const file = () => `/stores/${store.id}/data/products.csv`

/** Signs in a browser that can abort its downloads. */
async function newVisitor() {
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, store.id))
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const download = async (path = file()) => {
    const gone = new AbortController()
    const response = await fetch(visitor.url + path, { headers: { cookie }, signal: gone.signal })
    return { response, leave: () => gone.abort() }
  }
  return { visitor, download }
}

test('a CSV download of 300 rows has all rows, a file name with the date, and Cache-Control: no-store', async () => {
  const { download } = await newVisitor()
  const { response } = await download()
  const { headers } = response
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="products-\d{4}-\d\d-\d\d\.csv"$/)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect((await response.text()).split('\r\n')).toHaveLength(1 + 300 + 1)
})

test.each([
  ['activity', () => `/stores/${store.id}/settings/activity.csv`, 'time,action,by,'],
  ['request log', () => `/stores/${store.id}/usage/keys/${store.keyId}/log.csv`, 'last_request_at,endpoint,'],
])('a CSV file of the %s begins with a byte order mark and the header', async (_name, path, header) => {
  const { response } = await (await newVisitor()).download(path())
  // `text()` would drop the byte order mark.
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes.toString('utf8').slice(0, header.length + 1)).toBe(`\uFEFF${header}`)
})

test("if the browser's language is German, the CSV files of lists, the activity page, and the request log use semicolons", async () => {
  const { visitor } = await newVisitor()
  const paths = [
    file(),
    `/stores/${store.id}/settings/activity.csv`,
    `/stores/${store.id}/usage/keys/${store.keyId}/log.csv`,
  ]
  for (const path of paths) {
    const { text } = await visitor.get(path, { 'accept-language': 'de' })
    const [header = ''] = text.split('\r\n')
    expect(header.split(';').length, path).toBeGreaterThan(8)
    expect(header).not.toContain(',')
  }
})

test('a HEAD request for a CSV file gets 200 with Content-Disposition: attachment', async () => {
  const { visitor } = await newVisitor()
  const cookie = `session=${visitor.cookies.get('session')}`
  const response = await fetch(visitor.url + file(), { method: 'HEAD', headers: { cookie } })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-disposition')).toContain('attachment')
})

test('a CSV download gets 429 while the same merchant has two downloads in progress, or all merchants together have four', async () => {
  const [one, other, third] = [await newVisitor(), await newVisitor(), await newVisitor()]
  const open = [await one.download(), await one.download(), await other.download(), await other.download()]
  expect(open.map(({ response }) => response.status)).toEqual([200, 200, 200, 200])
  const rejected = await one.visitor.get(file())
  expect(rejected.status).toBe(429)
  expect(rejected.text).toContain('Too many downloads are in progress')
  expect((await third.visitor.get(file())).status).toBe(429)
  for (const { leave } of open) leave()
  await expect.poll(async () => (await third.visitor.get(file())).status).toBe(200)
})

test('if a table becomes unreadable during its CSV download, the download fails visibly, rather than ending as if complete', async () => {
  const { download } = await newVisitor()
  const { response } = await download()
  const reader = response.body?.getReader()
  await reader?.read()
  await store.sql`alter table products rename to products_away`
  const rest = async () => {
    while ((await reader?.read())?.done === false);
  }
  await expect(rest()).rejects.toThrow()
  await store.sql`alter table products_away rename to products`
  expect(platform.events.filter(({ event }) => event === 'page.failed')).toEqual([])
})

test("if a store is still being created, a request for a list's CSV file redirects to the Data page of the list", async () => {
  const { visitor } = await newVisitor()
  const sql = platform.controlSql
  await sql`update stores set state = 'generating' where id = ${store.id}`
  const response = await visitor.get(file())
  expect(response.headers.get('location')).toBe(file().replace('.csv', ''))
  await sql`update stores set state = 'ready' where id = ${store.id}`
})
