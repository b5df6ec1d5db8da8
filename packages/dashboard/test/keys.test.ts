import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addMerchant, PlainBrowser, type TestMerchant, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({ USAGE_FLUSH_MS: '50' }, { dashboard: true })
})
afterAll(() => platform.close())

interface Shop {
  readonly store: TestStore
  readonly merchant: TestMerchant
  readonly visitor: PlainBrowser
  readonly page: string
}

async function newShop(): Promise<Shop> {
  const store = await platform.provision()
  const merchant = await addMerchant(platform, store.id)
  const visitor = await new PlainBrowser(urlOf(platform)).signIn(merchant)
  return { store, merchant, visitor, page: `/stores/${store.id}/settings/api` }
}

async function makeKey({ visitor, page }: Shop, name = 'Sheets'): Promise<{ id: string; key: string }> {
  const { text, status } = await visitor.follow(await visitor.send(page, `${page}/keys`, { name }))
  const key = /sdx_\w{49}/.exec(text)?.[0]
  if (key === undefined) throw new Error(`no key was made: ${status}`)
  const [row] = await platform.controlSql<[{ id: string }]>`
    select id from api_keys where prefix = ${key.slice(0, 12)} and last_four = ${key.slice(-4)}`
  return { id: row.id, key }
}

async function activeKeys({ store }: Shop): Promise<number> {
  const [row] = await platform.controlSql<[{ count: number }]>`
    select count(*)::int as count from api_keys where store_id = ${store.id} and revoked_at is null`
  return row.count
}

const status = async (key: string) => (await platform.get('/api/v1/store', key)).status

describe('keys of a store', () => {
  test('[AUTH-3] if a merchant creates a key, the API accepts it, and neither log events nor tables of keys, sessions, and requests contain the key', async () => {
    const shop = await newShop()
    const { key } = await makeKey(shop, 'Accounting')
    expect(await status(key)).toBe(200)
    const { text } = await shop.visitor.get(shop.page)
    expect(text).toContain('Accounting')
    expect(text).toContain(key.slice(0, 12))
    expect(text).not.toContain(key)
    const sql = platform.controlSql
    for (const table of ['api_keys', 'merchant_sessions', 'used_form_tokens', 'merchant_links', 'request_log']) {
      const rows = await sql.unsafe(`select to_jsonb(t)::text as row from ${table} t`)
      expect(JSON.stringify(rows), table).not.toContain(key.slice(12, 45))
    }
    expect(JSON.stringify(platform.events)).not.toContain(key.slice(12, 45))
  })

  test('[AUTH-3] a new key is shown only in the browser that created it, for ten minutes or until the merchant confirms copying it', async () => {
    const shop = await newShop()
    const { id, key } = await makeKey(shop, 'Accounting')
    const created = `${shop.page}/keys/${id}/created`
    expect((await shop.visitor.get(created)).text).toContain(key)
    expect((await shop.visitor.get(shop.page)).text).toContain('You haven’t confirmed that you copied the new key')
    const other = await new PlainBrowser(shop.visitor.url).signIn(shop.merchant)
    const sql = platform.controlSql
    const expectHidden = async (visitor: PlainBrowser) => {
      const { text } = await visitor.get(created)
      expect(text).not.toContain(key)
      expect(text).toContain('This key can’t be shown again')
    }
    await expectHidden(other)
    for (const [name, value] of shop.visitor.cookies) if (name !== 'session') other.cookies.set(name, value)
    await expectHidden(other)
    await sql`update api_keys set created_at = created_at - interval '601 seconds' where id = ${id}`
    await expectHidden(shop.visitor)
    await sql`update api_keys set created_at = created_at + interval '601 seconds' where id = ${id}`
    expect((await shop.visitor.get(created)).text).toContain(key)
    await shop.visitor.follow(await shop.visitor.get(`${shop.page}?copied`))
    await expectHidden(shop.visitor)
    expect((await shop.visitor.get(shop.page)).text).not.toContain('You haven’t confirmed')
    expect(await status(key)).toBe(200)
  })

  test('[AUTH-3] if a new key can no longer be shown, its page offers a replacement that revokes the old key immediately', async () => {
    const shop = await newShop()
    const { id, key } = await makeKey(shop, 'Accounting')
    await shop.visitor.get(`${shop.page}?copied`)
    const before = await activeKeys(shop)
    const sent = await shop.visitor.send(`${shop.page}/keys/${id}/created`, `${shop.page}/keys/${id}/replace`)
    const next = /sdx_\w{49}/.exec((await shop.visitor.follow(sent)).text)?.[0] ?? ''
    expect([await status(key), await status(next)]).toEqual([401, 200])
    expect(await activeKeys(shop)).toBe(before)
  })

  test('[AUTH-5] after a merchant revokes a key, the next request with the key gets 401', async () => {
    const shop = await newShop()
    const { id, key } = await makeKey(shop)
    expect(await status(key)).toBe(200)
    const confirmationPage = `${shop.page}/keys/${id}/revoke`
    const done = await shop.visitor.send(confirmationPage, confirmationPage)
    expect(done.headers.get('location')).toBe(shop.page)
    expect(await status(key)).toBe(401)
    expect((await shop.visitor.get(shop.page)).text).toContain('is revoked')
    // A reload does not repeat the notice.
    expect((await shop.visitor.get(shop.page)).text).not.toContain('is revoked')
    const again = await shop.visitor.get(confirmationPage)
    expect(again.headers.get('location')).toBe(shop.page)
    expect((await shop.visitor.follow(again)).text).toContain('is revoked')
  })

  test('[AUTH-5] if a merchant turns a key off, requests with the key get 401 until the merchant turns it on again', async () => {
    const shop = await newShop()
    const { id, key } = await makeKey(shop)
    const off = `${shop.page}/keys/${id}/turn-off`
    expect((await shop.visitor.get(off)).text).toContain(
      'Until you turn it on again, the API rejects the tool’s requests.',
    )
    expect(await status(key)).toBe(200)
    const done = await shop.visitor.send(off, off)
    expect(done.headers.get('location')).toBe(shop.page)
    expect(await status(key)).toBe(401)
    const { text } = await shop.visitor.follow(done)
    expect(text).toContain('“Sheets” is off. Until you turn it on again, the API rejects the tool’s requests.')
    expect(text).toMatch(/<strong>Turned off<\/strong> on /)
    const usage = `/stores/${shop.store.id}/usage/keys/${id}`
    await expect.poll(async () => (await shop.visitor.get(usage)).text).toContain('this key is turned off')
    const on = await shop.visitor.send(shop.page, `${shop.page}/keys/${id}/turn-on`)
    expect((await shop.visitor.follow(on)).text).toContain('“Sheets” is on.')
    expect(await status(key)).toBe(200)
    const [merchant] = await platform.controlSql`select id from merchants where email = ${shop.merchant.email}`
    const events = await platform.controlSql`
      select action, actor from audit_events where key_id = ${id} and action like 'key.turned_%' order by at`
    expect(events).toEqual(
      ['key.turned_off', 'key.turned_on'].map((action) => ({ action, actor: `merchant ${merchant?.id}` })),
    )
    const { text: activity } = await shop.visitor.get(`/stores/${shop.store.id}/settings/activity`)
    for (const change of ['Turned off the key', 'Turned on the key']) expect(activity).toContain(change)
  })

  test("a merchant can replace and revoke a key that is turned off, and the revoked key can't be turned on again", async () => {
    const shop = await newShop()
    const { id, key } = await makeKey(shop)
    const path = (action: string) => `${shop.page}/keys/${id}/${action}`
    await shop.visitor.send(path('turn-off'), path('turn-off'))
    const sent = await shop.visitor.send(path('replace'), path('replace'), { ends: '24' })
    const next = /sdx_\w{49}/.exec((await shop.visitor.follow(sent)).text)?.[0] ?? ''
    expect([await status(key), await status(next)]).toEqual([401, 200])
    const fields = await shop.visitor.hiddenOf(shop.page, path('turn-on'))
    await shop.visitor.send(path('revoke'), path('revoke'))
    const late = await shop.visitor.post(path('turn-on'), fields)
    expect((await shop.visitor.follow(late)).text).toContain('is revoked')
    expect(await status(key)).toBe(401)
  })

  test('[AUTH-5] if a merchant creates a key, and then replaces and immediately revokes it, the audit events of both keys name the merchant', async () => {
    const shop = await newShop()
    const { id } = await makeKey(shop)
    const confirmationPage = `${shop.page}/keys/${id}/replace`
    await shop.visitor.send(confirmationPage, confirmationPage, { ends: '0' })
    const sql = platform.controlSql
    const events = await sql<{ action: string; actor: string; keyId: string }[]>`
      select action, actor, key_id as "keyId" from audit_events
      where store_id = ${shop.store.id} and actor like 'merchant %' order by at, action`
    const [merchant] = await sql<[{ id: string }]>`select id from merchants where email = ${shop.merchant.email}`
    expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([`merchant ${merchant.id}`]))
    expect(events.map(({ action }) => action).toSorted()).toEqual(['key.created', 'key.created', 'key.revoked'])
    expect(events.find(({ action }) => action === 'key.revoked')?.keyId).toBe(id)
  })

  test('opening the pages to revoke or replace a key, without sending a form, leaves the key active', async () => {
    const shop = await newShop()
    const { id, key } = await makeKey(shop)
    await shop.visitor.get(`${shop.page}/keys/${id}/revoke`)
    await shop.visitor.get(`${shop.page}/keys/${id}/replace`)
    expect(await status(key)).toBe(200)
  })

  test.each([
    ['', 'Enter a name, or choose a tool'],
    ['   ', 'Enter a name, or choose a tool'],
    ['x'.repeat(81), 'at most 80 characters'],
    ['line\nbreak', 'no control characters'],
  ])(
    'if the name of a new key is %j, the form gets 400, shows an error message at the name field, and creates no key',
    async (name, message) => {
      const shop = await newShop()
      const before = await activeKeys(shop)
      const response = await shop.visitor.send(shop.page, `${shop.page}/keys`, { name })
      expect(response.status).toBe(400)
      expect(response.text).toContain(message)
      expect(response.text).toContain('aria-invalid="true"')
      expect(await activeKeys(shop)).toBe(before)
    },
  )
})

test("if a store's origin changes to imported after a merchant opened the forms to create and replace a key, sending them changes no key", async () => {
  const shop = await newShop()
  const { id } = await makeKey(shop)
  const before = await activeKeys(shop)
  const forms = [
    [`${shop.page}/keys`, await shop.visitor.hiddenOf(shop.page, `${shop.page}/keys`)],
    [
      `${shop.page}/keys/${id}/replace`,
      await shop.visitor.hiddenOf(`${shop.page}/keys/${id}/replace`, `${shop.page}/keys/${id}/replace`),
    ],
  ] as const
  await platform.controlSql`update stores set origin = 'imported', state = 'ready' where id = ${shop.store.id}`
  for (const [path, hidden] of forms) {
    const sent = await shop.visitor.post(path, { ...hidden, name: 'Accounting', ends: '0' })
    expect([sent.status, sent.headers.get('location')]).toEqual([303, shop.page])
  }
  const { text } = await shop.visitor.follow(await shop.visitor.get(`${shop.page}/keys/${id}/replace`))
  expect(text).toContain('This store was imported and is hosted elsewhere')
  expect(await activeKeys(shop)).toBe(before)
})

describe('the limit of five keys', () => {
  test('[AUTH-4] if a store has five active keys, the form for another key gets 409, and the keys page names the least recently used key', async () => {
    const shop = await newShop()
    for (const name of ['b', 'c', 'd']) await makeKey(shop, name)
    const { id } = await makeKey(shop, 'the idle one')
    await platform.controlSql`
      update api_keys set last_used_at = now() - interval '1 hour' where store_id = ${shop.store.id} and id <> ${id}`
    await platform.controlSql`update api_keys set last_used_at = now() - interval '90 days' where id = ${id}`
    const { text } = await shop.visitor.get(shop.page)
    expect(text).toContain('The least recently used key is <strong>the idle one</strong>')
    expect(text).not.toContain(`action="${shop.page}/keys"`)
    const form_token = await shop.visitor.formTokenOf(shop.page, '/sign-out')
    const sixth = await shop.visitor.post(`${shop.page}/keys`, { name: 'sixth', form_token })
    expect(sixth.status).toBe(409)
    expect(sixth.text).toContain('“sixth” was not created')
    expect(sixth.text).not.toMatch(/sdx_\w{49}/)
    expect(await activeKeys(shop)).toBe(5)
  })

  test("[AUTH-4] if 50 forms for a store's fifth key are sent concurrently, one creates the key, and 49 get 409", async () => {
    const shop = await newShop()
    for (const name of ['b', 'c', 'd']) await makeKey(shop, name)
    const tokens = await Promise.all(
      Array.from({ length: 50 }, () => shop.visitor.formTokenOf(shop.page, `${shop.page}/keys`)),
    )
    const responses = await Promise.all(
      tokens.map((form_token, index) => shop.visitor.post(`${shop.page}/keys`, { name: `racer ${index}`, form_token })),
    )
    const made = responses.filter((response) => response.status === 303)
    expect(made).toHaveLength(1)
    expect(responses.filter((response) => response.status === 409)).toHaveLength(49)
    expect(await activeKeys(shop)).toBe(5)
    const [first] = made
    if (first === undefined) throw new Error('no key was created')
    shop.visitor.cookies.delete('new-key')
    for (const line of first.headers.getSetCookie())
      shop.visitor.cookies.set('new-key', /^new-key=([^;]+)/.exec(line)?.[1] ?? '')
    const { text } = await shop.visitor.follow(first)
    expect(await status(/sdx_\w{49}/.exec(text)?.[0] ?? '')).toBe(200)
  })
})

describe('replacement of a key', () => {
  test('if a merchant replaces a key, requests with both keys get 200 until the merchant revokes the old key', async () => {
    const shop = await newShop()
    const old = await makeKey(shop, 'ERP')
    const confirmationPage = `${shop.page}/keys/${old.id}/replace`
    const { text } = await shop.visitor.follow(await shop.visitor.send(confirmationPage, confirmationPage))
    const key = /sdx_\w{49}/.exec(text)?.[0] ?? ''
    expect([await status(key), await status(old.key)]).toEqual([200, 200])
    const revoke = `${shop.page}/keys/${old.id}/revoke`
    expect(text).toContain(revoke)
    await shop.visitor.send(revoke, revoke)
    expect([await status(key), await status(old.key)]).toEqual([200, 401])
  })

  test.each([
    ['1', 1, '1 hour'],
    ['24', 24, '24 hours'],
    ['168', 168, '7 days'],
    ['a choice of a newer version', 24, '24 hours'],
  ])(
    'if the form to replace a key has ends=%j, the old key expires %i hours after the first use of the new key',
    async (ends, hours, text) => {
      const shop = await newShop()
      const old = await makeKey(shop, 'ERP')
      const confirmationPage = `${shop.page}/keys/${old.id}/replace`
      const sent = await shop.visitor.send(confirmationPage, confirmationPage, { ends })
      const created = (await shop.visitor.follow(sent)).text
      expect(created).toContain(`ends ${text} after the first use of the new one`)
      expect((await shop.visitor.get(shop.page)).text).toContain(`ends ${text} after the first use of the new key`)
      expect(await status(/sdx_\w{49}/.exec(created)?.[0] ?? '')).toBe(200)
      const hoursLeft = async () => {
        const [row] = await platform.controlSql`
        select round(extract(epoch from retires_at - now()) / 3600)::int as hours from api_keys where id = ${old.id}`
        return row?.hours
      }
      await expect.poll(hoursLeft, { timeout: 5000 }).toBe(hours)
      expect(await status(old.key)).toBe(200)
    },
  )

  test.each([
    ['24', '168', 'The old key ends 24 hours after the first use'],
    ['168', '0', 'The old key ends 7 days after the first use'],
    ['0', '24', 'The old key has ended.'],
  ])(
    'if the form that replaced a key is sent again with ends=%j changed to %j, the page says "Your new choice changed nothing"',
    async (first, second, expected) => {
      const shop = await newShop()
      const old = await makeKey(shop, 'ERP')
      const path = `${shop.page}/keys/${old.id}/replace`
      const fields = await shop.visitor.hiddenOf(path, path)
      const sendWith = async (ends: string) =>
        (await shop.visitor.follow(await shop.visitor.post(path, { ...fields, ends }))).text
      const [created, same, other] = [await sendWith(first), await sendWith(first), await sendWith(second)]
      const keys = [created, same, other].map((text) => /sdx_\w{49}/.exec(text)?.[0])
      expect(new Set(keys).size).toBe(1)
      for (const text of [created, same]) expect(text).not.toContain('changed nothing')
      expect(other).toContain('Your new choice changed nothing')
      expect(other).toContain(expected)
      expect(await status(old.key)).toBe(first === '0' ? 401 : 200)
    },
  )

  test('if a merchant replaces a key and chooses to revoke it immediately, the next request with the old key gets 401', async () => {
    const shop = await newShop()
    const old = await makeKey(shop, 'ERP')
    const confirmationPage = `${shop.page}/keys/${old.id}/replace`
    const { text } = await shop.visitor.follow(
      await shop.visitor.send(confirmationPage, confirmationPage, { ends: '0' }),
    )
    expect(text).not.toContain('The old key still works')
    expect([await status(/sdx_\w{49}/.exec(text)?.[0] ?? ''), await status(old.key)]).toEqual([200, 401])
  })

  test('[AUTH-4] if the store has five active keys, the page to replace a key suggests revoking the least recently used key first', async () => {
    const shop = await newShop()
    for (const name of ['b', 'c']) await makeKey(shop, name)
    const idle = await makeKey(shop, 'idle')
    const old = await makeKey(shop, 'ERP')
    await platform.controlSql`
      update api_keys set last_used_at = now() where store_id = ${shop.store.id} and id <> ${idle.id}`
    const confirmationPage = `${shop.page}/keys/${old.id}/replace`
    const { text } = await shop.visitor.get(confirmationPage)
    const revoke = `${shop.page}/keys/${idle.id}/revoke`
    expect(text.indexOf('Revoke another key first')).toBeLessThan(text.indexOf('If you need every key'))
    expect(text.indexOf(`${revoke}?for=${old.id}`)).toBe(text.search(/[^"]*\/revoke\?for=/))
    expect(text).toMatch(/class="button danger-main">Revoke the old key/)
    expect(text).not.toMatch(/class="button main"/)
    const done = await shop.visitor.send(`${revoke}?for=${old.id}`, revoke)
    expect(done.headers.get('location')).toBe(confirmationPage)
    expect((await shop.visitor.get(confirmationPage)).text).toContain('“idle” is revoked')
    expect((await shop.visitor.get(confirmationPage)).text).toContain('value="24" checked')
    expect(await status(old.key)).toBe(200)
  })

  test('[AUTH-4] if the store has five active keys, replacing a key revokes the old key immediately, and five keys stay active', async () => {
    const shop = await newShop()
    for (const name of ['b', 'c', 'd']) await makeKey(shop, name)
    const old = await makeKey(shop, 'ERP')
    const confirmationPage = `${shop.page}/keys/${old.id}/replace`
    const { text } = await shop.visitor.follow(await shop.visitor.send(confirmationPage, confirmationPage))
    const key = /sdx_\w{49}/.exec(text)?.[0] ?? ''
    expect([await status(key), await status(old.key)]).toEqual([200, 401])
    expect(await activeKeys(shop)).toBe(5)
  })
})

describe('replacement of a key in two tabs', () => {
  test("if the store's fifth key is created while a merchant has the form to replace a key open, the form gets 409 and changes nothing", async () => {
    const shop = await newShop()
    for (const name of ['b', 'c']) await makeKey(shop, name)
    const old = await makeKey(shop, 'ERP')
    const confirmationPage = `${shop.page}/keys/${old.id}/replace`
    const first = await shop.visitor.hiddenOf(confirmationPage, confirmationPage)
    expect(first.ends).toBeUndefined()
    await makeKey(shop, 'created in the other tab')
    const response = await shop.visitor.post(confirmationPage, first)
    expect(response.status).toBe(409)
    expect(response.text).toContain('Nothing was changed')
    expect(response.text).toContain('This revokes the old key immediately')
    expect(await status(old.key)).toBe(200)
    expect(await activeKeys(shop)).toBe(5)
  })

  test('if two open forms replace the same key, the second gets 409, and only one new key is created', async () => {
    const shop = await newShop()
    const old = await makeKey(shop, 'ERP')
    const confirmationPage = `${shop.page}/keys/${old.id}/replace`
    const [one, other] = [
      await shop.visitor.hiddenOf(confirmationPage, confirmationPage),
      await shop.visitor.hiddenOf(confirmationPage, confirmationPage),
    ]
    expect((await shop.visitor.post(confirmationPage, one)).status).toBe(303)
    const second = await shop.visitor.post(confirmationPage, other)
    expect(second.status).toBe(409)
    expect(second.text).toContain('is already being replaced')
    expect(await activeKeys(shop)).toBe(3)
    expect((await shop.visitor.get(confirmationPage)).text).toContain('is already being replaced')
  })
})

describe('stores that a merchant may not see', () => {
  test("if a merchant requests pages or sends forms for another merchant's store, key, or row, each response is 404, and no key changes", async () => {
    const [own, other] = [await newShop(), await newShop()]
    const { id: otherKey, key } = await makeKey(other)
    const [row] = await other.store.sql<[{ id: string }]>`
      insert into customers (id, email, created_at) values (gen_random_uuid(), 'x@example.com', now()) returning id`
    const foreign = `/stores/${other.store.id}`
    const paths = [
      ...['/settings/general', '/settings/api', '/settings/api/live', '/usage', '/recipes'].map(
        (path) => foreign + path,
      ),
      ...['/data/orders', '/data/orders.csv', `/data/customers/${row.id}`].map((path) => foreign + path),
      ...['revoke', 'replace'].map((verb) => `${foreign}/settings/api/keys/${otherKey}/${verb}`),
      `${foreign}/usage/keys/${otherKey}`,
      // The merchant's own store with a key or row of another store.
      ...['revoke', 'replace'].map((verb) => `${own.page}/keys/${otherKey}/${verb}`),
      `/stores/${own.store.id}/usage/keys/${otherKey}`,
      `/stores/${own.store.id}/usage?key=${otherKey}`,
      `/stores/${own.store.id}/data/customers/${row.id}`,
    ]
    for (const path of paths) {
      const { status, text } = await own.visitor.get(path)
      expect(status, path).toBe(404)
      expect(text).not.toContain('x@example.com')
    }
    for (const path of [
      `${other.page}/keys/${otherKey}/revoke`,
      `${own.page}/keys/${otherKey}/revoke`,
      `${other.page}/keys`,
    ]) {
      const form_token = await own.visitor.formTokenOf(own.page, '/sign-out')
      const { status } = await own.visitor.post(path, { name: 'intruder', form_token })
      expect(status, path).toBe(404)
    }
    const replace = await own.visitor.post(`${own.page}/keys/${otherKey}/replace`, {
      form_token: await own.visitor.formTokenOf(own.page, '/sign-out'),
    })
    expect(replace.status).toBe(404)
    expect(await status(key)).toBe(200)
    expect(await activeKeys(other)).toBe(2)
  })

  test('after a store is removed, the next request for its keys page gets 404', async () => {
    const shop = await newShop()
    expect((await shop.visitor.get(shop.page)).status).toBe(200)
    await platform.controlSql`update stores set removed_at = now(), database_url = null, database_password = null
      where id = ${shop.store.id}`
    expect((await shop.visitor.get(shop.page)).status).toBe(404)
  })
})

describe('usage of a key', () => {
  test("the page of a key shows the error code of a failed request, but neither the request's parameters nor any store data", async () => {
    const shop = await newShop()
    const { id, key } = await makeKey(shop, 'Walker')
    await shop.store.sql`
      insert into customers (id, email, created_at)
      select gen_random_uuid(), 'customer-' || n || '@example.com', now() from generate_series(1, 7) n`
    const first = await platform.get('/api/v1/customers?limit=3', key)
    await platform.get(`/api/v1/customers?limit=3&cursor=${first.json.meta.next_cursor}`, key)
    await platform.get('/api/v1/customers?limit=nonsense', key)
    const usagePage = `/stores/${shop.store.id}/usage/keys/${id}`
    // The service records a request after its response, and writes hours and lines separately.
    const hours = () => platform.controlSql`
      select sum(successful)::int as successful, sum(client_errors)::int as errors from usage_hours where key_id = ${id}`
    // The request with the wrong limit is not successful.
    await expect.poll(hours, { timeout: 5000 }).toEqual([{ successful: 2, errors: 1 }])
    const pageText = async () => (await shop.visitor.get(usagePage)).text
    await expect.poll(pageText, { timeout: 5000 }).toContain('INVALID_PARAM')
    const text = await pageText()
    expect(text).not.toContain('nonsense')
    expect(text).not.toContain('customer-1@example.com')
    expect((await shop.visitor.get(`/stores/${shop.store.id}/usage?key=${id}`)).text).toContain('Walker')
    expect((await shop.visitor.get(`${shop.page}/live`)).text).toMatch(/\b3\b/)
  })
})
