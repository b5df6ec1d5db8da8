// Derives a new directory token from the token of its form, as new-key.ts does for keys. A form that is sent twice
// creates one token. For ten minutes, a reload shows it again in the browser that created it.

import { findDirectoryToken, hashApiKey, makeDirectoryToken, type RandomBytes } from '@store-export/control'
import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import { cookieAttributes } from '../security/cookie-attributes.ts'
import { storePaths } from '../ui/store-paths.ts'
import type { StoreRequest } from './dashboard-request.ts'
import { NEW_KEY_SECONDS } from './new-key.ts'

const COOKIE = 'new-directory-token'

/**
 * Returns the directory token of this form token. Also returns `random`, the source of its bytes, from which
 * `createDirectoryToken` makes the same token.
 */
export function deriveDirectoryToken({ services, store }: StoreRequest, formToken: string) {
  const random: RandomBytes = services.formTokens.bytesOf(formToken, `directory token of ${store.id}`)
  return { random, token: makeDirectoryToken(random) }
}

/**
 * Returns the text of the token that this browser created in the last ten minutes, and that the merchant has not
 * confirmed as copied; null without one.
 */
export async function unconfirmedDirectoryToken(request: StoreRequest): Promise<string | null> {
  const { context, services, store, formTokenScope } = request
  const formToken = getCookie(context, COOKIE) ?? ''
  if (services.formTokens.check(formToken, formTokenScope) === null) return null
  const { token } = deriveDirectoryToken(request, formToken)
  const found = await findDirectoryToken({
    database: services.database,
    storeId: store.id,
    hash: hashApiKey(token),
  })
  return found === null || found.ageSeconds > NEW_KEY_SECONDS ? null : token.reveal()
}

/**
 * Returns the cookie with the form token of a new directory token. The directory token itself is not in the cookie, so
 * a stolen cookie gives no access to the SCIM routes. Browsers send the cookie only to the directory's pages.
 */
export function newDirectoryTokenCookie(request: StoreRequest, formToken: string): string {
  return cookie(request, formToken, NEW_KEY_SECONDS)
}

/** Returns the cookie that makes the browser forget the new token. */
export function deleteNewDirectoryTokenCookie(request: StoreRequest): string {
  return cookie(request, '', 0)
}

function cookie({ services, store }: StoreRequest, value: string, maxAge: number): string {
  const path = storePaths(store.id).directory
  return serialize(COOKIE, value, { httpOnly: true, path, ...cookieAttributes(services.origins, 'Strict'), maxAge })
}
