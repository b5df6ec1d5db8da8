import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { axeViolations } from '../../../../test/support/accessibility.ts'
import { addMerchant, type TestMerchant } from '../../../../test/support/merchant.ts'
import type { TestStore } from '../../../../test/support/platform.ts'
import { openScene, type Page, type Scene, signIn, textOf, textsOf } from '../support/scene.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'

let scene: Scene
let store: TestStore
let merchant: TestMerchant
/** Browsers allow passkeys for host names only. */
let url: string
beforeAll(async () => {
  scene = await openScene()
  store = await scene.platform.provision()
  url = scene.url.replace('127.0.0.1', 'localhost')
})
beforeEach(async () => {
  merchant = await addMerchant(scene.platform, store.id)
})
afterAll(() => scene.close())

const pathOf = (page: Page) => new URL(page.url()).pathname
const home = () => `/stores/${store.id}/settings/api`

async function openAccount(page: Page): Promise<void> {
  await page.goto(`${url}/sign-in?next=/account`)
  await signIn(page, merchant)
  await page.waitForURL(`${url}/account`)
}

async function fillAddPage(page: Page, name = 'Laptop'): Promise<void> {
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name of the passkey').fill(name)
  await page.getByLabel('Your password').fill(merchant.password)
  await page.getByRole('button', { name: 'Create passkey' }).click()
}

/** Signs out, and signs in with the passkey of the device. */
async function signInAgain(page: Page): Promise<void> {
  await signOut(page)
  await page.goto(`${url}/account`)
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${url}/account`)
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(`${url}/sign-in`)
}

test('a merchant can add a passkey, sign in with it, rename it, and remove it; the removed passkey no longer signs in', async () => {
  const { page, context } = await scene.openPage()
  const device = await addAuthenticator({ page, context })
  await openAccount(page)
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  expect(await page.getByLabel('Name of the passkey').inputValue()).toMatch(/^Chrome on \w+$/)
  expect(await axeViolations(page)).toEqual([])
  await page.goBack()
  await fillAddPage(page)
  await page.waitForURL(`${url}/account`)
  expect(await textOf(page, '.notice')).toBe('Your passkey is added. You can sign in with it now.')
  expect(await textsOf(page, '[aria-label=Passkeys] th[scope=row]')).toEqual(['Laptop'])
  expect(await device.count()).toBe(1)
  expect(await axeViolations(page)).toEqual([])

  await signInAgain(page)
  expect(await textOf(page, '.page-head .lead')).toBe(merchant.email)

  await page.getByRole('link', { name: 'Change Laptop' }).click()
  expect(await axeViolations(page)).toEqual([])
  await page.getByLabel('Name of the passkey').fill('Office')
  await page.getByRole('button', { name: 'Save name' }).click()
  expect(await textsOf(page, '[aria-label=Passkeys] th[scope=row]')).toEqual(['Office'])
  await page.getByRole('link', { name: 'Change Office' }).click()
  await page.getByLabel('Your password').fill(merchant.password)
  await page.getByRole('button', { name: 'Remove passkey' }).click()
  expect(await textOf(page, '.notice')).toContain('The passkey is removed')

  await signOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${url}/sign-in/passkey`)
  expect(await textOf(page, '[role=alert]')).toContain('No account has this passkey.')
})

test('adding a passkey and signing in with a passkey fail until the device verifies its user', async () => {
  const { page, context } = await scene.openPage()
  const device = await addAuthenticator({ page, context })
  await openAccount(page)
  await device.setVerified(false)
  await fillAddPage(page)
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toContain('No passkey was created')
  expect(await axeViolations(page)).toEqual([])
  await device.setVerified(true)
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.waitForURL(`${url}/account`)

  await signOut(page)
  await device.setVerified(false)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await alert.waitFor()
  expect(await alert.textContent()).toContain('You’re not signed in')
  expect(await axeViolations(page)).toEqual([])
  await device.setVerified(true)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(url + home())
})

// The service must not trust that the browser applies its options.
const WITHOUT_VERIFICATION = `for (const name of ['create', 'get']) {
  const original = navigator.credentials[name].bind(navigator.credentials)
  navigator.credentials[name] = ({ publicKey }) => {
    const { authenticatorSelection } = publicKey
    publicKey.userVerification = 'discouraged'
    if (authenticatorSelection) authenticatorSelection.userVerification = 'discouraged'
    return original({ publicKey })
  }
}`

test('if a manipulated page lets a device skip user verification, the service rejects the sign-in and adds no passkey', async () => {
  const { page, context } = await scene.openPage()
  const device = await addAuthenticator({ page, context })
  await openAccount(page)
  await fillAddPage(page)
  await page.waitForURL(`${url}/account`)

  await context.addInitScript(WITHOUT_VERIFICATION)
  await device.setVerified(false)
  await page.reload()
  await signOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${url}/sign-in/passkey`)
  expect(await textOf(page, '[role=alert]')).toContain('The sign-in with the passkey didn’t work.')
  await page.goto(url + home())
  expect(pathOf(page)).toBe('/sign-in')

  merchant = await addMerchant(scene.platform, store.id)
  const { page: other, context: elsewhere } = await scene.openPage()
  const simple = await addAuthenticator({ page: other, context: elsewhere }, { canVerify: false })
  await elsewhere.addInitScript(WITHOUT_VERIFICATION)
  await openAccount(other)
  await fillAddPage(other, 'Simple')
  await other.waitForURL(`${url}/account/passkeys`)
  expect(await textOf(other, '[role=alert]')).toContain('The passkey wasn’t added.')
  expect(await simple.count()).toBe(1)
  expect(await textsOf(other, '[aria-label=Passkeys] th[scope=row]')).toEqual([])
})

test('if a device already has a passkey for the account, adding a second one on the device shows an error and creates no passkey', async () => {
  const { page, context } = await scene.openPage()
  const device = await addAuthenticator({ page, context })
  await openAccount(page)
  await fillAddPage(page)
  await page.waitForURL(`${url}/account`)
  await signInAgain(page)
  await fillAddPage(page, 'Again')
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toBe('This device or password manager has a passkey of your account already.')
  expect(await device.count()).toBe(1)
})

test('if a merchant enters a wrong password to add a passkey, the page shows an error, and the right password then succeeds', async () => {
  const { page, context, problems, ...opened } = await scene.open(null)
  await addAuthenticator({ page, context })
  await openAccount(page)
  const { password } = merchant
  merchant = { ...merchant, password: 'not this one' }
  await fillAddPage(page)
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toBe('This isn’t your current password.')
  expect(await axeViolations(page)).toEqual([])
  await page.getByLabel('Your password').fill(password)
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.waitForURL(`${url}/account`)
  // The browser logs the status of the first response.
  expect(problems).toEqual([expect.stringContaining('400')])
  await opened.close()
})

test('if the session ends while the page to add a passkey is open, sending its form opens the sign-in page with "Your session ended"', async () => {
  const { page, context } = await scene.openPage()
  await addAuthenticator({ page, context })
  await openAccount(page)
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  await page.waitForURL(`${url}/account/passkeys/new`)
  await scene.platform.controlSql`delete from merchant_sessions where merchant_id = ${merchant.id}`
  await page.getByLabel('Your password').fill(merchant.password)
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.waitForURL(`${url}/sign-in?*`)
  expect(await textOf(page, '[role=alert]')).toContain('Your session ended')
})

test('if JavaScript is off, the sign-in page has no passkey button, and the page to add a passkey says "JavaScript is off"', async () => {
  const { page } = await scene.openPage({ javaScript: false })
  await page.goto(`${url}/sign-in`)
  expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0)
  await openAccount(page)
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  expect(await page.getByText('JavaScript is off').isVisible()).toBe(true)
  expect(await page.getByRole('button', { name: 'Create passkey' }).count()).toBe(0)
})

test(`if the browser lacks passkey support, the sign-in page has no passkey button, and the page to add one says "This browser can't create passkeys"`, async () => {
  const { page, context } = await scene.openPage()
  await context.addInitScript('delete globalThis.PublicKeyCredential')
  await page.goto(`${url}/sign-in`)
  expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0)
  await openAccount(page)
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  expect(await page.getByText('This browser can’t create passkeys').isVisible()).toBe(true)
  expect(await page.getByRole('button', { name: 'Create passkey' }).count()).toBe(0)
})

test('at 127.0.0.1, the account page has no "Add a passkey" link, but a link to localhost, where "Add a passkey" is available', async () => {
  const { page } = await scene.openAs(merchant)
  await page.goto(`${scene.url}/account`)
  expect(await page.getByRole('link', { name: 'Add a passkey' }).count()).toBe(0)
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('link', { name: `${url}/account` }).click()
  expect(pathOf(page)).toBe('/sign-in')
  await signIn(page, merchant)
  expect(await page.getByRole('link', { name: 'Add a passkey' }).count()).toBe(1)
})

test('on the German sign-in page, the message about a failed passkey sign-in is German', async () => {
  const { page, context } = await scene.openPage({ locale: 'de-DE' })
  const device = await addAuthenticator({ page, context })
  await device.setVerified(false)
  await page.goto(`${url}/sign-in`)
  await page.getByRole('button', { name: 'Mit einem Passkey anmelden' }).click()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toContain('Sie sind nicht angemeldet')
})
