import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openBrowser, openPage } from '../../../../test/support/browser.ts'
import { accountsOf, addMerchant, type TestMerchant } from '../../../../test/support/merchant.ts'
import type { TestStore } from '../../../../test/support/platform.ts'
import { openScene, type Page, SCRIPTING, type Scene } from '../support/scene.ts'

type Browser = Awaited<ReturnType<typeof openBrowser>>

let allowed: Server
let other: Server
let scene: Scene
let browser: Browser
let store: TestStore
let merchant: TestMerchant
/** The dashboard under `localhost`, which is another site than `127.0.0.1`, where the pages with the frames are. */
let dashboard: string

beforeAll(async () => {
  ;[allowed, other] = await Promise.all([startSite(), startSite()])
  scene = await openScene({ DASHBOARD_FRAME_ANCESTORS: originOf(allowed) })
  browser = await openBrowser()
  store = await scene.platform.provision()
  merchant = await addMerchant(scene.platform, store.id, (await scene.platform.provision('launch')).id)
  dashboard = scene.url.replace('127.0.0.1', 'localhost')
})
afterAll(async () => {
  await browser.close()
  await scene.close()
  for (const site of [allowed, other]) site.close()
})

/** Starts a site whose page shows the URL of its query in a frame. */
async function startSite(): Promise<Server> {
  const server = createServer(({ url }, response) => {
    const shown = new URL(url ?? '', 'http://site').searchParams.get('show') ?? ''
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><title>Admin</title><iframe src="${shown}" width="1000" height="700"></iframe>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const originOf = (site: Server) => `http://127.0.0.1:${(site.address() as AddressInfo).port}`

async function handOverLink(): Promise<string> {
  const token = await (await accountsOf(scene.platform)).createSignInLink(merchant.email)
  return `${dashboard}/link/${token}?next=/stores/${store.id}/settings/api`
}

async function openFramed(site: Server, shown: string, javaScript = true): Promise<{ page: Page; frameUrl(): string }> {
  const opened = await openPage(browser, { javaScript })
  onTestFinished(() => opened.close())
  const { page } = opened
  page.setDefaultTimeout(5000)
  await page.goto(`${originOf(site)}/?show=${encodeURIComponent(shown)}`)
  return { page, frameUrl: () => page.frames()[1]?.url() ?? '' }
}

const settings = () => `${dashboard}/stores/${store.id}/settings/api`

describe.each(SCRIPTING)('the dashboard in an iframe of an allowed origin $scripting', ({ javaScript }) => {
  test('if a page from an allowed origin embeds a one-time link in an iframe, the merchant can sign in and create and revoke a key', async () => {
    const { page, frameUrl } = await openFramed(allowed, await handOverLink(), javaScript)
    const frame = page.frameLocator('iframe')
    if (!javaScript) await frame.getByRole('button', { name: 'Sign in' }).click()
    await frame.getByRole('heading', { name: 'API', exact: true }).waitFor()
    expect(frameUrl()).toBe(settings())
    await frame.getByLabel('Name of the key').fill('Framed tool')
    await frame.getByRole('button', { name: 'Create key' }).click()
    const key = (await frame.locator('#key').textContent()) ?? ''
    expect((await scene.platform.get('/api/v1/store', key)).status).toBe(200)
    await page.frames()[1]?.goto(settings())
    await frame.getByRole('link', { name: 'Revoke Framed tool' }).first().click()
    await frame.getByRole('button', { name: 'Revoke key' }).click()
    await frame.getByText('“Framed tool” is revoked').first().waitFor()
    expect((await scene.platform.get('/api/v1/store', key)).status).toBe(401)
  })
})

test('after a merchant signs in inside an iframe, opening the dashboard outside the iframe shows the sign-in page', async () => {
  const { page } = await openFramed(allowed, await handOverLink())
  await page.frameLocator('iframe').getByRole('heading', { name: 'API', exact: true }).waitFor()
  await page.goto(settings())
  expect(new URL(page.url()).pathname).toBe('/sign-in')
})

test('if a merchant has signed in inside an iframe, another page of the embedding site shows the dashboard without a new sign-in', async () => {
  const { page } = await openFramed(allowed, await handOverLink())
  await page.frameLocator('iframe').getByRole('heading', { name: 'API', exact: true }).waitFor()
  await page.goto(`${originOf(allowed)}/?show=${encodeURIComponent(settings())}`)
  await page.frameLocator('iframe').getByRole('heading', { name: 'API', exact: true }).waitFor()
})

test('if a page from a disallowed origin embeds the dashboard in an iframe, the browser blocks the iframe', async () => {
  const { page, frameUrl } = await openFramed(other, `${dashboard}/sign-in`)
  await page.waitForLoadState('load')
  expect(frameUrl()).toMatch(/^chrome-error:/)
  expect(await page.frameLocator('iframe').getByLabel('Email').count()).toBe(0)
})

test('if DASHBOARD_FRAME_ANCESTORS names an origin, cookies are SameSite=None and Partitioned; otherwise, cookies are SameSite=Lax, and headers forbid iframes', async () => {
  const plain = await openScene()
  onTestFinished(() => plain.close())
  const response = await fetch(`${plain.url}/sign-in`)
  expect(response.headers.get('x-frame-options')).toBe('DENY')
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(response.headers.getSetCookie().join()).toContain('SameSite=Lax')
  const framed = await fetch(`${scene.url}/sign-in`)
  expect(framed.headers.get('x-frame-options')).toBeNull()
  expect(framed.headers.get('content-security-policy')).toContain(`frame-ancestors ${originOf(allowed)}`)
  expect(framed.headers.getSetCookie().join()).toMatch(/SameSite=None.*Partitioned|Partitioned.*SameSite=None/)
})
