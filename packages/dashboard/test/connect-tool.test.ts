import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { TOOLS } from '../src/recipes/tools.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({ USAGE_FLUSH_MS: '50' }, { dashboard: true })
})
afterAll(() => platform.close())

async function newShop() {
  const store = await platform.provision()
  const merchant = await addMerchant(platform, store.id)
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(merchant)
  const page = `/stores/${store.id}/settings/api`
  const create = async (fields: Record<string, string>) =>
    visitor.follow(await visitor.send(page, `${page}/keys`, { name: '', ...fields }))
  return { store, visitor, page, create }
}

const namesOf = async (storeId: string) =>
  (await platform.controlSql`select name from api_keys where store_id = ${storeId} and created_by is not null`).map(
    ({ name }) => name,
  )

test.each(TOOLS)(
  '[AUTH-3] if a merchant creates a key for $label, the page of the new key has the key and instructions to connect $label',
  async (tool) => {
    const { store, create } = await newShop()
    const { text } = await create({ tool: tool.id })
    expect(await namesOf(store.id)).toEqual([tool.label])
    expect(text).toContain(`Connect ${tool.label}`)
    const key = /sdx_\w{49}/.exec(text)?.[0] ?? ''
    expect((await platform.get('/api/v1/store', key)).status).toBe(200)
    if (tool.commands !== null) expect(text).toContain(`export STORE_EXPORT_KEY=&#39;${key}&#39;`)
    if (tool.recipe !== null) expect(text).toContain('id="recipe"')
    const [, guide] = /href="([^"]+\/guides\/[^"]+)"/.exec(text) ?? []
    expect(guide === undefined).toBe(tool.guide === null)
    if (guide !== undefined) expect((await fetch(guide)).status).toBe(200)
  },
)

test('a new key gets the entered name, even if a tool is chosen; with neither a name nor a known tool, the form gets 400', async () => {
  const { store, create } = await newShop()
  expect((await create({ tool: 'excel', name: 'Month end' })).text).toContain('Connect Excel')
  expect((await create({ tool: '' })).status).toBe(400)
  expect((await create({ tool: 'telex' })).status).toBe(400)
  expect((await create({ tool: 'telex', name: 'Telex' })).text).toContain('Try it')
  expect(await namesOf(store.id)).toEqual(['Month end', 'Telex'])
})

const liveOf = async (page: string, storeId: string) => {
  const [row] = await platform.controlSql`select id from api_keys where store_id = ${storeId} and name = 'Shell script'`
  return `${page}/keys/${row?.id}/created/live`
}

test(`after a request with a new key, the key's page replaces "Waiting" with the error code, or with the request and row counts`, async () => {
  const { store, visitor, page, create } = await newShop()
  const { text } = await create({ tool: 'curl' })
  expect(text).toContain('Waiting for the first request.')
  const key = /sdx_\w{49}/.exec(text)?.[0] ?? ''
  const path = await liveOf(page, store.id)
  const live = async () => (await visitor.get(path)).text.replace(/<[^>]*>/g, '')
  expect(await live()).toContain('Waiting')
  await platform.get('/api/v1/orders?limit=1000', key)
  await expect
    .poll(live, { timeout: 5000 })
    .toContain('Rejected: 1 request, the last one with INVALID_PARAM for /api/v1/orders.')
  await platform.get('/api/v1/store', key)
  await expect.poll(live, { timeout: 5000 }).toContain('Connected: 2 requests, 1 row.')
})

test('if a new key is revoked while its page waits for the first request, the page says so and stops asking', async () => {
  const { store, visitor, page, create } = await newShop()
  await create({ tool: 'curl' })
  const path = await liveOf(page, store.id)
  expect((await visitor.get(path)).text).toContain('hx-trigger')
  await platform.controlSql`update api_keys set revoked_at = now() where store_id = ${store.id}`
  const { status, text } = await visitor.get(path)
  expect(status).toBe(200)
  expect(text).toContain('“Shell script” is revoked.')
  expect(text).not.toContain('hx-')
})

test("[GEN-2] if a merchant requests the connection status of another store's key, the response is 404", async () => {
  const { store, visitor, page, create } = await newShop()
  await create({ tool: 'curl' })
  const other = await newShop()
  expect((await visitor.get(await liveOf(page, store.id))).status).toBe(200)
  expect((await other.visitor.get(await liveOf(page, store.id))).status).toBe(404)
  expect((await visitor.get(await liveOf(other.page, store.id))).status).toBe(404)
})
