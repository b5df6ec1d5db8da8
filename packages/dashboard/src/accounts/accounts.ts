// Accounts of merchants: made by the operator, signed in to by password or one-time link. In charge of what a sign-in
// answers and of how often it may be tried; passwords and sessions themselves are auth.ts.

import { addMembership, type ControlDatabase, countAttempt, forgiveAttempt } from '@store-export/control'
import { isAPIError } from 'better-auth/api'
import { type Auth, type AuthOptions, createAuth, PASSWORD_LENGTH } from './auth.ts'
import { browserName } from './browser-name.ts'
import { SingleSignOn, type SingleSignOnSettings } from './single-sign-on.ts'

/** What accounts need. */
export type AccountsOptions = Omit<AuthOptions, 'onLink'> & {
  /** The operator's own login; absent or null where there is none. */
  readonly singleSignOn?: SingleSignOnSettings | null
}

/** A merchant who is signed in. */
export interface MerchantSession {
  readonly id: string
  readonly merchantId: string
  readonly email: string
}

/** How a sign-in ended. `cookies` are values of Set-Cookie. */
export type SignInResult =
  | { readonly kind: 'succeeded'; readonly cookies: readonly string[] }
  /** Wrong, whichever of address and password it was, and whether there is such an account. */
  | { readonly kind: 'rejected' }
  /** Too many guesses: none is looked at for so many seconds. */
  | { readonly kind: 'rate_limited'; readonly waitSeconds: number }

/** Why a password was not changed. */
export type PasswordRejection = 'current' | 'too short' | 'too long'

/** An address that cannot be an account's. */
export class InvalidEmailError extends Error {
  override readonly name = 'InvalidEmailError'
}

/** The accounts of one control database. */
export class Accounts {
  /** Sign-in at the operator's own login; null where there is none. */
  readonly singleSignOn: SingleSignOn | null
  readonly #auth: Auth
  readonly #database: ControlDatabase
  /** Tokens of links just made, by address. */
  readonly #links = new Map<string, string>()

  /** Throws `InvalidIssuerError`. */
  constructor(options: AccountsOptions) {
    const { singleSignOn = null } = options
    this.singleSignOn = singleSignOn === null ? null : new SingleSignOn(options, singleSignOn)
    this.#database = options.database
    this.#auth = createAuth({ ...options, onLink: (email, token) => this.#links.set(email, token) })
  }

  /** Lets the address see a store, and makes its account where there is none. Throws `InvalidEmailError`, `UnknownStore`. */
  async addMerchant(email: string, storeId: string): Promise<{ id: string; email: string; isNew: boolean }> {
    const address = readEmail(email)
    const { internalAdapter } = await this.#auth.$context
    const known = await internalAdapter.findUserByEmail(address)
    const { id } =
      known?.user ??
      (await internalAdapter.createUser(
        { email: address, name: '', emailVerified: true },
        { method: 'email-password' },
      ))
    await addMembership(this.#database, id, storeId)
    return { id, email: address, isNew: known === null }
  }

  /** Whether there is an account with this address. */
  async hasMerchant(email: string): Promise<boolean> {
    const { internalAdapter } = await this.#auth.$context
    return (await internalAdapter.findUserByEmail(readEmail(email))) !== null
  }

  /** Sets the password of an account, whatever it was. */
  async setPassword(merchantId: string, password: string): Promise<void> {
    const { internalAdapter, password: hasher } = await this.#auth.$context
    const hash = await hasher.hash(password)
    const login = await internalAdapter.findCredentialAccount(merchantId)
    if (login) await internalAdapter.updateAccount(login.id, { password: hash })
    else {
      const account = { userId: merchantId, providerId: 'credential', accountId: merchantId, password: hash }
      await internalAdapter.linkAccount(account)
    }
  }

  /** A token that signs this address in, once. */
  async createSignInLink(email: string): Promise<string> {
    const address = readEmail(email)
    await this.#auth.api.signInMagicLink({ body: { email: address }, headers: new Headers() })
    const token = this.#links.get(address)
    this.#links.delete(address)
    if (token === undefined) throw new Error('no link was made')
    return token
  }

  /** Signs in by password; guesses are held for the account and for the client's address alike. */
  async signIn(attempt: {
    readonly email: string
    readonly password: string
    readonly clientAddress: string
    readonly headers: Headers
  }): Promise<SignInResult> {
    const email = attempt.email.trim().toLowerCase()
    const scopes = [`address ${attempt.clientAddress}`, `account ${email}`]
    // one after the other: an address that is held fills the table with no more accounts
    for (const scope of scopes) {
      const verdict = await countAttempt(this.#database, [scope])
      if (!verdict.allowed) return { kind: 'rate_limited', waitSeconds: verdict.waitSeconds }
    }
    const { password } = attempt
    const cookies = await this.#try(() =>
      this.#auth.api.signInEmail({
        body: { email, password },
        headers: userAgentHeader(attempt.headers),
        returnHeaders: true,
      }),
    )
    if (cookies === null) return { kind: 'rejected' }
    await forgiveAttempt(this.#database, scopes)
    return { kind: 'succeeded', cookies }
  }

  /** Signs in by one-time link; the token is used up. */
  async signInByLink(
    token: string,
    { clientAddress, headers }: { clientAddress: string; headers: Headers },
  ): Promise<SignInResult> {
    const scopes = [`link ${clientAddress}`]
    const verdict = await countAttempt(this.#database, scopes)
    if (!verdict.allowed) return { kind: 'rate_limited', waitSeconds: verdict.waitSeconds }
    const cookies = await this.#try(() =>
      this.#auth.api.magicLinkVerify({ query: { token }, headers: userAgentHeader(headers), returnHeaders: true }),
    )
    if (cookies === null) return { kind: 'rejected' }
    await forgiveAttempt(this.#database, scopes)
    return { kind: 'succeeded', cookies }
  }

  /** Who sent these headers, with cookies that lengthen a session in use; null for nobody. */
  async sessionOf(headers: Headers): Promise<{ session: MerchantSession; cookies: readonly string[] } | null> {
    const answer = await this.#auth.api.getSession({ headers: cookieHeader(headers), returnHeaders: true })
    if (answer.response === null) return null
    const { session, user } = answer.response
    return {
      session: { id: session.id, merchantId: user.id, email: user.email },
      cookies: answer.headers.getSetCookie(),
    }
  }

  /** Ends the session; the cookies that say so. */
  async signOut(headers: Headers): Promise<readonly string[]> {
    const answer = await this.#auth.api.signOut({ headers: cookieHeader(headers), returnHeaders: true })
    return answer.headers.getSetCookie()
  }

  /** Ends all sessions of whoever sent these headers. */
  async signOutEverywhere(headers: Headers): Promise<readonly string[]> {
    await this.#auth.api.revokeSessions({ headers: cookieHeader(headers) })
    return this.signOut(headers)
  }

  /** The sessions of whoever sent these headers, newest first. */
  async sessions(headers: Headers): Promise<readonly { id: string; startedAt: Date; client: string }[]> {
    const list = await this.#auth.api.listSessions({ headers: cookieHeader(headers) })
    return list
      .map(({ id, createdAt, userAgent }) => ({
        id,
        startedAt: new Date(createdAt),
        client: browserName(userAgent ?? ''),
      }))
      .toSorted((one, other) => other.startedAt.getTime() - one.startedAt.getTime())
  }

  /** Whether the merchant signs in with a password, rather than by links alone. */
  async hasPassword(merchantId: string): Promise<boolean> {
    const { internalAdapter } = await this.#auth.$context
    return Boolean((await internalAdapter.findCredentialAccount(merchantId))?.password)
  }

  /**
   * Changes the password, or sets the first one; other sessions end. `wrong` guesses at the current one are held like
   * those at a sign-in. Cookies of the session that takes this one's place.
   */
  async changePassword(
    { merchantId }: MerchantSession,
    change: { readonly current: string; readonly next: string; readonly headers: Headers },
  ): Promise<{ cookies: readonly string[] } | { problem: PasswordRejection } | { waitSeconds: number }> {
    const { current, next, headers } = change
    if ([...next].length < PASSWORD_LENGTH.min) return { problem: 'too short' }
    if (next.length > PASSWORD_LENGTH.max) return { problem: 'too long' }
    if (!(await this.hasPassword(merchantId))) {
      await this.setPassword(merchantId, next)
      await this.#auth.api.revokeOtherSessions({ headers: cookieHeader(headers) })
      return { cookies: [] }
    }
    // of its own: whoever guesses at the account from outside does not keep its owner from changing the password
    const scopes = [`password of ${merchantId}`]
    const verdict = await countAttempt(this.#database, scopes)
    if (!verdict.allowed) return { waitSeconds: verdict.waitSeconds }
    const body = { currentPassword: current, newPassword: next, revokeOtherSessions: true }
    const cookies = await this.#try(() =>
      this.#auth.api.changePassword({ body, headers: cookieHeader(headers), returnHeaders: true }),
    )
    if (cookies === null) return { problem: 'current' }
    await forgiveAttempt(this.#database, scopes)
    return { cookies }
  }

  /** The cookies of an answer; null where the library refuses. */
  async #try(call: () => Promise<{ headers: Headers }>): Promise<readonly string[] | null> {
    try {
      const { headers } = await call()
      return headers.getSetCookie()
    } catch (error) {
      if (isAPIError(error) && error.statusCode < SERVER_ERROR) return null
      throw error
    }
  }
}

const SERVER_ERROR = 500
const EMAIL_LENGTH_MAX = 254

/** The address as it is kept. Throws `InvalidEmailError`. */
function readEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length > EMAIL_LENGTH_MAX || !/^[^\s@\p{Cc}<>"]+@[^\s@\p{Cc}<>"]+\.[^\s@\p{Cc}<>"]+$/u.test(email))
    throw new InvalidEmailError(
      `an e-mail address such as name@shop.example is needed; got ${JSON.stringify(text.slice(0, 80))}`,
    )
  return email
}

/** Of what a browser sends, what the library may see. */
function cookieHeader(headers: Headers): Headers {
  return new Headers({ cookie: headers.get('cookie') ?? '' })
}

/** For a new session: what its list calls the browser. The cookie stays behind, so that the old session is no part of it. */
function userAgentHeader(headers: Headers): Headers {
  return new Headers({ 'user-agent': (headers.get('user-agent') ?? '').slice(0, 300) })
}
