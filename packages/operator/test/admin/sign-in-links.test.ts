// Tests sign-in links with a chosen life on a running service with its dashboard: from the admin API, and from the
// command line.

import { expect, onTestFinished, test, vi } from 'vitest'
import { createMigratedDatabase } from '../../../../test/support/databases.ts'
import { PlainBrowser } from '../../../../test/support/merchant.ts'
import {
  newSecret,
  openClientForTest,
  runCommand,
  SLOW_TEST_TIMEOUTS,
  startCommand,
} from '../support/command-process.ts'
import { freePort } from '../support/embedded-server.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const EMAIL = 'owner@shop.example'

/** Starts a service with a member, and returns functions that create and use links. */
async function startScene() {
  const control = await createMigratedDatabase()
  onTestFinished(() => control.drop())
  const [dashboardPort, adminPort] = [await freePort(), await freePort()]
  const settings = {
    DATABASE_URL: control.url,
    SECRET: newSecret(),
    PORT: '0',
    OPERATIONS_PORT: '0',
    DASHBOARD_PORT: String(dashboardPort),
    ADMIN_PORT: String(adminPort),
  }
  const command = (...words: string[]) => runCommand([...words, '--json'], { settings })
  const { token } = (await command('admin-tokens', 'create', '--name', 'backend')).json
  const service = startCommand(['serve', '--dashboard'], { settings })
  await service.waitForOutput(/"listener":"admin","address":"http:/)
  const send = async (request: string, body?: object) => {
    const [method = '', path = ''] = request.split(' ')
    const response = await fetch(`http://127.0.0.1:${adminPort}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types, as clients do
    return { status: response.status, json: (await response.json()) as any }
  }
  await send('POST stores', { name: 'Shop', external_id: 'shop', state: 'generating' })
  await send(`PUT stores/shop/members/${EMAIL}`, { role: 'admin' })
  const sql = openClientForTest(control.url)
  return {
    command,
    createLink: (body?: object) => send(`POST merchants/${EMAIL}/sign-in-links`, body),
    /** Lets time pass for all links. */
    age: (seconds: number) =>
      sql`update merchant_links set expires_at = expires_at - make_interval(secs => ${seconds}::int)`,
    /** Opens a link, presses its button, and returns the status. */
    async signIn(url: string) {
      const { origin, pathname } = new URL(url)
      const response = await new PlainBrowser(origin).send(pathname, '/link', {
        token: pathname.slice('/link/'.length),
      })
      return response.status
    },
  }
}

/** Returns the seconds until a time. */
function secondsUntil(time: string): number {
  return (Date.parse(time) - Date.now()) / 1000
}

test('if a sign-in link is valid for five minutes, it can be used once, and an unused link gets 400 after five minutes', async () => {
  const { createLink, age, signIn } = await startScene()
  const links = [await createLink({ minutes: 5 }), await createLink({ minutes: 5 })]
  for (const { status, json } of links) {
    expect(status).toBe(201)
    expect(secondsUntil(json.expires_at)).toBeGreaterThan(280)
    expect(secondsUntil(json.expires_at)).toBeLessThanOrEqual(300)
  }
  const [first, second] = links.map(({ json }) => json.url)
  await age(240)
  expect([await signIn(first), await signIn(first)]).toEqual([303, 400])
  await age(61)
  expect(await signIn(second)).toBe(400)
})

test('a sign-in link that is created without minutes can be used for one day', async () => {
  const { createLink, age, signIn } = await startScene()
  const links = [await createLink(), await createLink({})]
  for (const { json } of links) expect(secondsUntil(json.expires_at)).toBeGreaterThan(86_300)
  await age(86_000)
  for (const { json } of links) expect(await signIn(json.url)).toBe(303)
})

test('if `merchants link` gets --minutes 5, the link can be used within five minutes, and gets 400 afterwards', async () => {
  const { command, age, signIn } = await startScene()
  const create = async () => (await command('merchants', 'link', '--email', EMAIL, '--minutes', '5')).json
  const [first, second] = [await create(), await create()]
  expect(secondsUntil(first.expires_at)).toBeLessThanOrEqual(300)
  expect(await signIn(first.url)).toBe(303)
  await age(301)
  expect(await signIn(second.url)).toBe(400)
})
