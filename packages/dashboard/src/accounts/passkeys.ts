// Manages the passkeys of accounts, and signs in with them (WebAuthn). A passkey replaces the password and the code, so
// it must verify its user. better-auth makes the challenges, accepts each once, and checks the signatures. This module
// limits the rate of attempts.

import { type ControlDatabase, countAttempt, discountAttempt } from '@store-export/control'
import type { MerchantSession } from './accounts.ts'
import { type Auth, passkeyCookieName } from './auth.ts'
import { callAuth, cookieHeader, cookieOf, userAgentHeader } from './call-auth.ts'
import { callInSession } from './call-in-session.ts'
import { callSignIn } from './call-sign-in.ts'
import { type Attempt, limitAttempts, type PasswordCheck, passwordScope } from './limit-attempts.ts'
import { parseCredential } from './parse-credential.ts'

/** A passkey of an account. */
export interface Passkey {
  readonly id: string
  readonly name: string
  readonly addedAt: Date
}

/** The options of a challenge, which the page passes to the browser, and the cookies that bind it to the browser. */
export interface Challenge {
  readonly options: object
  readonly cookies: readonly string[]
}

/** The result of a sign-in. `unknown`: no account has the passkey. */
export type PasskeyResult = Attempt<{ readonly cookies: readonly string[] }> | { readonly kind: 'unknown' }

/** Maximum number of passkeys of an account. A trigger of the control database has the same number. */
export const PASSKEYS_MAX = 10

/** Adds and removes passkeys, and signs in with them. */
export class Passkeys {
  readonly #auth: Auth
  readonly #database: ControlDatabase
  readonly #cookieName: string

  constructor(auth: Auth, { database, url }: { readonly database: ControlDatabase; readonly url: string }) {
    this.#auth = auth
    this.#database = database
    this.#cookieName = passkeyCookieName(url.startsWith('https:'))
  }

  /** Returns the passkeys of the account, oldest first. */
  async list(headers: Headers): Promise<readonly Passkey[]> {
    const list = await this.#auth.api.listPasskeys({ headers: cookieHeader(headers) })
    return list
      .map(({ id, name = '', createdAt }) => ({ id, name, addedAt: new Date(createdAt) }))
      .toSorted((one, other) => one.addedAt.getTime() - other.addedAt.getTime())
  }

  /** Returns a challenge for a new passkey if the password is right. It is valid for five minutes. */
  async startAdding(check: PasswordCheck): Promise<Attempt<Challenge>> {
    const result = await this.#checkPassword(check)
    if (result.kind !== 'done') return result
    const { headers, response } = await this.#auth.api.generatePasskeyRegistrationOptions({
      headers: cookieHeader(check.headers),
      returnHeaders: true,
    })
    return { kind: 'done', options: response, cookies: headers.getSetCookie() }
  }

  /**
   * Adds the passkey that the browser created for a challenge of this account. `credential` is its JSON. Returns false
   * if the passkey is not valid, the challenge was used or has expired, the account has ten passkeys, or the session
   * has ended.
   */
  async add(
    session: MerchantSession,
    { name, credential, headers }: { name: string; credential: string; headers: Headers },
  ): Promise<boolean> {
    const response = parseCredential(credential, ['clientDataJSON', 'attestationObject'])
    if (response === null) return false
    const body = { name, response }
    // better-auth reports any error during the verification with 500 and this code, also that of the trigger.
    const rejections = ['FAILED_TO_VERIFY_REGISTRATION']
    const call = await callInSession({ database: this.#database, session, rejections }, () =>
      this.#auth.api.verifyPasskeyRegistration({ body, headers: cookieHeader(headers), returnHeaders: true }),
    )
    return call.kind === 'done'
  }

  /** Changes the name of a passkey. Returns false if the account has no such passkey. */
  async rename({ id, name, headers }: { id: string; name: string; headers: Headers }): Promise<boolean> {
    const body = { id, name }
    const call = await callAuth(() =>
      this.#auth.api.updatePasskey({ body, headers: cookieHeader(headers), returnHeaders: true }),
    )
    return call.kind === 'done'
  }

  /**
   * Removes a passkey if the password is right, and ends all other sessions, because the passkey could have opened
   * them. If the account has no such passkey, only ends the other sessions.
   */
  async remove(check: PasswordCheck, id: string): Promise<Attempt<object>> {
    const result = await this.#checkPassword(check)
    if (result.kind !== 'done') return result
    const headers = cookieHeader(check.headers)
    await callAuth(() => this.#auth.api.deletePasskey({ body: { id }, headers, returnHeaders: true }))
    await this.#auth.api.revokeOtherSessions({ headers })
    return { kind: 'done' }
  }

  /**
   * Returns a challenge for a sign-in. It is valid for five minutes. The rate limit counts the challenges of a client
   * address, because each is a row of the control database. Challenges that led to a sign-in don't count.
   */
  async startSignIn(clientAddress: string): Promise<Exclude<Attempt<Challenge>, { kind: 'rejected' }>> {
    const verdict = await countAttempt(this.#database, [challengeScope(clientAddress)])
    if (!verdict.allowed) return { kind: 'rate_limited', waitSeconds: verdict.waitSeconds }
    // The headers omit the session cookie, because the sign-in is for any account.
    const { headers, response } = await this.#auth.api.generatePasskeyAuthenticationOptions({
      headers: new Headers(),
      returnHeaders: true,
    })
    // better-auth returns `preferred`, with which a browser can skip the verification of the user.
    const options = { ...response, userVerification: 'required' }
    return { kind: 'done', options, cookies: headers.getSetCookie() }
  }

  /**
   * Signs in with a passkey. `credential` is the JSON of its response to the challenge in the cookie. The rate limit
   * counts failed attempts per client address.
   */
  async signIn(attempt: {
    readonly credential: string
    readonly clientAddress: string
    readonly headers: Headers
  }): Promise<PasskeyResult> {
    const headers = userAgentHeader(attempt.headers)
    // The headers omit the session cookie, because the sign-in is for the account of the passkey.
    headers.set('cookie', `${this.#cookieName}=${cookieOf(attempt.headers, this.#cookieName)}`)
    const { clientAddress, credential } = attempt
    let isUnknown = false
    const scopes = [`passkey ${clientAddress}`]
    const result = await limitAttempts({ database: this.#database, scopes }, async () => {
      const response = parseCredential(credential, ['clientDataJSON', 'authenticatorData', 'signature'])
      if (response === null) return { kind: 'rejected', code: '', status: 400 } as const
      const body = { response }
      const call = await callSignIn(this.#database, () =>
        this.#auth.api.verifyPasskeyAuthentication({ body, headers, returnHeaders: true }),
      )
      isUnknown = call.kind === 'rejected' && call.code === 'PASSKEY_NOT_FOUND'
      return call
    })
    // `limitAttempts` has discounted only its own scope.
    if (result.kind === 'done') await discountAttempt(this.#database, [challengeScope(clientAddress)])
    return isUnknown ? { kind: 'unknown' } : result
  }

  #checkPassword({ session, password, headers }: PasswordCheck) {
    const body = { password }
    const request = { body, headers: cookieHeader(headers), returnHeaders: true } as const
    return limitAttempts({ database: this.#database, scopes: [passwordScope(session)] }, () =>
      callAuth(() => this.#auth.api.verifyPassword(request)),
    )
  }
}

function challengeScope(clientAddress: string): string {
  return `passkey challenge ${clientAddress}`
}
