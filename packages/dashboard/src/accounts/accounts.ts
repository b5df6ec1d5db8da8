// Manages the accounts of merchants: creates them, signs merchants in by password and by one-time link, changes
// passwords, and ends sessions. better-auth stores passwords and sessions (auth.ts). This module limits the rate of
// attempts. two-factor.ts, passkeys.ts, and single-sign-on.ts have the other kinds of sign-in.

import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import {
  type AddedMember,
  addMember,
  type ControlDatabase,
  countAttempt,
  discountAttempt,
  type MemberRole,
  parseEmail,
  readSecondFactor,
} from '@store-export/control'
import { findLanguage, type Language } from '../texts/languages.ts'
import { type Auth, type AuthOptions, createAuth, PASSWORD_LENGTH } from './auth.ts'
import { cookieHeader, userAgentHeader } from './call-auth.ts'
import { callInSession, workInSession } from './call-in-session.ts'
import { callSignIn } from './call-sign-in.ts'
import { type ClientName, clientName } from './client-name.ts'
import { passwordScope } from './limit-attempts.ts'
import { LinkSignIns } from './link-sign-ins.ts'
import { Passkeys } from './passkeys.ts'
import { SingleSignOn, type SingleSignOnSettings } from './single-sign-on.ts'
import { pendingIdOf, TwoFactor } from './two-factor.ts'

/** Options of all kinds of sign-in. */
export type AccountsOptions = Omit<AuthOptions, 'onLink'> & {
  /** The provider; null or absent without single sign-on. */
  readonly singleSignOn?: SingleSignOnSettings | null
}

/** The session of a signed-in merchant. */
export interface MerchantSession {
  readonly id: string
  readonly merchantId: string
  readonly email: string
  /** Whether the sign-in to this account needs a code. */
  readonly hasTwoFactor: boolean
  /** The language that the merchant chose; null for the language of the browser. */
  readonly language: Language | null
}

/** The result of a sign-in. `cookies` are values of Set-Cookie. */
export type SignInResult =
  | { readonly kind: 'succeeded'; readonly cookies: readonly string[] }
  /** The password or the link is right, and `TwoFactor.verify` must complete the sign-in. */
  | { readonly kind: 'code_required'; readonly cookies: readonly string[] }
  /**
   * The link, the address, or the password is wrong, or the account's ways to sign in were reset during the call
   * (call-sign-in.ts). The result doesn't say which, so that it reveals no accounts.
   */
  | { readonly kind: 'rejected' }
  /** There were too many attempts, so the dashboard did not check this attempt. */
  | { readonly kind: 'rate_limited'; readonly waitSeconds: number }

/**
 * Reason for which the dashboard did not change a password.
 * - `current`: the current password is wrong, or the session has ended since.
 * - `link expired`: the sign-in by link was too long ago, so the current password is needed.
 * - `session old`: the account has no password, and the sign-in was too long ago to set the first one. Or the session
 *   has ended before a password could be set without the current one.
 */
export type PasswordRejection = 'current' | 'too short' | 'too long' | 'link expired' | 'session old'

/** Age of a session in seconds up to which it is fresh. */
const FRESH_SECONDS = 600

/** Whether a session of this age is fresh. */
export function isFreshAge(ageSeconds: number): boolean {
  return ageSeconds <= FRESH_SECONDS
}

/** Creates accounts, signs merchants in and out, and changes passwords. */
export class Accounts {
  /** Sign-in at the provider; null without single sign-on. */
  readonly singleSignOn: SingleSignOn | null
  /** The second factor of accounts. */
  readonly twoFactor: TwoFactor
  /** The passkeys of accounts. */
  readonly passkeys: Passkeys
  readonly #auth: Auth
  readonly #database: ControlDatabase
  readonly #linkSignIns: LinkSignIns
  /** The link that the current call of `createSignInLink` waits for. better-auth passes its token to a callback. */
  readonly #link = new AsyncLocalStorage<{ token: string | null }>()

  /** Throws `InvalidIssuerError` if the issuer of single sign-on is not a secure URL. */
  constructor(options: AccountsOptions) {
    const { singleSignOn = null } = options
    this.singleSignOn = singleSignOn === null ? null : new SingleSignOn(options, singleSignOn)
    this.#database = options.database
    this.#auth = createAuth({ ...options, onLink: (token) => this.#takeToken(token) })
    this.#linkSignIns = new LinkSignIns(this.#auth)
    this.twoFactor = new TwoFactor(this.#auth, { ...options, linkSignIns: this.#linkSignIns })
    this.passkeys = new Passkeys(this.#auth, options)
  }

  /**
   * Adds a store to an account, and creates a missing account. If the account is a member already, its role stays, and
   * the result has that role. Rejects with `InvalidEmailError` or `UnknownStore`.
   */
  async addMerchant(email: string, storeId: string, role: MemberRole = 'admin'): Promise<AddedMember> {
    const address = parseEmail(email)
    return addMember({ database: this.#database, random: randomBytes, email: address, storeId, role })
  }

  /** Whether an account has this address. Rejects with `InvalidEmailError`. */
  async hasMerchant(email: string): Promise<boolean> {
    const { internalAdapter } = await this.#auth.$context
    return (await internalAdapter.findUserByEmail(parseEmail(email))) !== null
  }

  /** Returns the hash of a password, as the control database stores it. */
  async hashPassword(password: string): Promise<string> {
    const { password: hasher } = await this.#auth.$context
    return hasher.hash(password)
  }

  /** Sets a new password, without checking its length or the current password. Sessions stay valid. */
  async setPassword(merchantId: string, password: string): Promise<void> {
    const { internalAdapter } = await this.#auth.$context
    const hash = await this.hashPassword(password)
    const login = await internalAdapter.findCredentialAccount(merchantId)
    if (login) await internalAdapter.updateAccount(login.id, { password: hash })
    else {
      const account = { userId: merchantId, providerId: 'credential', accountId: merchantId, password: hash }
      await internalAdapter.linkAccount(account)
    }
  }

  /**
   * Returns the token of a new one-time sign-in link. better-auth makes it for any address, but it signs in only if an
   * account has the address. Rejects with `InvalidEmailError`.
   */
  async createSignInLink(email: string): Promise<string> {
    const address = parseEmail(email)
    const link: { token: string | null } = { token: null }
    await this.#link.run(link, () =>
      this.#auth.api.signInMagicLink({ body: { email: address }, headers: new Headers() }),
    )
    if (link.token === null) throw new Error('better-auth created no sign-in link')
    return link.token
  }

  #takeToken(token: string): void {
    const link = this.#link.getStore()
    if (link !== undefined) link.token = token
  }

  /** Signs in by password. The rate limit counts failed attempts per account and per client address. */
  async signIn(attempt: {
    readonly email: string
    readonly password: string
    readonly clientAddress: string
    readonly headers: Headers
  }): Promise<SignInResult> {
    // Like `parseEmail`, but an invalid address is rejected in the same way as an unknown one.
    const email = attempt.email.trim().toLowerCase()
    const scopes = [`address ${attempt.clientAddress}`, `account ${email}`]
    // The client address comes first, so that a rate-limited address can't fill the table with account names.
    for (const scope of scopes) {
      const verdict = await countAttempt(this.#database, [scope])
      if (!verdict.allowed) return { kind: 'rate_limited', waitSeconds: verdict.waitSeconds }
    }
    const { password } = attempt
    const body = { email, password }
    const headers = userAgentHeader(attempt.headers)
    const call = await callSignIn(this.#database, () =>
      this.#auth.api.signInEmail({ body, headers, returnHeaders: true }),
    )
    if (call.kind === 'rejected') return { kind: 'rejected' }
    await discountAttempt(this.#database, scopes)
    return signInResult(call)
  }

  /**
   * Signs in by one-time link, which uses up its token. For ten minutes, the session can set a new password without the
   * current one. If the sign-in needs a code first, this holds for the session after the code. The rate limit counts
   * failed attempts per client address.
   */
  async signInByLink(
    token: string,
    { clientAddress, headers }: { clientAddress: string; headers: Headers },
  ): Promise<SignInResult> {
    const scopes = [`link ${clientAddress}`]
    const verdict = await countAttempt(this.#database, scopes)
    if (!verdict.allowed) return { kind: 'rate_limited', waitSeconds: verdict.waitSeconds }
    const call = await callSignIn(this.#database, () =>
      this.#auth.api.magicLinkVerify({ query: { token }, headers: userAgentHeader(headers), returnHeaders: true }),
    )
    if (call.kind === 'rejected') return { kind: 'rejected' }
    await discountAttempt(this.#database, scopes)
    const result = signInResult(call)
    if (result.kind === 'code_required') await this.#linkSignIns.markPending(pendingIdOf(call.cookies))
    else await this.#linkSignIns.markSession(call.response.session.id)
    return result
  }

  /** Returns the session of the request, and cookies if better-auth extends the session; null without a session. */
  async sessionOf(headers: Headers): Promise<{ session: MerchantSession; cookies: readonly string[] } | null> {
    const result = await this.#auth.api.getSession({ headers: cookieHeader(headers), returnHeaders: true })
    if (result.response === null) return null
    const { session, user } = result.response
    return {
      session: {
        id: session.id,
        merchantId: user.id,
        email: user.email,
        hasTwoFactor: user.twoFactorEnabled === true,
        language: findLanguage(user.language),
      },
      cookies: result.headers.getSetCookie(),
    }
  }

  /** Ends the session, and returns the cookies that remove it from the browser. */
  async signOut(headers: Headers): Promise<readonly string[]> {
    const result = await this.#auth.api.signOut({ headers: cookieHeader(headers), returnHeaders: true })
    return result.headers.getSetCookie()
  }

  /** Ends all sessions of the account except the current one. */
  async signOutOthers(headers: Headers): Promise<void> {
    await this.#auth.api.revokeOtherSessions({ headers: cookieHeader(headers) })
  }

  /** Ends all sessions of the account, and returns the cookies that remove this session from the browser. */
  async signOutEverywhere(headers: Headers): Promise<readonly string[]> {
    await this.#auth.api.revokeSessions({ headers: cookieHeader(headers) })
    return this.signOut(headers)
  }

  /** Returns the sessions of the account, newest first. */
  async sessions(headers: Headers): Promise<readonly { id: string; startedAt: Date; client: ClientName }[]> {
    const list = await this.#auth.api.listSessions({ headers: cookieHeader(headers) })
    return list
      .map(({ id, createdAt, userAgent }) => ({
        id,
        startedAt: new Date(createdAt),
        client: clientName(userAgent ?? ''),
      }))
      .toSorted((one, other) => other.startedAt.getTime() - one.startedAt.getTime())
  }

  /** Whether the merchant has set a password. A merchant without one signs in by link or single sign-on. */
  async hasPassword(merchantId: string): Promise<boolean> {
    const { internalAdapter } = await this.#auth.$context
    return Boolean((await internalAdapter.findCredentialAccount(merchantId))?.password)
  }

  /** Whether the session began with a link in the last ten minutes, and has set no new password since. */
  allowsNewPassword(session: MerchantSession): Promise<boolean> {
    return this.#linkSignIns.allowsNewPassword(session.id)
  }

  /** Whether the session is new enough to set the first password of its account. */
  async allowsFirstPassword({ id }: MerchantSession): Promise<boolean> {
    return isFreshAge((await readSecondFactor(this.#database, id)).ageSeconds)
  }

  /**
   * Changes the password, or sets the first password, and ends all other sessions. The first password needs a fresh
   * session. A change needs the current password, except once within ten minutes of a sign-in by link. `current` is
   * null if the form has no field for it. Wrong current passwords are rate limited per account. If the current password
   * was checked, better-auth replaces the session, and `cookies` are those of the new one. Otherwise, they are empty.
   */
  async changePassword(
    session: MerchantSession,
    change: { readonly current: string | null; readonly next: string; readonly headers: Headers },
  ): Promise<{ cookies: readonly string[] } | { problem: PasswordRejection } | { waitSeconds: number }> {
    const { merchantId } = session
    const { current, next, headers } = change
    const problem = lengthProblem(next)
    if (problem !== null) return { problem }
    const isFirst = !(await this.hasPassword(merchantId))
    // Otherwise, a thief could set a password in a stolen session, and add a passkey with it.
    if (isFirst && !(await this.allowsFirstPassword(session))) return { problem: 'session old' }
    // Uses up the permission of the link also for a first password. Otherwise, a second change could use it.
    if ((await this.#linkSignIns.useNewPassword(session.id)) || isFirst) {
      return (await this.#replacePassword(session, change)) ? { cookies: [] } : { problem: 'session old' }
    }
    if (current === null) return { problem: 'link expired' }
    // A separate limit, so that an attacker who guesses at the sign-in can't keep the owner from changing the password.
    const scopes = [passwordScope(session)]
    const verdict = await countAttempt(this.#database, scopes)
    if (!verdict.allowed) return { waitSeconds: verdict.waitSeconds }
    const body = { currentPassword: current, newPassword: next, revokeOtherSessions: true }
    const call = await callInSession({ database: this.#database, session }, () =>
      this.#auth.api.changePassword({ body, headers: cookieHeader(headers), returnHeaders: true }),
    )
    if (call.kind === 'rejected') return { problem: 'current' }
    await discountAttempt(this.#database, scopes)
    return { cookies: call.cookies }
  }

  /** Sets the password, and ends all other sessions. Returns false without a change if this session has ended. */
  async #replacePassword(
    { id, merchantId }: MerchantSession,
    { next, headers }: { readonly next: string; readonly headers: Headers },
  ): Promise<boolean> {
    const replace = async () => {
      await this.setPassword(merchantId, next)
      await this.#auth.api.revokeOtherSessions({ headers: cookieHeader(headers) })
      return true
    }
    return (await workInSession(this.#database, id, replace)) ?? false
  }
}

/** Returns the result of a call that created a session, or that needs a code first. */
function signInResult({
  cookies,
  response,
}: {
  readonly cookies: readonly string[]
  readonly response: unknown
}): SignInResult {
  const isPending = typeof response === 'object' && response !== null && 'twoFactorRedirect' in response
  return { kind: isPending ? 'code_required' : 'succeeded', cookies }
}

/** Returns what is wrong with the length of a new password; null if it can be used. */
export function lengthProblem(password: string): 'too short' | 'too long' | null {
  if ([...password].length < PASSWORD_LENGTH.min) return 'too short'
  // better-auth rejects longer passwords, and counts UTF-16 units.
  return password.length > PASSWORD_LENGTH.max ? 'too long' : null
}
