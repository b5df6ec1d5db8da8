// The library that keeps accounts, passwords and sessions, told about our tables, cookies and clocks. Nothing of its own
// HTTP surface is served: accounts.ts calls it, and the routes call that.

import { randomUUID } from 'node:crypto'
import type { ControlDatabase } from '@store-export/control'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { magicLink } from 'better-auth/plugins/magic-link'
import { kyselyDialect } from './kysely-dialect.ts'

/** Shortest and longest password, in characters. */
export const PASSWORD_LENGTH = { min: 10, max: 128 } as const

/** What every sign-in needs. */
export interface CommonAuthOptions {
  readonly database: ControlDatabase
  /** Signs session cookies. */
  readonly secret: string
  /** Address of the dashboard. */
  readonly url: string
  readonly sessionDays: number
}

/** What accounts need. */
export interface AuthOptions extends CommonAuthOptions {
  readonly linkMinutes: number
  /** Takes the token of a one-time link that was just made. */
  readonly onLink: (email: string, token: string) => void
}

const DAY_SECONDS = 86_400

/** The library for passwords, links and sessions. */
export function createAuth(options: AuthOptions) {
  const { linkMinutes, onLink } = options
  return betterAuth({
    ...commonAuthOptions(options),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
    },
    plugins: [
      magicLink({
        storeToken: 'hashed',
        disableSignUp: true,
        expiresIn: linkMinutes * 60,
        sendMagicLink: ({ email, token }) => onLink(email, token),
      }),
    ],
  })
}

/** What the library is told whichever way somebody signs in: sessions are the same for all of them. */
export function commonAuthOptions({ database, secret, url, sessionDays }: CommonAuthOptions) {
  const isSecure = url.startsWith('https:')
  const attributes = { secure: isSecure, httpOnly: true, sameSite: 'lax', path: '/' } as const
  return {
    baseURL: url,
    secret,
    database: { dialect: kyselyDialect(database.pool), type: 'postgres' },
    telemetry: { enabled: false },
    // Guesses are counted for all nodes in the control database, before the library is asked.
    rateLimit: { enabled: false },
    // It would warn of every mistyped password, with what was typed.
    logger: { disabled: true },
    session: {
      modelName: 'merchant_sessions',
      fields: { ...TIMESTAMP_COLUMNS, userId: 'merchant_id', expiresAt: 'expires_at', ...CLIENT_COLUMNS },
      expiresIn: sessionDays * DAY_SECONDS,
      updateAge: DAY_SECONDS,
    },
    user: { modelName: 'merchants', fields: { ...TIMESTAMP_COLUMNS, emailVerified: 'email_verified' } },
    account: {
      modelName: 'merchant_logins',
      fields: {
        ...TIMESTAMP_COLUMNS,
        ...TOKEN_COLUMNS,
        userId: 'merchant_id',
        accountId: 'account_id',
        providerId: 'provider_id',
      },
    },
    verification: { modelName: 'merchant_links', fields: { ...TIMESTAMP_COLUMNS, expiresAt: 'expires_at' } },
    advanced: {
      // Its tables are made by our migrations, which are checked before anything starts.
      database: { generateId: () => randomUUID(), validateSchema: false },
      // Where a merchant signs in from is nobody's business; the browser's name tells sessions apart.
      ipAddress: { disableIpTracking: true },
      useSecureCookies: false,
      cookies: {
        session_token: { name: sessionCookieName(isSecure), attributes },
        oauth_state: { name: stateCookieName(isSecure), attributes },
      },
    },
  } satisfies BetterAuthOptions
}

/** Name of the session's cookie; with TLS the browser itself holds it to this host, path and TLS. */
export function sessionCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-session' : 'session'
}

/** Name of the cookie that a sign-in at the operator's login is bound to until it comes back. */
export function stateCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-single-sign-on' : 'single-sign-on'
}

/** What `createAuth` answers. */
export type Auth = ReturnType<typeof createAuth>

const TIMESTAMP_COLUMNS = { createdAt: 'created_at', updatedAt: 'updated_at' } as const
const CLIENT_COLUMNS = { ipAddress: 'ip_address', userAgent: 'user_agent' } as const
const TOKEN_COLUMNS = {
  accessToken: 'access_token',
  refreshToken: 'refresh_token',
  idToken: 'id_token',
  accessTokenExpiresAt: 'access_token_expires_at',
  refreshTokenExpiresAt: 'refresh_token_expires_at',
} as const
