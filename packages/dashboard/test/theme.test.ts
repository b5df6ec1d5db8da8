import { afterAll, beforeAll, expect, test } from 'vitest'
import { urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({}, { dashboard: true })
})
afterAll(() => platform.close())

async function choose(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const url = urlOf(platform)
  const body = new URLSearchParams(fields)
  const response = await fetch(`${url}/theme`, {
    method: 'POST',
    body,
    headers: { origin: url, ...headers },
    redirect: 'manual',
  })
  return {
    status: response.status,
    to: response.headers.get('location'),
    theme: response.headers.getSetCookie().find((cookie) => cookie.startsWith('theme=')),
  }
}

async function signInPage(cookie: string): Promise<string> {
  return (await fetch(`${urlOf(platform)}/sign-in`, { headers: { cookie } })).text()
}

test('if a visitor chooses the dark theme, the response sets the theme cookie and redirects back to the page', async () => {
  const { status, to, theme } = await choose({ theme: 'dark', next: '/sign-in?next=%2Fstores' })
  expect([status, to]).toEqual([303, '/sign-in?next=%2Fstores'])
  expect(theme).toMatch(/^theme=dark; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(await signInPage('theme=dark')).toContain('<html lang="en" dir="ltr" data-theme="dark">')
})

test('if a visitor chooses the theme System, the response deletes the theme cookie', async () => {
  expect((await choose({ theme: 'system', next: '/' })).theme).toMatch(/^theme=system; Max-Age=0;/)
  expect(await signInPage('')).toContain('<html lang="en" dir="ltr">')
})

test('if the theme cookie or the theme form has an invalid value, pages use the system theme', async () => {
  expect((await choose({ theme: '"><script>', next: '/' })).theme).toMatch(/^theme=system; Max-Age=0;/)
  const page = await signInPage('theme="><script>alert(1)</script>')
  expect(page).toContain('<html lang="en" dir="ltr">')
  expect(page).not.toContain('alert(1)')
})

test.each([
  ['the URL of another site', 'https://example.com/'],
  ['a URL without a scheme', '//example.com'],
  ['a path with a backslash', '/\\example.com'],
  ['a relative path', 'stores'],
  ['a path of 2002 characters', `/${'a'.repeat(2001)}`],
  ['an empty string', ''],
])('if the return path of the theme form is %s, the response redirects to /', async (_what, next) => {
  expect((await choose({ theme: 'light', next })).to).toBe('/')
})

test('if another site sends the theme form, the response redirects to / and sets no theme cookie', async () => {
  for (const headers of [{ origin: 'https://example.com' }, { 'sec-fetch-site': 'cross-site' }])
    expect(await choose({ theme: 'dark', next: '/sign-in' }, headers)).toEqual({
      status: 303,
      to: '/',
      theme: undefined,
    })
})

test('if the body of a request to /theme is not a form, the response redirects to /', async () => {
  const { status, to } = await choose({}, { 'content-type': 'text/plain' })
  expect([status, to]).toEqual([303, '/'])
})

test('if the theme form has no return path, the response is 204 and sets the theme cookie', async () => {
  const { status, to, theme } = await choose({ theme: 'light' })
  expect([status, to]).toEqual([204, null])
  expect(theme).toMatch(/^theme=light; Max-Age=34560000;/)
})
