import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsOf, addMerchant, type TestMerchant } from '../../../../test/support/merchant.ts'
import type { TestStore } from '../../../../test/support/platform.ts'
import { openScene, type Page, SCRIPTING, type Scene, signIn, textOf, textsOf } from '../support/scene.ts'

let scene: Scene
let store: TestStore
let second: TestStore
let merchant: TestMerchant
let owner: TestMerchant
beforeAll(async () => {
  scene = await openScene()
  const { platform } = scene
  store = await platform.provision()
  second = await platform.provision('launch')
  merchant = await addMerchant(platform, store.id)
  owner = await addMerchant(platform, store.id, second.id)
})
afterAll(() => scene.close())

const settings = ({ id }: TestStore) => `${scene.url}/stores/${id}/settings/api`

async function openAndSignIn(page: Page, as: TestMerchant): Promise<void> {
  await page.goto(`${scene.url}/sign-in`)
  await signIn(page, as)
}

describe.each(SCRIPTING)('sign-in and account pages $scripting', ({ javaScript }) => {
  test('if the password is wrong, the sign-in form says "The email address or the password is wrong" and preserves only the email address', async () => {
    const { page } = await scene.openPage({ javaScript })
    await openAndSignIn(page, { ...merchant, password: 'not this one' })
    expect(await textOf(page, '[role=alert]')).toBe('The email address or the password is wrong.')
    expect(await page.getByLabel('Email').inputValue()).toBe(merchant.email)
    expect(await page.getByLabel('Password').inputValue()).toBe('')
    await signIn(page, merchant)
    expect(page.url()).toBe(settings(store))
  })

  test('after a sign-out, pressing Back or opening the URL of a store page leads to the sign-in page', async () => {
    const { page } = await scene.openPage({ javaScript })
    await openAndSignIn(page, merchant)
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(new URL(page.url()).pathname).toBe('/sign-in')
    // The URL changes before the page does. Going back before the page has loaded would have no effect.
    expect(await textOf(page, 'h1')).toBe('Sign in')
    await page.goBack()
    expect(new URL(page.url()).pathname).toBe('/sign-in')
    await page.goto(settings(store))
    expect(new URL(page.url()).pathname).toBe('/sign-in')
  })

  test(`if a merchant presses "Sign out everywhere", the merchant's session in another browser ends`, async () => {
    const { page } = await scene.openPage({ javaScript })
    const { page: elsewhere } = await scene.openPage({ javaScript })
    const leaving = await addMerchant(scene.platform, store.id)
    await openAndSignIn(page, leaving)
    await openAndSignIn(elsewhere, leaving)
    await elsewhere.goto(settings(store))
    await page.goto(`${scene.url}/account`)
    expect(await page.getByRole('table', { name: 'Where you’re signed in' }).getByRole('row').count()).toBe(3)
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    expect(new URL(page.url()).pathname).toBe('/sign-in')
    await elsewhere.reload()
    expect(new URL(elsewhere.url()).pathname).toBe('/sign-in')
  })

  test("if a merchant has two stores, signing in opens the list of stores, and each store's page links back to the list", async () => {
    const { page } = await scene.openPage({ javaScript })
    await openAndSignIn(page, owner)
    expect(page.url()).toBe(`${scene.url}/stores`)
    expect((await textsOf(page, '.store-name')).toSorted()).toEqual(['Store at launch', `Store at ${LATEST_REVISION}`])
    await page.getByRole('link', { name: 'Store at launch' }).click()
    expect(page.url()).toBe(settings(second))
    await page.getByRole('link', { name: 'choose another store' }).click()
    expect(page.url()).toBe(`${scene.url}/stores`)
  })

  test("if a merchant opens a page of another merchant's store, the response is 404", async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    for (const path of ['settings/general', 'settings/api', 'usage', 'data/orders', 'recipes', 'data/orders.csv']) {
      const response = await page.goto(`${scene.url}/stores/${second.id}/${path}`)
      expect(response?.status(), path).toBe(404)
      expect(await textOf(page, 'h1')).toBe('Page not found')
      expect(await page.content()).not.toContain('Store at launch')
    }
  })

  test("if a merchant opens a key of another store under a URL of the merchant's own store, the response is 404", async () => {
    const { page } = await scene.openAs(merchant, { javaScript })
    const keys = `settings/api/keys/${second.keyId}`
    for (const path of [`${keys}/revoke`, `${keys}/replace`, `usage/keys/${second.keyId}`, `usage?key=${second.keyId}`])
      expect((await page.goto(`${scene.url}/stores/${store.id}/${path}`))?.status(), path).toBe(404)
  })

  test('opening a one-time link does not use it up; signing in with it does, and a second sign-in is rejected', async () => {
    const token = await (await accountsOf(scene.platform)).createSignInLink(merchant.email)
    const { page } = await scene.openPage({ javaScript })
    // Programs that preview links open it without using it up.
    for (let opened = 0; opened < 2; opened += 1) await page.goto(`${scene.url}/link/${token}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(page.url()).toBe(settings(store))
    const { page: another } = await scene.openPage({ javaScript })
    await another.goto(`${scene.url}/link/${token}`)
    await another.getByRole('button', { name: 'Sign in' }).click()
    expect(await textOf(another, '[role=alert]')).toContain('This link was already used or has expired.')
    await another.goto(settings(store))
    expect(new URL(another.url()).pathname).toBe('/sign-in')
  })

  test('if a merchant changes the password, the session in another browser ends, and the new password signs in there', async () => {
    const changing = await addMerchant(scene.platform, store.id)
    const { page } = await scene.openPage({ javaScript })
    const { page: elsewhere } = await scene.openPage({ javaScript })
    await openAndSignIn(page, changing)
    await openAndSignIn(elsewhere, changing)
    await page.goto(`${scene.url}/account`)
    const change = async (current: string, next: string) => {
      await page.getByLabel('Current password').fill(current)
      await page.getByLabel('New password').fill(next)
      await page.getByRole('button', { name: 'Change password' }).click()
    }
    await change('not this one', 'seven quiet rivers')
    expect(await textOf(page, '#current-problem')).toBe('This isn’t your current password.')
    expect(await page.getByLabel('Current password').getAttribute('aria-invalid')).toBe('true')
    await change(changing.password, 'seven quiet rivers')
    expect(await textOf(page, '.notice')).toContain('Your password is changed')
    await page.reload()
    expect(await page.locator('.notice').count()).toBe(0)
    await page.getByRole('navigation', { name: 'Store' }).getByRole('link', { name: 'API', exact: true }).click()
    expect(page.url()).toBe(settings(store))
    await elsewhere.reload()
    expect(new URL(elsewhere.url()).pathname).toBe('/sign-in')
    await signIn(elsewhere, { ...changing, password: 'seven quiet rivers' })
    expect(elsewhere.url()).toBe(settings(store))
  })
})
