// Manages the second factor of an account: codes of an app (TOTP, RFC 6238), and recovery codes. better-auth stores the
// secret encrypted and checks the codes. This module limits the rate of attempts, and accepts each code of the app only
// once.

import { createHash } from 'node:crypto'
import { type ControlDatabase, consumeFormToken } from '@store-export/control'
import type { MerchantSession } from './accounts.ts'
import { type Auth, secondFactorCookieName } from './auth.ts'
import {
  type AuthCall,
  type AuthResult,
  callAuth,
  cookieHeader,
  cookieOf,
  headersWith,
  userAgentHeader,
} from './call-auth.ts'
import { callInSession } from './call-in-session.ts'
import { callSignIn } from './call-sign-in.ts'
import { type Attempt, limitAttempts, type PasswordCheck, passwordScope } from './limit-attempts.ts'
import type { LinkSignIns } from './link-sign-ins.ts'

/**
 * The result of a code at the sign-in. The response must set `cookies`, which hold the new session. `ended`: the
 * sign-in must start again with the password or a link.
 */
export type CodeResult = Attempt<{ readonly cookies: readonly string[] }> | { readonly kind: 'ended' }

/** better-auth's codes for a sign-in that can't be completed: it has expired, or five codes were wrong. */
const ENDED_CODES = ['INVALID_TWO_FACTOR_COOKIE', 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE']

/** What `TwoFactor` needs besides better-auth. */
export interface TwoFactorOptions {
  readonly database: ControlDatabase
  /** Public URL of the dashboard. Its scheme decides the name of the cookie. */
  readonly url: string
  readonly linkSignIns: LinkSignIns
}

/** Turns the second factor on and off, and checks codes. */
export class TwoFactor {
  readonly #auth: Auth
  readonly #database: ControlDatabase
  readonly #linkSignIns: LinkSignIns
  readonly #cookieName: string

  constructor(auth: Auth, { database, url, linkSignIns }: TwoFactorOptions) {
    this.#auth = auth
    this.#database = database
    this.#linkSignIns = linkSignIns
    this.#cookieName = secondFactorCookieName(url.startsWith('https:'))
  }

  /**
   * Makes a secret if the password is right, and returns it in base32. Sign-ins need codes only after `confirm`. A call
   * before `confirm` replaces the secret. Returns `rejected` for a wrong password, and while the second factor is on.
   */
  async setUp({ session, password, headers }: PasswordCheck): Promise<Attempt<{ readonly secret: string }>> {
    const body = { password }
    const result = await this.#limited([passwordScope(session)], () =>
      this.#inSession(session, () =>
        this.#auth.api.enableTwoFactor({ body, headers: cookieHeader(headers), returnHeaders: true }),
      ),
    )
    if (result.kind !== 'done') return result
    const { response } = result
    const secret = 'totpURI' in response ? new URL(response.totpURI ?? '').searchParams.get('secret') : null
    if (secret === null) throw new Error('better-auth returned no secret')
    return { kind: 'done', secret }
  }

  /**
   * Turns the second factor on if the code belongs to the new secret, and ends all other sessions. Replaces the current
   * session by the one in `cookies`, and returns the recovery codes.
   */
  async confirm(
    session: MerchantSession,
    { code, headers }: { readonly code: string; readonly headers: Headers },
  ): Promise<Attempt<{ readonly cookies: readonly string[]; readonly recoveryCodes: readonly string[] }>> {
    const { api } = this.#auth
    const result = await this.#limited([codeScope(session.merchantId)], async () => {
      if (!(await this.#isUnused(session.merchantId, code))) return REJECTED
      const body = { code: digitsOf(code) }
      return this.#inSession(session, async () => {
        const verified = await api.verifyTOTP({ body, headers: cookieHeader(headers), returnHeaders: true })
        await api.revokeOtherSessions({ headers: headersWith(verified.headers.getSetCookie()) })
        const { backupCodes } = await api.viewBackupCodes({ body: { userId: session.merchantId } })
        return { headers: verified.headers, response: { recoveryCodes: backupCodes } }
      })
    })
    return result.kind === 'done' ? { kind: 'done', cookies: result.cookies, ...result.response } : result
  }

  /**
   * Checks a code of the app before a sensitive change. A code that was used before, for example for the sign-in, is
   * rejected. Failed checks count for the same rate limit of the account as those of `verify`.
   */
  async check(
    session: MerchantSession,
    { code, headers }: { readonly code: string; readonly headers: Headers },
  ): Promise<Attempt<object>> {
    return this.#limited<unknown>([codeScope(session.merchantId)], async () => {
      if (!(await this.#isUnused(session.merchantId, code))) return REJECTED
      const body = { code: digitsOf(code) }
      return callAuth(() => this.#auth.api.verifyTOTP({ body, headers: cookieHeader(headers), returnHeaders: true }))
    })
  }

  /** Replaces the recovery codes if the password is right, and returns the new ones. */
  async renewRecoveryCodes(check: PasswordCheck): Promise<Attempt<{ readonly recoveryCodes: readonly string[] }>> {
    const body = { password: check.password }
    const headers = cookieHeader(check.headers)
    const result = await this.#limited([passwordScope(check.session)], () =>
      this.#inSession(check.session, () => this.#auth.api.generateBackupCodes({ body, headers, returnHeaders: true })),
    )
    return result.kind === 'done' ? { kind: 'done', recoveryCodes: result.response.backupCodes } : result
  }

  /** Turns the second factor off if the password is right, and replaces the current session by the one in `cookies`. */
  async turnOff(check: PasswordCheck): Promise<Attempt<{ readonly cookies: readonly string[] }>> {
    const body = { password: check.password }
    const headers = cookieHeader(check.headers)
    return this.#limited([passwordScope(check.session)], () =>
      this.#inSession(check.session, () => this.#auth.api.disableTwoFactor({ body, headers, returnHeaders: true })),
    )
  }

  /** Whether the request has the cookie of a sign-in that needs a code. `verify` checks whether it is still valid. */
  isPending(headers: Headers): boolean {
    return cookieOf(headers, this.#cookieName) !== null
  }

  /**
   * Completes a sign-in with a code of the app or a recovery code. Six digits are a code of the app. The rate limit
   * counts failed attempts per account and per client address. Also, better-auth ends the sign-in after five wrong
   * codes.
   */
  async verify(attempt: {
    readonly code: string
    readonly clientAddress: string
    readonly headers: Headers
  }): Promise<CodeResult> {
    const cookie = cookieOf(attempt.headers, this.#cookieName)
    const { internalAdapter } = await this.#auth.$context
    const identifier = identifierOf(cookie ?? '')
    const pending = identifier === '' ? null : await internalAdapter.findVerificationValue(identifier)
    if (pending === null) return { kind: 'ended' }
    // better-auth stores the account's ID as the value of a sign-in that needs a code.
    const merchantId = pending.value
    const headers = userAgentHeader(attempt.headers)
    // The headers omit the session cookie. With it, better-auth would check the code for the account of an old session.
    headers.set('cookie', `${this.#cookieName}=${cookie}`)
    const isOfApp = /^\d{6}$/.test(digitsOf(attempt.code))
    let isEnded = false
    const scopes = [`code ${attempt.clientAddress}`, codeScope(merchantId)]
    const result = await this.#limited<{ readonly token?: string | null | undefined } | null>(scopes, async () => {
      if (isOfApp && !(await this.#isUnused(merchantId, attempt.code))) return REJECTED
      const code = isOfApp ? digitsOf(attempt.code) : recoveryCodeOf(attempt.code)
      const { verifyTOTP, verifyBackupCode } = this.#auth.api
      const call = await callSignIn<{ readonly token?: string | null | undefined }>(this.#database, () => {
        const request = { body: { code }, headers, returnHeaders: true } as const
        return isOfApp ? verifyTOTP(request) : verifyBackupCode(request)
      })
      isEnded = call.kind === 'rejected' && ENDED_CODES.includes(call.code)
      return call
    })
    // A sign-in by link waited for the code. Now its session can set a new password.
    if (result.kind === 'done') await this.#linkSignIns.complete(identifier, result.response?.token ?? '')
    return isEnded ? { kind: 'ended' } : result
  }

  #inSession<T>(
    session: MerchantSession,
    call: () => Promise<{ headers: Headers; response: T }>,
  ): Promise<AuthCall<T>> {
    return callInSession({ database: this.#database, session }, call)
  }

  #limited<T>(scopes: readonly string[], call: () => Promise<AuthCall<T>>): Promise<Attempt<AuthResult<T>>> {
    return limitAttempts({ database: this.#database, scopes }, call)
  }

  /**
   * Marks a code of the app as used, before better-auth checks it, and returns whether it was unused. So a wrong code
   * is used up, too. A code is valid for up to 90 seconds, so a person who saw it could otherwise use it again. Codes
   * share the table of used form tokens, which all nodes read.
   */
  #isUnused(merchantId: string, code: string): Promise<boolean> {
    const hash = createHash('sha256')
      .update(`code ${merchantId} ${digitsOf(code)}`)
      .digest()
    return consumeFormToken(this.#database, hash)
  }
}

/** The result for a used code. It is the same as for a wrong code, so that nothing reveals that the code was right. */
const REJECTED = { kind: 'rejected', code: '', status: 400 } as const

function codeScope(merchantId: string): string {
  return `code of ${merchantId}`
}

/** Returns the code without spaces. Apps show one in its middle. */
function digitsOf(code: string): string {
  return code.replaceAll(/\s/g, '')
}

/** Returns the code as `makeRecoveryCodes` writes it. */
function recoveryCodeOf(code: string): string {
  return code.trim().toLowerCase()
}

/**
 * Returns the ID of a sign-in that needs a code, from the cookies of its response; '' if no cookie has one. Looks for
 * both names of the cookie, because this function doesn't know whether the dashboard uses TLS.
 */
export function pendingIdOf(cookies: readonly string[]): string {
  const headers = headersWith(cookies)
  const names = [true, false].map(secondFactorCookieName)
  return names.map((name) => identifierOf(cookieOf(headers, name) ?? '')).find((id) => id !== '') ?? ''
}

/** Returns the value in a signed cookie; '' for a malformed one. better-auth checks the signature. */
function identifierOf(cookie: string): string {
  return /^[A-Za-z0-9_-]+(?=\.)/.exec(cookie)?.[0] ?? ''
}
