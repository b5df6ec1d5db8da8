// Sign-in at the operator's own login: sends a merchant there and takes them back. Only accounts that the operator made
// sign in; where the login does not answer, passwords and links still do.

import { countAttempt, forgiveAttempt, type Secret } from '@store-export/control'
import { TimeLimitPassed, within } from '@store-export/postgres'
import { APIError } from 'better-auth/api'
import { isSecureUrl } from '../security/is-secure-url.ts'
import { type CommonAuthOptions, stateCookieName } from './auth.ts'
import { type DiscoveryDocument, PROVIDER_TIMEOUT_MS, readDiscoveryDocument } from './discovery-document.ts'
import { createProviderAuth, PROVIDER_ID } from './provider-auth.ts'

/** The operator's own login, an OpenID Connect provider. */
export interface SingleSignOnSettings {
  /** Address below which its document is. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Secret
  /** Text of the button that leads there. */
  readonly label: string
}

/** How a sign-in there ended. `cookies` are values of Set-Cookie. */
export type SingleSignOnResult =
  | { readonly kind: 'succeeded'; readonly cookies: readonly string[] }
  /** `unknown`: no account with a verified address like that. `declined`: by whoever was asked. `broken`: anything else. */
  | {
      readonly kind: 'rejected'
      readonly reason: 'unknown' | 'declined' | 'broken'
      readonly cookies: readonly string[]
    }
  | { readonly kind: 'rate_limited'; readonly waitSeconds: number }
  | { readonly kind: 'unreachable' }

/** The issuer is not an address that can be one. */
export class InvalidIssuerError extends Error {
  override readonly name = 'InvalidIssuerError'
}

interface LoadedProvider extends Pick<DiscoveryDocument, 'text' | 'sendsIssuer'> {
  readonly auth: ReturnType<typeof createProviderAuth>
}

/** Where the library leads after a sign-in, and nowhere else. */
const HOME_PATH = '/'
/** Below the time limit of a page, so that a slow provider is told apart from a slow database. */
const CALLBACK_TIMEOUT_MS = 12_000
const UNKNOWN_ACCOUNT_ERRORS = ['signup_disabled', 'account_not_linked', 'email_not_found', 'email_not_verified']
/** What a provider sends back with. */
const CALLBACK_PARAMETERS = ['code', 'state', 'error', 'iss']
const TEMPORARY_ERRORS = ['server_error', 'temporarily_unavailable']

/** Single sign-on at one provider. */
export class SingleSignOn {
  readonly label: string
  readonly #options: CommonAuthOptions
  readonly #settings: SingleSignOnSettings
  /** The library, set up from the provider's document at the first sign-in. */
  #library: LoadedProvider | null = null
  #asking: Promise<LoadedProvider | null> | null = null

  /** Asks the provider nothing yet. Throws `InvalidIssuerError`. */
  constructor(options: CommonAuthOptions, settings: SingleSignOnSettings) {
    checkIssuer(settings.issuer)
    this.#options = options
    this.#settings = settings
    this.label = settings.label
  }

  /** Address at the provider to go on at, with the cookies that the way back needs; null while it does not answer. */
  async start(): Promise<{ address: string; cookies: readonly string[] } | null> {
    const library = await this.#ask()
    if (library === null) return null
    const { auth } = library
    const body = { provider: PROVIDER_ID, callbackURL: HOME_PATH, errorCallbackURL: HOME_PATH, disableRedirect: true }
    const { response, headers } = await auth.api.signInSocial({ body, headers: new Headers(), returnHeaders: true })
    return { address: response.url ?? HOME_PATH, cookies: headers.getSetCookie() }
  }

  /** Takes back whoever the provider sent, with the query that it sent them with. */
  async finish(back: {
    readonly query: Readonly<Record<string, string>>
    readonly clientAddress: string
    readonly headers: Headers
  }): Promise<SingleSignOnResult> {
    const scopes = [`single sign-on ${back.clientAddress}`]
    const { database } = this.#options
    const verdict = await countAttempt(database, scopes)
    if (!verdict.allowed) return { kind: 'rate_limited', waitSeconds: verdict.waitSeconds }
    const end = await this.#endInTime(back.query, this.#headersOf(back.headers))
    if (end.kind === 'succeeded') await forgiveAttempt(database, scopes)
    return end
  }

  async #endInTime(query: Readonly<Record<string, string>>, headers: Headers): Promise<SingleSignOnResult> {
    try {
      return await within(CALLBACK_TIMEOUT_MS, this.#end(query, headers), () => undefined)
    } catch (cause) {
      if (cause instanceof TimeLimitPassed) return { kind: 'unreachable' }
      throw cause
    }
  }

  async #end(all: Readonly<Record<string, string>>, headers: Headers): Promise<SingleSignOnResult> {
    const library = await this.#ask()
    if (library === null) return { kind: 'unreachable' }
    // A response without an issuer can be that of another provider (mix-up attack). The library refuses a wrong one.
    if (library.sendsIssuer && (all.iss ?? '') === '') return { kind: 'rejected', reason: 'broken', cookies: [] }
    const query = Object.fromEntries(Object.entries(all).filter(([name]) => CALLBACK_PARAMETERS.includes(name)))
    const params = { id: PROVIDER_ID }
    return resultOf(await library.auth.api.callbackOAuth({ method: 'GET', params, query, headers, asResponse: true }))
  }

  /** The library, if the provider responds now. Simultaneous calls share one request. */
  #ask(): Promise<LoadedProvider | null> {
    this.#asking ??= this.#askNow().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #askNow(): Promise<LoadedProvider | null> {
    const { issuer, clientId, clientSecret } = this.#settings
    const document = await readDiscoveryDocument(issuer)
    if (document === null) return null
    const { text, userInfoUrl, sendsIssuer } = document
    if (this.#library?.text === text) return this.#library
    const provider = { issuer, clientId, clientSecret: clientSecret.reveal(), userInfoUrl }
    const auth = createProviderAuth(this.#options, provider)
    // it asks for the document once more, and is left alone where that takes too long
    const context = await within(PROVIDER_TIMEOUT_MS, auth.$context, () => undefined).catch(() => null)
    if (!context?.socialProviders.some(({ id }) => id === PROVIDER_ID)) return null
    this.#library = { text, sendsIssuer, auth }
    return this.#library
  }

  /** Of what a browser sends, what the library may see: the cookie of this sign-in, and the name for the new session. */
  #headersOf(headers: Headers): Headers {
    const name = `${stateCookieName(this.#options.url.startsWith('https:'))}=`
    const cookies = (headers.get('cookie') ?? '').split(';').map((each) => each.trim())
    return new Headers({
      cookie: cookies.find((each) => each.startsWith(name)) ?? '',
      'user-agent': (headers.get('user-agent') ?? '').slice(0, 300),
    })
  }
}

/** What the library's redirect means: home without a word is a sign-in. */
function resultOf(response: Response): SingleSignOnResult {
  const location = response.headers.get('location')
  const cookies = response.headers.getSetCookie()
  if (location === HOME_PATH) return { kind: 'succeeded', cookies }
  const error = new URL(location ?? HOME_PATH, 'http://localhost').searchParams.get('error') ?? ''
  if (location === null || error === 'internal_server_error') throw new APIError('INTERNAL_SERVER_ERROR')
  if (TEMPORARY_ERRORS.includes(error)) return { kind: 'unreachable' }
  const why = UNKNOWN_ACCOUNT_ERRORS.includes(error) ? 'unknown' : error === 'access_denied' ? 'declined' : 'broken'
  return { kind: 'rejected', reason: why, cookies }
}

function checkIssuer(issuer: string): void {
  if (!isSecureUrl(issuer))
    throw new InvalidIssuerError(
      `must be an address that begins with https:// (http:// on a loopback address alone); got ${JSON.stringify(issuer.slice(0, 80))}`,
    )
  const { search, hash, username, password } = new URL(issuer)
  if (search + hash + username + password !== '')
    throw new InvalidIssuerError('must be an address alone, without a query, a fragment or a password')
}
