// A platform whose dashboard has single sign-on at a real provider, and the steps of a browser.

import {
  addMerchant,
  type PageResponse,
  PlainBrowser,
  type TestMerchant,
  urlOf,
} from '../../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../../test/support/platform.ts'
import { openProvider, type ServeOptions, signInThere, type TestProvider } from './test-provider.ts'

/** The platform and the provider. The merchant has the login "known" at the provider, with a verified address. */
export class SingleSignOnScene {
  readonly provider: TestProvider
  readonly platform: TestPlatform
  readonly store: TestStore
  readonly merchant: TestMerchant

  private constructor(fixtures: Pick<SingleSignOnScene, 'provider' | 'platform' | 'store' | 'merchant'>) {
    this.provider = fixtures.provider
    this.platform = fixtures.platform
    this.store = fixtures.store
    this.merchant = fixtures.merchant
  }

  /**
   * Starts the platform, with further settings, and the provider. The provider does not respond before `reset` or
   * `serve`.
   */
  static async open(more: Readonly<Record<string, string>> = {}): Promise<SingleSignOnScene> {
    const provider = await openProvider()
    const client = { OIDC_CLIENT_ID: 'dashboard', OIDC_CLIENT_SECRET: provider.clientSecret }
    const settings = { ...client, OIDC_ISSUER: provider.issuer, OIDC_LABEL: 'Sign in at the <mall>', ...more }
    const platform = await startPlatform(settings, { dashboard: true })
    const store = await platform.provision()
    const merchant = await addMerchant(platform, store.id)
    provider.people.set('known', { login: 'known', email: merchant.email, email_verified: true })
    return new SingleSignOnScene({ provider, platform, store, merchant })
  }

  get url(): string {
    return urlOf(this.platform)
  }

  /** The path of a page of the store. */
  get settings(): string {
    return `/stores/${this.store.id}/settings/api`
  }

  /** Makes the provider respond. */
  serve(options: ServeOptions = {}): void {
    this.provider.serve(this.url, options)
  }

  /** Makes the provider respond normally, and resets the rate limit. */
  async reset(): Promise<void> {
    this.serve()
    await this.platform.controlSql`delete from sign_in_attempts`
  }

  /** Returns a browser without cookies, or with the cookies of another one. */
  browser(like?: PlainBrowser): PlainBrowser {
    const made = new PlainBrowser(this.url)
    for (const [name, value] of like?.cookies ?? []) made.cookies.set(name, value)
    return made
  }

  /** Presses the button for single sign-on, and returns the URL of the provider. Throws if the response has none. */
  async start(visitor: PlainBrowser, page = '/sign-in'): Promise<string> {
    const { headers, status } = await visitor.send(page, '/sign-in/oidc')
    const address = /^0; url=(.+)$/.exec(headers.get('refresh') ?? '')?.[1]
    if (address === undefined) throw new Error(`the button returned ${status}`)
    return address
  }

  /** Presses the button for single sign-on, and signs in at the provider. Returns the callback URL. */
  async signInAtProvider(visitor: PlainBrowser, login: string): Promise<string> {
    return signInThere(await this.start(visitor), this.provider.issuer, login)
  }

  /** Opens the callback URL. */
  finish(visitor: PlainBrowser, address: string): Promise<PageResponse> {
    return visitor.get(address.slice(this.url.length))
  }

  async signIn(visitor: PlainBrowser, login: string): Promise<PageResponse> {
    return this.finish(visitor, await this.signInAtProvider(visitor, login))
  }

  async close(): Promise<void> {
    await this.platform.close()
    await this.provider.close()
  }
}
