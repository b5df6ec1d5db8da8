import { DEFAULT_KEY_PREFIX, LIMITS } from '@store-export/contract'
import { listKeys } from '@store-export/control'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addMerchant, type TestMerchant } from '../../../../test/support/merchant.ts'
import type { TestStore } from '../../../../test/support/platform.ts'
import { openScene, type Page, reloadUntil, SCRIPTING, type Scene, signIn, textOf, textsOf } from '../support/scene.ts'

const WHOLE_KEY = new RegExp(`${DEFAULT_KEY_PREFIX}[0-9A-Za-z]{49}`)

let scene: Scene
let store: TestStore
let merchant: TestMerchant
beforeAll(async () => {
  scene = await openScene()
  store = await scene.platform.provision()
  merchant = await addMerchant(scene.platform, store.id)
})
afterAll(() => scene.close())
beforeEach(async () => {
  const { controlSql, newKey } = scene.platform
  // Each test starts with one key that was never used.
  await controlSql`delete from usage_hours where key_id in (select id from api_keys)`
  await controlSql`delete from api_keys`
  const { id: keyId, key } = await newKey(store.id)
  store = { ...store, keyId, key }
})

const settings = () => `${scene.url}/stores/${store.id}/settings/api`
const activeNames = async () => {
  const keys = await listKeys({ database: scene.platform.service.control, storeId: store.id, activeOnly: true })
  return keys.map(({ name }) => name)
}
const statusWith = async (key: string) => (await scene.platform.get('/api/v1/store', key)).status

async function createKey(page: Page, name: string): Promise<string> {
  await page.getByLabel('Name of the key').fill(name)
  await page.getByRole('button', { name: 'Create key' }).click()
  return textOf(page, '#key')
}

/** Returns the sentence about the tool of an active key. */
const healthOf = (page: Page, name: string) => textOf(page, `.key:has(.key-name:text-is("${name}")) .health`)

describe.each(SCRIPTING)('keys $scripting', ({ javaScript }) => {
  test('[AUTH-3, AUTH-5] if a merchant creates a key, API requests with the key get 200 until the merchant revokes it, and then 401', async () => {
    const { page } = await scene.openPage({ javaScript })
    await page.goto(scene.url)
    await signIn(page, merchant)
    expect(page.url()).toBe(settings())

    const key = await createKey(page, 'Accounting')
    expect(key).toMatch(WHOLE_KEY)
    expect(page.url()).not.toContain(key)
    expect(await textOf(page, '#curl')).toContain(key)
    expect(await textOf(page, 'main')).toContain('After that, you can only replace it.')
    expect(await statusWith(key)).toBe(200)

    await page.getByRole('link', { name: 'I have copied the key' }).click()
    expect(await healthOf(page, 'test')).toBe('Not used yet. Put the key into the tool.')
    const used = expect.stringMatching(/^In use, last request (now|\d+ seconds? ago)\.$/)
    await reloadUntil(page, () => healthOf(page, 'Accounting'), used)
    await page.getByRole('link', { name: 'Accounting', exact: true }).click()
    const [line = ''] = await textsOf(page, '#log-lines tbody tr')
    expect(line).toMatch(/\/api\/v1\/store200\s*1/)

    await page.getByRole('link', { name: 'Revoke' }).click()
    expect(await textOf(page, 'h1')).toBe('Revoke this key?')
    expect(await textOf(page, 'main .facts')).toMatch(/Last used(\d+ seconds? ago|now)/)
    expect(await statusWith(key)).toBe(200)
    await page.getByRole('button', { name: 'Revoke key' }).click()
    expect(await statusWith(key)).toBe(401)
    expect(page.url()).toContain(settings())
    expect(await textOf(page, '.notice')).toContain('“Accounting” is revoked')
    expect(await activeNames()).toEqual(['test'])
  })

  test('[AUTH-5] if a merchant turns a key off, API requests with the key get 401 until the merchant turns it on again', async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(settings())
    await page.getByRole('link', { name: 'Turn off test' }).click()
    expect(await textOf(page, 'main')).toContain('Until you turn it on again, the API rejects the tool’s requests.')
    expect(await statusWith(store.key)).toBe(200)
    await page.getByRole('button', { name: 'Turn off' }).click()
    expect(await healthOf(page, 'test')).toMatch(/^Turned off on .+\. The API rejects the tool’s requests\.$/)
    expect(await statusWith(store.key)).toBe(401)
    await page.getByRole('link', { name: 'test', exact: true }).click()
    await page.getByRole('button', { name: 'Turn on' }).click()
    expect(await textOf(page, '.notice')).toContain('“test” is on.')
    expect(await statusWith(store.key)).toBe(200)
  })

  test('[AUTH-3] if the page of a new key is reloaded, it shows the same key, and no second key is created', async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(settings())
    const key = await createKey(page, 'Stock sheet')
    await page.reload()
    expect(await textOf(page, '#key')).toBe(key)
    await page.goBack()
    expect(await page.content()).not.toContain(key)
    expect(await textOf(page, '.callout')).toContain('You haven’t confirmed that you copied the new key Stock sheet.')
    await page.goForward()
    expect(await textOf(page, '#key')).toBe(key)
    expect(await activeNames()).toEqual(['test', 'Stock sheet'])
  })

  test(`[AUTH-3] after a merchant confirms copying a new key, going back shows "This key can't be shown again"`, async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(settings())
    const key = await createKey(page, 'Stock sheet')
    await page.getByRole('link', { name: 'I have copied the key' }).click()
    expect(await textOf(page, 'h1')).toBe('API')
    await page.goBack()
    await expect.poll(() => textOf(page, 'h1')).toBe('This key can’t be shown again')
    expect(await page.content()).not.toContain(key)
    expect(await activeNames()).toEqual(['test', 'Stock sheet'])
    await page.getByRole('button', { name: 'Replace it with a new key' }).click()
    expect(await statusWith(await textOf(page, '#key'))).toBe(200)
    expect(await statusWith(key)).toBe(401)
    expect(await activeNames()).toEqual(['test', 'Stock sheet'])
  })

  test('if a tool stops after 750 orders, the keys page shows "Stopped at 750 orders" until the tool reads the list again', async () => {
    const sql = scene.platform.controlSql
    await sql`
      insert into walks (key_id, endpoint, filters, begun_at, last_at, requests, pages, rows, ended)
      values (${store.keyId}, '/api/v1/orders', '', now() - interval '2 hours', now() - interval '1 hour', 3, 3, 750, false)`
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(settings())
    expect(await healthOf(page, 'test')).toMatch(/^Stopped at 750 orders, on .*\. Request log of test$/)
    await page.getByRole('link', { name: 'Request log of test' }).click()
    expect(await textOf(page, 'h1')).toBe('test')
    await sql`
      insert into walks (key_id, endpoint, filters, begun_at, last_at, requests, pages, rows, ended)
      values (${store.keyId}, '/api/v1/orders', '', now(), now(), 4, 4, 950, true)`
    await page.goto(settings())
    expect(await healthOf(page, 'test')).toBe('Not used yet. Put the key into the tool.')
    await sql`
      insert into walks (key_id, endpoint, filters, begun_at, last_at, requests, pages, rows, ended)
      values (${store.keyId}, '/api/v1/orders', '', now() + interval '1 second', now(), 2, 2, 500, false)`
    await page.goto(settings())
    expect(await healthOf(page, 'test')).toBe('Reads orders now: 500 rows so far.')
    await sql`delete from walks where key_id = ${store.keyId}`
  })

  test('if a merchant replaces a key, API requests with the old key get 200 until the merchant revokes it, and then 401', async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(settings())
    await page.getByRole('link', { name: 'Replace test' }).click()
    await page.getByRole('button', { name: 'Create the new key' }).click()
    const key = await textOf(page, '#key')
    expect(await textOf(page, 'main')).toContain('The old key still works')
    expect([await statusWith(store.key), await statusWith(key)]).toEqual([200, 200])

    await page.goto(settings())
    expect(await textsOf(page, '.badge')).toEqual(['Being replaced'])
    // Both keys have the same name, so the page shows the masked new key.
    const [details = ''] = await textsOf(page, '.key-details')
    expect(details).toContain(`replaced by ${key.slice(0, 12)}…${key.slice(-4)}`)
    await page.getByRole('link', { name: 'Revoke the old key test' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    expect([await statusWith(store.key), await statusWith(key)]).toEqual([401, 200])
    expect(await activeNames()).toEqual(['test'])
  })

  test('[AUTH-4] if the store already has five active keys, replacing a key revokes the old key immediately', async () => {
    for (let count = 1; count < LIMITS.activeKeysPerStore; count += 1) await scene.platform.newKey(store.id)
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(settings())
    await page.getByRole('link', { name: 'Replace test' }).first().click()
    expect(await textsOf(page, 'main h2')).toEqual(['Revoke another key first', 'If you need every key'])
    expect(await textOf(page, 'main')).toContain('This revokes the old key immediately')
    await page.getByRole('button', { name: 'Revoke the old key' }).click()
    expect(await statusWith(await textOf(page, '#key'))).toBe(200)
    expect(await statusWith(store.key)).toBe(401)
    expect(await textOf(page, 'main')).not.toContain('The old key still works')
    expect(await activeNames()).toHaveLength(LIMITS.activeKeysPerStore)
  })

  test('[AUTH-4] if the store has five active keys, the form for a sixth key is rejected, and the page names the least recently used key', async () => {
    const { platform } = scene
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(settings())
    const made: string[] = []
    for (let count = 1; count < LIMITS.activeKeysPerStore; count += 1) made.push((await platform.newKey(store.id)).id)
    const idle = made.at(-1) ?? ''
    await platform.controlSql`update api_keys set name = 'Idle', last_used_at = null where id = ${idle}`
    await platform.controlSql`
      update api_keys set last_used_at = now() where store_id = ${store.id} and id <> ${idle}`
    await page.getByLabel('Name of the key').fill('Sixth')
    await page.getByRole('button', { name: 'Create key' }).click()
    expect(await textOf(page, '.callout')).toMatch(
      /^You have 5 active keys, which is the limit\..* The least recently used key is Idle: 0 requests in 24 hours, last used never\.$/,
    )
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
    expect(await activeNames()).not.toContain('Sixth')
  })

  test('if a merchant enters no name and chooses no tool, the form says "Enter a name, or choose a tool" and creates no key', async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    await page.goto(settings())
    const field = page.getByLabel('Name of the key')
    await field.fill('   ')
    await page.getByRole('button', { name: 'Create key' }).click()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    const described = (await field.getAttribute('aria-describedby')) ?? ''
    expect(described.split(' ')).toContain('name-problem')
    expect(await textOf(page, '#name-problem')).toBe(
      'Enter a name, or choose a tool. The key then gets the name of the tool.',
    )
    expect(await activeNames()).toEqual(['test'])
  })
})

describe('the script of the keys pages', () => {
  test('if a merchant presses a Copy button, the key or the command is copied, and screen readers announce "Copied to the clipboard"', async () => {
    const { page, context } = await scene.openAs(merchant)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: scene.url })
    await page.goto(settings())
    const key = await createKey(page, 'Accounting')
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await page.getByRole('button', { name: 'Copy Key' }).click()
    await expect.poll(() => textOf(page, '#announcer')).toBe('Copied to the clipboard')
    expect(await copied()).toBe(key)
    const line = await textOf(page, '#curl')
    await page.getByRole('button', { name: 'Copy Shell command' }).click()
    await expect.poll(copied).toBe(line)
  })

  test('while the form for a new key is being sent, its button shows a pending state, and a second click sends nothing', async () => {
    const { page } = await scene.openAs(merchant)
    await page.goto(settings())
    await page.getByLabel('Name of the key').fill('Accounting')
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    await page.evaluate(`document.querySelector('form[action$="/keys"] button').click()`)
    // A second click while the first request is still open.
    const isPending = page.evaluate(`(() => {
      const button = document.querySelector('form[action$="/keys"] button')
      button?.click()
      return button === null || (button.ariaDisabled === 'true' && button.classList.contains('pending'))
    })()`)
    expect(await isPending.catch(() => true)).toBe(true)
    expect(await textOf(page, '#key')).toMatch(WHOLE_KEY)
    expect(sent).toEqual([`${settings()}/keys`])
    expect(await activeNames()).toEqual(['test', 'Accounting'])
  })

  test('if a merchant leaves the page of a new key, the browser shows a confirmation dialog, unless the Copy button was used', async () => {
    const { page, context } = await scene.openAs(merchant)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: scene.url })
    const dialogs: string[] = []
    page.on('dialog', (dialog) => dialogs.push(dialog.type()))
    await page.goto(settings())
    const key = await createKey(page, 'Accounting')
    await page.getByRole('link', { name: 'Usage' }).click()
    expect(await textOf(page, 'h1')).toBe('Usage')
    expect(dialogs).toEqual(['beforeunload'])
    await page.goto(settings())
    await page.getByRole('link', { name: 'Show it again' }).click()
    expect(await textOf(page, '#key')).toBe(key)
    await page.getByRole('button', { name: 'Copy Key' }).click()
    await expect.poll(() => textOf(page, '#announcer')).toBe('Copied to the clipboard')
    await page.getByRole('link', { name: 'Usage' }).click()
    expect(await textOf(page, 'h1')).toBe('Usage')
    expect(dialogs).toEqual(['beforeunload'])
  })

  test('if a tool sends the first request with a new key, the open page of the key shows the request without a reload', async () => {
    const { page } = await scene.openAs(merchant)
    await page.goto(settings())
    await page.getByRole('radio', { name: 'store-sync' }).check()
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await textOf(page, '#key')
    expect(await textOf(page, '#curl')).toContain(`export STORE_EXPORT_KEY='${key}'`)
    expect(await textOf(page, '#first-request')).toContain('Waiting for the first request.')
    expect(await statusWith(key)).toBe(200)
    await expect.poll(() => textOf(page, '#first-request'), { timeout: 8000 }).toContain('Connected: 1 request, 1 row.')
  })

  test('if JavaScript is off, the page of a new key shows no Copy button', async () => {
    const { page } = await scene.openAs(merchant, { javaScript: false })
    await page.goto(settings())
    await createKey(page, 'Accounting')
    expect(await page.locator('button.copy:visible').count()).toBe(0)
  })

  test("the open keys page shows a key's first use without a reload, and opens the sign-in page after the session ends", async () => {
    const { page, context } = await scene.openAs(merchant)
    await page.clock.install()
    await page.goto(settings())
    expect(await healthOf(page, 'test')).toContain('Not used yet')
    expect(await statusWith(store.key)).toBe(200)
    // A page reads the last use and the requests separately, so it can show the one before the other.
    const refreshed = async () => {
      await page.clock.runFor(10_000)
      return `${await healthOf(page, 'test')} ${await textOf(page, '.key-details')}`
    }
    await expect.poll(refreshed, { timeout: 5000 }).toMatch(/In use.*1 request in 24 hours/)
    await context.clearCookies()
    const isAway = async () => {
      await page.clock.runFor(10_000)
      return new URL(page.url()).pathname
    }
    await expect.poll(isAway, { timeout: 5000 }).toBe('/sign-in')
  })
})
