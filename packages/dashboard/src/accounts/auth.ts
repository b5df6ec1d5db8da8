// Configures the tables, cookies and lifetimes of better-auth, which stores accounts, passwords and sessions. The
// dashboard does not serve the HTTP routes of better-auth, but calls its functions.

import { randomUUID } from 'node:crypto'
import type { GenericEndpointContext } from '@better-auth/core'
import { passkey } from '@better-auth/passkey'
import type { ControlDatabase, SecondFactorKind } from '@store-export/control'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { magicLink } from 'better-auth/plugins/magic-link'
import { twoFactor } from 'better-auth/plugins/two-factor'
import { cookieAttributes } from '../security/cookie-attributes.ts'
import { passkeyOriginOf } from '../security/origins.ts'
import { kyselyDialect } from './kysely-dialect.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'

/** Minimum length of a password in characters, and maximum length in UTF-16 units. */
export const PASSWORD_LENGTH = { min: 10, max: 128 } as const

/** Options of every kind of sign-in. */
export interface CommonAuthOptions {
  readonly database: ControlDatabase
  /** Key that signs cookies and encrypts the secrets of second factors. All nodes share it. */
  readonly secret: string
  /** Public URL of the dashboard. */
  readonly url: string
  /** The origins whose pages may show the dashboard in a frame; absent for none. */
  readonly frameAncestors?: readonly string[]
  /** Days for which a session stays valid without a request. Requests extend it, at most once a day. */
  readonly sessionDays: number
}

/** Options of every kind of sign-in except single sign-on. */
export interface AuthOptions extends CommonAuthOptions {
  /** Minutes for which a one-time link is valid. */
  readonly linkMinutes: number
  /** Called with the token of each new one-time link. */
  readonly onLink: (token: string) => void
}

const DAY_SECONDS = 86_400
/**
 * Minimum time in seconds between two extensions of a session. With a day, sessions of one day would end although they
 * are in use.
 */
const EXTEND_SECONDS = 3600
/** Seconds after the password or the link for which a code completes the sign-in. */
const CODE_SECONDS = 600
/** Name of the dashboard in the merchant's app for codes, and in the merchant's list of passkeys. */
export const ISSUER = 'Store Data Export'

/** Returns a better-auth instance for passwords, links, second factors, passkeys, and sessions. */
export function createAuth(options: AuthOptions) {
  const { linkMinutes, onLink } = options
  return betterAuth({
    ...commonAuthOptions(options),
    databaseHooks: { session: { create: { before: async (session, context) => noteOpening(session, context) } } },
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
        sendMagicLink: ({ token }) => onLink(token),
      }),
      secondFactor(),
      passkeys(options.url),
    ],
  })
}

/**
 * Notes in a session which second factor opened it, for stores that require one. better-auth replaces the session after
 * some changes of the account. Such a change is not a new sign-in, so the new session has the age and the note of the
 * old one. Without a note, it gets the note `code` if the merchant has just turned the codes on with a code.
 */
function noteOpening<T extends { createdAt: Date }>(session: T, context: GenericEndpointContext | null) {
  const replaced = context?.context.session?.session
  const openedBy = replaced?.openedBy ?? FACTOR_OF_PATH[context?.path ?? ''] ?? null
  return { data: { ...session, createdAt: replaced?.createdAt ?? session.createdAt, openedBy } }
}

/** The second factor that opens a session, by the better-auth function that creates the session. */
const FACTOR_OF_PATH: Readonly<Record<string, SecondFactorKind>> = {
  '/passkey/verify-authentication': 'passkey',
  '/two-factor/verify-totp': 'code',
  '/two-factor/verify-backup-code': 'code',
}

/**
 * Returns the plugin for codes of an app. In better-auth, only a sign-in by password needs a code. Here, a one-time
 * link needs one, too, because other persons can get the link. Single sign-on leaves the second factor to the provider.
 */
function secondFactor() {
  const plugin = twoFactor({
    issuer: ISSUER,
    twoFactorCookieMaxAge: CODE_SECONDS,
    backupCodeOptions: { customBackupCodesGenerate: makeRecoveryCodes },
    schema: {
      user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
      twoFactor: { modelName: 'merchant_two_factors', fields: TWO_FACTOR_COLUMNS },
    },
  })
  const matcher = ({ path }: { path?: string }) => path === '/sign-in/email' || path === '/magic-link/verify'
  return { ...plugin, hooks: { after: plugin.hooks.after.map((hook) => ({ ...hook, matcher })) } }
}

/**
 * Returns the plugin for passkeys. A passkey replaces the password and the code, so it must verify its user, for
 * example by a fingerprint or a PIN. better-auth alone accepts passkeys that don't verify their user. The sign-in has
 * no email address, so the passkey must be stored where the browser finds it.
 */
function passkeys(url: string) {
  // At an IP address, passkeys don't work, and the pages don't offer them. The plugin still needs an origin.
  const origin = passkeyOriginOf(url) ?? url
  return passkey({
    rpID: new URL(origin).hostname,
    rpName: ISSUER,
    origin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: ({ verification: { registrationInfo } }) => requireUser(registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: async ({ verification: { authenticationInfo } }) =>
        requireUser(authenticationInfo.userVerified),
    },
    advanced: { webAuthnChallengeCookie: 'passkey' },
    schema: { passkey: { modelName: 'merchant_passkeys', fields: PASSKEY_COLUMNS } },
  })
}

function requireUser(isVerified: boolean | undefined): void {
  if (isVerified !== true) throw new APIError('UNAUTHORIZED', { code: 'USER_NOT_VERIFIED' })
}

/** Returns the better-auth options for every kind of sign-in. All kinds create the same sessions. */
export function commonAuthOptions({ database, secret, url, frameAncestors = [], sessionDays }: CommonAuthOptions) {
  const isSecure = url.startsWith('https:')
  const attributes = { httpOnly: true, path: '/', ...cookieAttributes({ isSecure, frameAncestors }) }
  return {
    baseURL: url,
    secret,
    database: { dialect: kyselyDialect(database.pool), type: 'postgres' },
    telemetry: { enabled: false },
    // The dashboard counts attempts in the control database, for all nodes.
    rateLimit: { enabled: false },
    // The logger would print what the merchant typed when a password is wrong.
    logger: { disabled: true },
    session: {
      modelName: 'merchant_sessions',
      fields: { ...TIMESTAMP_COLUMNS, userId: 'merchant_id', expiresAt: 'expires_at', ...CLIENT_COLUMNS },
      expiresIn: sessionDays * DAY_SECONDS,
      updateAge: EXTEND_SECONDS,
      // Otherwise, better-auth rejects the list of sessions a day after the sign-in.
      freshAge: 0,
      additionalFields: { openedBy: { type: 'string', required: false, input: false, fieldName: 'opened_by' } },
    },
    user: {
      modelName: 'merchants',
      fields: { ...TIMESTAMP_COLUMNS, emailVerified: 'email_verified' },
      additionalFields: { language: { type: 'string', required: false, input: false } },
    },
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
      // Migrations of the control database create the tables.
      database: { generateId: () => randomUUID(), validateSchema: false },
      // The dashboard stores no client addresses, for privacy. The name of the browser distinguishes the sessions of a
      // merchant.
      ipAddress: { disableIpTracking: true },
      // `true` would add the prefix `__Secure-` to the names below, which have a prefix. Their attributes set `Secure`.
      useSecureCookies: false,
      cookies: {
        session_token: { name: sessionCookieName(isSecure), attributes },
        two_factor: { name: secondFactorCookieName(isSecure), attributes },
        passkey: { name: passkeyCookieName(isSecure), attributes },
        oauth_state: { name: stateCookieName(isSecure), attributes },
      },
    },
  } satisfies BetterAuthOptions
}

/**
 * Returns the name of the session cookie. Browsers accept a cookie with the prefix `__Host-` only over TLS, and send it
 * only to this host. `isSecure` says whether the dashboard's URL is HTTPS.
 */
export function sessionCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-session' : 'session'
}

/** Returns the name of the cookie that binds a single sign-on to the browser that started it. */
export function stateCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-single-sign-on' : 'single-sign-on'
}

/** Returns the name of the cookie of a sign-in that needs a code. */
export function secondFactorCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-second-factor' : 'second-factor'
}

/** Returns the name of the cookie that binds the challenge for a passkey to the browser that requested it. */
export function passkeyCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-passkey' : 'passkey'
}

/** The better-auth instance that `Accounts`, `TwoFactor`, and `Passkeys` share. */
export type Auth = ReturnType<typeof createAuth>

const TIMESTAMP_COLUMNS = { createdAt: 'created_at', updatedAt: 'updated_at' } as const
const CLIENT_COLUMNS = { ipAddress: 'ip_address', userAgent: 'user_agent' } as const
const TWO_FACTOR_COLUMNS = {
  userId: 'merchant_id',
  backupCodes: 'backup_codes',
  failedVerificationCount: 'failed_verification_count',
  lockedUntil: 'locked_until',
} as const
const PASSKEY_COLUMNS = {
  userId: 'merchant_id',
  credentialID: 'credential_id',
  publicKey: 'public_key',
  deviceType: 'device_type',
  backedUp: 'backed_up',
  createdAt: 'created_at',
} as const
const TOKEN_COLUMNS = {
  accessToken: 'access_token',
  refreshToken: 'refresh_token',
  idToken: 'id_token',
  accessTokenExpiresAt: 'access_token_expires_at',
  refreshTokenExpiresAt: 'refresh_token_expires_at',
} as const
