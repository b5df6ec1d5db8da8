import { randomBytes } from 'node:crypto'
import { makeApiKey } from '@store-export/control'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { get, startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'

// The keys of the test platform have the default prefix, as if they were older than the setting.
let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform({ KEY_PREFIX: 'acme_live_' }, { dashboard: true })
  store = await platform.provision()
})
afterAll(() => platform.close())

const NEW_KEY = /acme_live_[0-9A-Za-z]{49}/

test('[AUTH-2] if the operator changes KEY_PREFIX, new and replacement keys get the new prefix, and older keys stay valid', async () => {
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, store.id))
  const page = `/stores/${store.id}/settings/api`
  const created = (await visitor.follow(await visitor.send(page, `${page}/keys`, { name: 'Books' }))).text
  const key = NEW_KEY.exec(created)?.[0] ?? ''
  expect((await platform.get('/api/v1/store', key)).status).toBe(200)
  expect((await platform.get('/api/v1/store', store.key)).status).toBe(200)
  const replace = `${page}/keys/${store.keyId}/replace`
  const replaced = (await visitor.follow(await visitor.send(replace, replace))).text
  const next = NEW_KEY.exec(replaced)?.[0] ?? ''
  expect(next).not.toBe(key)
  expect((await platform.get('/api/v1/store', next)).status).toBe(200)
  const list = (await visitor.get(page)).text
  expect(list).toContain(`${next.slice(0, 'acme_live_'.length + 8)}…${next.slice(-4)}`)
  expect(list).not.toContain(next.slice(0, 'acme_live_'.length + 9))
})

test('[AUTH-6] if a well-formed key of another installation is sent, the request gets 401', async () => {
  for (const prefix of ['sdx_', 'acme_live_', 'other_']) {
    const { status } = await platform.get('/api/v1/store', makeApiKey(randomBytes, prefix).reveal())
    expect(status).toBe(401)
  }
})

test('if a client sends a key with a custom prefix as a parameter or request ID, no response and no event reveals the key', async () => {
  const key = makeApiKey(randomBytes, 'acme_live_').reveal()
  const secret = key.slice('acme_live_'.length)
  const invalid = await platform.get(`/api/v1/orders?limit=${key}`, store.key, { 'x-request-id': key })
  expect(invalid.json.error.message).toContain('got "acme_live_…"')
  const ignored = await platform.get(`/api/v1/store?${key}=1`, store.key)
  expect(decodeURIComponent(ignored.headers.get('x-ignored-params') ?? '')).toBe('acme_live_…')
  const seen = [invalid.text, ...invalid.headers.values(), ...ignored.headers.values(), JSON.stringify(platform.events)]
  for (const text of seen) expect(text).not.toContain(secret.slice(0, 12))
})

test('if KEY_PREFIX is set, the reference page and the guide for store-sync show this prefix', async () => {
  const text = async (path: string) => (await get(platform.service.url + path, null)).text
  expect(await text('/docs/start.js')).toContain("field.placeholder = 'acme_live_…'")
  for (const path of ['/guides/store-sync', '/guides/store-sync.md']) {
    expect(await text(path)).toContain('STORE_EXPORT_KEY=acme_live_…')
    expect(await text(path)).not.toContain('sdx_')
  }
})
