import { randomUUID } from 'node:crypto'
import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addMerchant, type TestMerchant } from '../../../../test/support/merchant.ts'
import type { TestStore } from '../../../../test/support/platform.ts'
import { difference, foreignAddresses, shownElements } from '../support/elements.ts'
import { addRevokedKeys, fillLists, LIST_NAMES, type ListName, nameRevokedKeys } from '../support/hostile-rows.ts'
import { HOSTILE_TEXTS_COUNT, harmlessTexts, hostileTexts } from '../support/hostile-texts.ts'
import { openScene, type Page, type Scene, signIn, textOf, textsOf } from '../support/scene.ts'

const HOSTILE = hostileTexts()
const HARMLESS = harmlessTexts()
/** A sample, for pages that show one name. */
const SOME = HOSTILE.filter((_, at) => at % 53 === 0)

let scene: Scene
let store: TestStore
/** A store with one key, because pages with 500 keys are slow. */
let small: TestStore
let merchant: TestMerchant
beforeAll(async () => {
  scene = await openScene()
  store = await scene.platform.provision()
  small = await scene.platform.provision()
  merchant = await addMerchant(scene.platform, store.id, small.id)
  await fillLists(store, HOSTILE)
  await addRevokedKeys(control(), store.id, HOSTILE.length)
})
afterAll(() => scene.close())

const control = () => scene.platform.controlSql
const base = () => `${scene.url}/stores/${store.id}`
const ofSmall = () => `${scene.url}/stores/${small.id}`

/** Returns the elements of a page, after a check that it does not link to another site. */
async function elementsOf(page: Page, address: string): Promise<string[]> {
  await page.goto(address)
  expect(await foreignAddresses(page, scene.platform.service.url)).toEqual([])
  return shownElements(page)
}

test('the 500 names for the HTML tests are distinct and have 1 to 80 characters without surrounding spaces', () => {
  expect(new Set(HOSTILE).size).toBe(HOSTILE_TEXTS_COUNT)
  expect(HARMLESS).toHaveLength(HOSTILE_TEXTS_COUNT)
  expect(HOSTILE.every((text) => text.length > 0 && [...text].length <= 80 && text.trim() === text)).toBe(true)
})

describe('texts with HTML', () => {
  let page: Page
  beforeEach(async () => {
    page = (await scene.openAs(merchant)).page
  })

  test('if names and creators of revoked keys contain HTML, the keys page and the Usage page show the HTML as text', async () => {
    const pages = ['/settings/api', '/usage']
    await nameRevokedKeys(control(), store.id, HARMLESS)
    const harmless = [await elementsOf(page, base() + pages[0]), await elementsOf(page, base() + pages[1])]
    await nameRevokedKeys(control(), store.id, HOSTILE)
    expect(difference(harmless[0] ?? [], await elementsOf(page, base() + pages[0]))).toBeNull()
    const listed = 'table:has(caption:text-is("Revoked keys"))'
    expect(await page.locator(`${listed} .key-name`).allTextContents()).toEqual(HOSTILE)
    expect(await page.locator(`${listed} .creator`).allTextContents()).toEqual(HOSTILE)
    expect(difference(harmless[1] ?? [], await elementsOf(page, base() + pages[1]))).toBeNull()
    const used = await page.locator('table:has-text("Requests by key") .key-name').allTextContents()
    expect(used.filter((name) => name !== 'test').toSorted()).toEqual(HOSTILE.toSorted())
  })

  test('if the name of a key contains HTML, the pages to view, revoke, and replace the key show the name as text', async () => {
    const { keyId } = small
    const asks = [`/settings/api/keys/${keyId}/revoke`, `/settings/api/keys/${keyId}/replace`]
    const named = ['/settings/api', ...asks, `/usage/keys/${keyId}`, `/usage?key=${keyId}`]
    const rename = (name: string) =>
      control()`update api_keys set name = ${name}, created_by = ${name} where id = ${small.keyId}`
    await rename('Name')
    const harmless = new Map<string, string[]>()
    for (const path of named) harmless.set(path, await elementsOf(page, ofSmall() + path))
    for (const text of SOME.slice(0, 4)) {
      await rename(text)
      for (const path of named) {
        expect(difference(harmless.get(path) ?? [], await elementsOf(page, ofSmall() + path)), path).toBeNull()
        expect(await textOf(page, 'main')).toContain(text)
      }
    }
    await rename('test')
  })

  test('if the name of a new key contains HTML, the pages after its creation and revocation show the name as text', async () => {
    const make = async (name: string) => {
      await page.goto(`${ofSmall()}/settings/api`)
      await page.getByLabel('Name of the key').fill(name)
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.locator('#key').waitFor()
      const elements = await shownElements(page)
      expect(await textOf(page, 'main .lead strong')).toBe(name)
      const [key] = await control()<[{ id: string }]>`
        update api_keys set revoked_at = now() where store_id = ${small.id} and revoked_at is null and name = ${name}
        returning id`
      await page.goto(`${ofSmall()}/settings/api/keys/${key.id}/revoke`)
      expect(await textOf(page, '.notice p')).toContain(`“${name}” is revoked`)
      return elements
    }
    const harmless = await make('Name')
    for (const text of SOME.slice(4, 8)) expect(difference(harmless, await make(text)), text).toBeNull()
  })

  test.each(['products', 'customers'] satisfies ListName[])(
    'if 500 %s have HTML in their names or email addresses, the Data pages show the HTML as text',
    async (list) => {
      const shown: string[] = []
      const column = list === 'products' ? 'th a' : 'td[data-label=Email]'
      let harmless: string[] | null = null
      for (let address: string | null = `${base()}/data/${list}?`; address !== null; ) {
        const elements = await elementsOf(page, address)
        shown.push(...(await textsOf(page, `#rows ${column}`)))
        const next = page.getByRole('link', { name: 'Load more' })
        address = (await next.count()) === 0 ? null : scene.url + (await next.getAttribute('href'))
        // All pages between the first and the last must have the same elements.
        if (address === null || shown.length <= 50) continue
        expect(difference(harmless ?? elements, elements)).toBeNull()
        harmless ??= elements
      }
      expect(shown.toSorted()).toEqual(HOSTILE.toSorted())
    },
  )

  test.each(LIST_NAMES)('if a row of %s contains HTML, the page of the row shows the HTML as text', async (list) => {
    await elementsOf(page, `${base()}/data/${list}?order=oldest`)
    const row = page.locator('#rows > tr th a').first()
    await page.goto(scene.url + (await row.getAttribute('href')))
    const { json } = await scene.platform.get(`/api/v1/${list}?limit=1`, store.key)
    expect(Object.values(JSON.parse(await textOf(page, '#json')))).toEqual(
      expect.arrayContaining(Object.values(json.data[0]).filter((value) => typeof value === 'string')),
    )
    expect(await page.locator('#json :not(span)').count()).toBe(0)
  })

  test('if a URL contains HTML as a search text or as the token of a one-time link, the form field shows the HTML as text', async () => {
    const search = (text: string) => `${base()}/data/orders?find=${encodeURIComponent(text)}`
    const link = (text: string) => `${scene.url}/link/${encodeURIComponent(text)}`
    const harmless = [await elementsOf(page, search('Name')), await elementsOf(page, link('Name'))]
    for (const text of SOME) {
      expect(difference(harmless[0] ?? [], await elementsOf(page, search(text))), text).toBeNull()
      expect(await page.getByLabel('Find by ID').inputValue()).toBe(text)
      expect(difference(harmless[1] ?? [], await elementsOf(page, link(text))), text).toBeNull()
      expect(await page.locator('input[name=token]').inputValue()).toBe(text)
    }
  })

  test("if the name of a store contains HTML, the list of stores and the store's pages show the name as text", async () => {
    const owner = await addMerchant(scene.platform, store.id)
    const { page: shown } = await scene.openAs(owner)
    await control()`
      with made as (
        insert into stores (id, name, origin, state) select gen_random_uuid(), text, 'generated', 'generating'
        from jsonb_array_elements_text(${JSON.stringify(HOSTILE)}::text::jsonb) as text returning id)
      insert into memberships (merchant_id, store_id) select ${owner.id}, id from made`
    const elements = await elementsOf(shown, `${scene.url}/stores`)
    expect((await shown.locator('.store-name').allTextContents()).toSorted()).toEqual(
      [...HOSTILE, `Store at ${LATEST_REVISION}`].toSorted(),
    )
    const names = new Set(elements.slice(elements.indexOf('main id tabindex')))
    expect(names.size).toBeLessThan(20)

    const stores = await control()<{ id: string; name: string }[]>`
      select id, name from stores
      where name in (select jsonb_array_elements_text(${JSON.stringify(SOME.slice(0, 5))}::text::jsonb))`
    const paths = ['settings/general', 'settings/api']
    const harmless = await control()<[{ id: string }]>`
      with made as (
        insert into stores (id, name, origin, state) values (${randomUUID()}, 'Name', 'generated', 'generating') returning id)
      insert into memberships (merchant_id, store_id) select ${owner.id}, id from made returning store_id as id`
    for (const path of paths) {
      const expected = await elementsOf(shown, `${scene.url}/stores/${harmless[0].id}/${path}`)
      for (const { id, name } of stores) {
        expect(difference(expected, await elementsOf(shown, `${scene.url}/stores/${id}/${path}`)), name).toBeNull()
        expect(await textOf(shown, '.store-box .store-name')).toBe(name)
      }
    }
    expect(stores).toHaveLength(5)
  })

  test('if the name, email address, and time zone of a store contain HTML, the General page shows them as text', async () => {
    const address = `${ofSmall()}/settings/general`
    for (const text of SOME) {
      await small.sql`update store set store_name = ${text}, store_email = ${text}, name = ${text}, store_timezone = ${text}`
      await elementsOf(page, address)
      expect(JSON.parse(await textOf(page, '#snapshot-json'))).toMatchObject({ store_name: text, store_email: text })
      expect(await page.locator('.facts dd').allTextContents()).toContain(text)
      expect(await page.locator('#snapshot-json :not(span)').count()).toBe(0)
    }
  })

  test('if the email address of a merchant contains HTML, the account and sign-in pages show the address as text', async () => {
    const named = await addMerchant(scene.platform, store.id)
    const { page: shown } = await scene.openAs(named)
    const rename = (email: string) => control()`update merchants set email = ${email} where id = ${named.id}`
    await rename('name@example.com')
    const harmless = await elementsOf(shown, `${scene.url}/account`)
    for (const text of SOME) {
      await rename(text)
      expect(difference(harmless, await elementsOf(shown, `${scene.url}/account`)), text).toBeNull()
      expect(await textsOf(shown, '.account-email, main .page-head .lead')).toEqual([text, text])
    }

    const { page: outside } = await scene.openPage()
    for (const text of SOME.slice(5)) {
      await outside.goto(`${scene.url}/sign-in`)
      const elements = await shownElements(outside)
      await outside.evaluate(`document.querySelector('form').noValidate = true`)
      await outside.getByLabel('Email').evaluate(`(input) => { input.type = 'text' }`)
      await signIn(outside, { email: text, password: 'not this one' })
      expect(await outside.getByLabel('Email').getAttribute('value')).toBe(text)
      const rejected = await shownElements(outside)
      expect(
        difference(
          elements,
          rejected.filter((element) => element !== 'p class role'),
        ),
        text,
      ).toBeNull()
    }
  })
})
