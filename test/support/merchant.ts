// Uses the dashboard as a merchant with a browser without JavaScript. The browser stores cookies, doesn't follow
// redirects, and sends forms with the hidden fields of their page.

import { randomBytes, randomUUID } from 'node:crypto'
import { readDashboardSecret } from '@store-export/control'
import { Accounts } from '@store-export/dashboard'
import type { TestPlatform } from './platform.ts'

export interface PageResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface TestMerchant {
  readonly id: string
  readonly email: string
  readonly password: string
}

/** Returns the accounts of a platform, as the command line uses them. */
export async function accountsOf(platform: TestPlatform): Promise<Accounts> {
  const { service, encryptionKey } = platform
  const keys = { current: encryptionKey, previous: null }
  const secret = await readDashboardSecret({ database: service.control, keys, random: randomBytes })
  return new Accounts({ database: service.control, secret, url: urlOf(platform), sessionDays: 7, linkMinutes: 60 })
}

/** Creates a merchant with a password and access to these stores. */
export async function addMerchant(platform: TestPlatform, ...storeIds: string[]): Promise<TestMerchant> {
  const accounts = await accountsOf(platform)
  const email = `merchant-${randomUUID()}@example.com`
  const password = randomBytes(12).toString('base64url')
  let id = ''
  for (const storeId of storeIds) id = (await accounts.addMerchant(email, storeId)).id
  await accounts.setPassword(id, password)
  return { id, email, password }
}

/** Returns the URL of the platform's dashboard. */
export function urlOf({ service }: TestPlatform): string {
  if (service.dashboardUrl === null) throw new Error('this platform was started without a dashboard')
  return service.dashboardUrl
}

/** A browser without JavaScript, for one merchant. */
export class PlainBrowser {
  readonly url: string
  readonly cookies = new Map<string, string>()

  constructor(url: string) {
    this.url = url
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageResponse> {
    return this.#request(path, { headers })
  }

  /** Sends a form from the dashboard's own origin, unless `headers` has another. */
  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<PageResponse> {
    const body = new URLSearchParams(fields)
    return this.#request(path, { method: 'POST', body, headers: { origin: this.url, ...headers } })
  }

  /** Opens `page` and sends the form that posts to `action`, with its hidden fields. */
  async send(page: string, action: string, fields: Record<string, string> = {}): Promise<PageResponse> {
    return this.post(action, { ...(await this.hiddenOf(page, action)), ...fields })
  }

  /** Follows a redirect. Returns any other response unchanged. */
  async follow(response: PageResponse): Promise<PageResponse> {
    return response.status === 303 ? this.get(response.headers.get('location') ?? '/') : response
  }

  /** Returns the hidden fields of the form on `page` that posts to `action`. Rejects if there is no such form. */
  async hiddenOf(page: string, action: string): Promise<Record<string, string>> {
    const { text } = await this.get(page)
    const form = text.split('<form').find((each) => each.includes(`action="${action}"`))
    if (form === undefined) throw new Error(`${page} has no form that posts to ${action}`)
    const [fields = ''] = form.split('</form>', 1)
    const hidden = fields.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
    return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]))
  }

  /** Returns the single-use form token of the form on `page` that posts to `action`. */
  async formTokenOf(page: string, action: string): Promise<string> {
    return (await this.hiddenOf(page, action)).form_token ?? ''
  }

  /** Signs in. Rejects if the service rejects the sign-in. */
  async signIn({ email, password }: Pick<TestMerchant, 'email' | 'password'>): Promise<this> {
    const { status } = await this.send('/sign-in', '/sign-in', { email, password })
    if (status !== 303) throw new Error(`the sign-in returned ${status}`)
    return this
  }

  async #request(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<PageResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...init.headers, ...(cookie === '' ? {} : { cookie }) }
    const response = await fetch(this.url + path, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#storeCookie(line)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  #storeCookie(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((each) => each.trim())
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    if (attributes.some((each) => /^max-age=0$/i.test(each))) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}
