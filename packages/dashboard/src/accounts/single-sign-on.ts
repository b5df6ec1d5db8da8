// Signs merchants in at the operator's OpenID Connect provider. A sign-in accepts the invitations of the verified
// address, and adds the stores that the provider names. While the provider doesn't respond, the other kinds of sign-in
// still work.

import { countAttempt, discountAttempt, type Secret } from '@store-export/control'
import { TimeLimitPassed, within } from '@store-export/postgres'
import { APIError } from 'better-auth/api'
import { isSecureUrl } from '../security/is-secure-url.ts'
import { type CommonAuthOptions, stateCookieName } from './auth.ts'
import { type DiscoveryDocument, PROVIDER_TIMEOUT_MS, readDiscoveryDocument } from './discovery-document.ts'
import { createProviderAuth, PROVIDER_ID } from './provider-auth.ts'

/** The operator's OpenID Connect provider, and the dashboard's credentials there. */
export interface SingleSignOnSettings {
  /** URL of the issuer. The discovery document is below it. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Secret
  /** Text of the button on the sign-in page. */
  readonly label: string
  /** Name of the claim with the stores of a merchant; null if the provider doesn't name stores. */
  readonly storesClaim: string | null
}

/** The result of a single sign-on. `cookies` are values of Set-Cookie. */
export type SingleSignOnResult =
  | { readonly kind: 'succeeded'; readonly cookies: readonly string[] }
  /**
   * `unknown`: the address is unverified, or has no account. `declined`: the merchant declined at the provider.
   * `broken`: another reason.
   */
  | {
      readonly kind: 'rejected'
      readonly reason: 'unknown' | 'declined' | 'broken'
      readonly cookies: readonly string[]
    }
  | { readonly kind: 'rate_limited'; readonly waitSeconds: number }
  /** The provider did not respond in time, or reported a temporary error. */
  | { readonly kind: 'unreachable' }

/** Thrown for an issuer that is not a secure URL, or that has a query, a fragment, a user name, or a password. */
export class InvalidIssuerError extends Error {
  override readonly name = 'InvalidIssuerError'
}

interface LoadedProvider extends Pick<DiscoveryDocument, 'text' | 'sendsIssuer'> {
  readonly auth: ReturnType<typeof createProviderAuth>
}

/** Path to which better-auth redirects without a query only after a successful sign-in. */
const HOME_PATH = '/'
/**
 * Time limit of all requests to the provider that finish one sign-in. It is shorter than the time limit of a page, so
 * that the dashboard can distinguish a slow provider from a slow database.
 */
const CALLBACK_TIMEOUT_MS = 12_000
const UNKNOWN_ACCOUNT_ERRORS = ['signup_disabled', 'account_not_linked', 'email_not_found', 'email_not_verified']
/** The parameters that a provider adds to the callback URL. better-auth gets no others, such as one with a path. */
const CALLBACK_PARAMETERS = ['code', 'state', 'error', 'iss']
const TEMPORARY_ERRORS = ['server_error', 'temporarily_unavailable']

/** Signs merchants in through the provider that the settings name. */
export class SingleSignOn {
  readonly label: string
  readonly #options: CommonAuthOptions
  readonly #settings: SingleSignOnSettings
  /** The provider of the last loaded document; null before the first sign-in. */
  #provider: LoadedProvider | null = null
  #loading: Promise<LoadedProvider | null> | null = null

  /** Sends no request. Throws `InvalidIssuerError`. */
  constructor(options: CommonAuthOptions, settings: SingleSignOnSettings) {
    checkIssuer(settings.issuer)
    this.#options = options
    this.#settings = settings
    this.label = settings.label
  }

  /**
   * Returns the URL of the provider's sign-in page, and the cookies for `finish`; null if the provider doesn't respond
   * in time, or has no valid discovery document.
   */
  async start(): Promise<{ url: string; cookies: readonly string[] } | null> {
    const provider = await this.#load()
    if (provider === null) return null
    const { auth } = provider
    const body = { provider: PROVIDER_ID, callbackURL: HOME_PATH, errorCallbackURL: HOME_PATH, disableRedirect: true }
    const { response, headers } = await auth.api.signInSocial({ body, headers: new Headers(), returnHeaders: true })
    // With `disableRedirect`, better-auth always returns a URL, but its type doesn't say so.
    return { url: response.url ?? HOME_PATH, cookies: headers.getSetCookie() }
  }

  /**
   * Finishes the sign-in with the query of the callback URL. The rate limit counts failed attempts per client address.
   */
  async finish(callback: {
    readonly query: Readonly<Record<string, string>>
    readonly clientAddress: string
    readonly headers: Headers
  }): Promise<SingleSignOnResult> {
    const scopes = [`single sign-on ${callback.clientAddress}`]
    const { database } = this.#options
    const verdict = await countAttempt(database, scopes)
    if (!verdict.allowed) return { kind: 'rate_limited', waitSeconds: verdict.waitSeconds }
    const result = await this.#exchangeInTime(callback.query, this.#headersOf(callback.headers))
    if (result.kind === 'succeeded') await discountAttempt(database, scopes)
    return result
  }

  async #exchangeInTime(query: Readonly<Record<string, string>>, headers: Headers): Promise<SingleSignOnResult> {
    try {
      return await within(CALLBACK_TIMEOUT_MS, this.#exchange(query, headers), () => undefined)
    } catch (cause) {
      if (cause instanceof TimeLimitPassed) return { kind: 'unreachable' }
      throw cause
    }
  }

  async #exchange(all: Readonly<Record<string, string>>, headers: Headers): Promise<SingleSignOnResult> {
    const provider = await this.#load()
    if (provider === null) return { kind: 'unreachable' }
    // A response without an issuer can come from another provider (mix-up attack). better-auth rejects a wrong issuer.
    if (provider.sendsIssuer && (all.iss ?? '') === '') return { kind: 'rejected', reason: 'broken', cookies: [] }
    const query = Object.fromEntries(Object.entries(all).filter(([name]) => CALLBACK_PARAMETERS.includes(name)))
    const params = { id: PROVIDER_ID }
    return resultOf(await provider.auth.api.callbackOAuth({ method: 'GET', params, query, headers, asResponse: true }))
  }

  /** Returns the provider if it responds now; otherwise null. Simultaneous calls share one request. */
  #load(): Promise<LoadedProvider | null> {
    this.#loading ??= this.#loadNow().finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  async #loadNow(): Promise<LoadedProvider | null> {
    const { issuer, clientId, clientSecret, storesClaim } = this.#settings
    const document = await readDiscoveryDocument(issuer)
    if (document === null) return null
    const { text, userInfoUrl, sendsIssuer } = document
    if (this.#provider?.text === text) return this.#provider
    const settings = { issuer, clientId, clientSecret: clientSecret.reveal(), userInfoUrl, storesClaim }
    const auth = createProviderAuth(this.#options, settings)
    // better-auth loads the discovery document again, so the second request can time out after a successful first one.
    const context = await within(PROVIDER_TIMEOUT_MS, auth.$context, () => undefined).catch(() => null)
    if (!context?.socialProviders.some(({ id }) => id === PROVIDER_ID)) return null
    this.#provider = { text, sendsIssuer, auth }
    return this.#provider
  }

  /**
   * Returns the headers that better-auth needs: the cookie of this sign-in, and the browser's name for the new session.
   */
  #headersOf(headers: Headers): Headers {
    const name = `${stateCookieName(this.#options.url.startsWith('https:'))}=`
    const cookies = (headers.get('cookie') ?? '').split(';').map((each) => each.trim())
    return new Headers({
      cookie: cookies.find((each) => each.startsWith(name)) ?? '',
      'user-agent': (headers.get('user-agent') ?? '').slice(0, 300),
    })
  }
}

/**
 * Reads the result from the redirect of better-auth: its query has an error unless the sign-in succeeded. Throws an
 * `APIError` for an internal error, such as a failed statement in the control database, or if there is no redirect.
 */
function resultOf(response: Response): SingleSignOnResult {
  const location = response.headers.get('location')
  const cookies = response.headers.getSetCookie()
  if (location === HOME_PATH) return { kind: 'succeeded', cookies }
  const error = new URL(location ?? HOME_PATH, 'http://localhost').searchParams.get('error') ?? ''
  if (location === null || error === 'internal_server_error') throw new APIError('INTERNAL_SERVER_ERROR')
  if (TEMPORARY_ERRORS.includes(error)) return { kind: 'unreachable' }
  const reason = UNKNOWN_ACCOUNT_ERRORS.includes(error) ? 'unknown' : error === 'access_denied' ? 'declined' : 'broken'
  return { kind: 'rejected', reason, cookies }
}

function checkIssuer(issuer: string): void {
  if (!isSecureUrl(issuer))
    throw new InvalidIssuerError(
      `must be a URL that begins with https:// (http:// only on a loopback address); got ${JSON.stringify(issuer.slice(0, 80))}`,
    )
  const { search, hash, username, password } = new URL(issuer)
  if (search + hash + username + password !== '')
    throw new InvalidIssuerError('must be a URL without a query, a fragment or a password')
}
