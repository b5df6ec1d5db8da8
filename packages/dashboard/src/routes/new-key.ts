// Derives a new key from the token of its form. If the browser sends the form twice, both requests derive the same key,
// and a reload can show the key again. The control database stores only hashes of the token and the key. The browser
// has the token in a cookie for ten minutes. See docs/contribute/decisions/044-derive-new-keys-from-form-tokens.md.

import { findKeyByHash, hashApiKey, makeApiKey, type RandomBytes } from '@store-export/control'
import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import { cookieAttributes } from '../security/cookie-attributes.ts'
import { storePaths } from '../ui/store-paths.ts'
import type { StoreRequest } from './dashboard-request.ts'

/** Seconds in which the dashboard can show a new key again. */
export const NEW_KEY_SECONDS = 600

const COOKIE = 'new-key'

/** Returns the key of this token, its hash, and `random`, from which `createKey` gets the same derived bytes. */
export function deriveNewKey({ services, store }: StoreRequest, token: string) {
  const random: RandomBytes = services.formTokens.bytesOf(token, `key of ${store.id}`)
  const key = makeApiKey(random, services.keyPrefix)
  return { random, key, hash: hashApiKey(key) }
}

/** Returns the key that the form with this token created; null if it created no key. */
export function findCreatedKey(request: StoreRequest, token: string): ReturnType<typeof findKeyByHash> {
  const { hash } = deriveNewKey(request, token)
  return findKeyByHash({ database: request.services.database, storeId: request.store.id, hash })
}

/**
 * Returns the active key that this browser created in the last ten minutes, and that the merchant has not confirmed as
 * copied; null without one.
 */
export async function unconfirmedKey(
  request: StoreRequest,
): Promise<{ readonly id: string; readonly reveal: () => string } | null> {
  const token = getCookie(request.context, COOKIE) ?? ''
  if (request.services.formTokens.check(token, request.formTokenScope) === null) return null
  const found = await findCreatedKey(request, token)
  if (found === null || !found.isActive || found.ageSeconds > NEW_KEY_SECONDS) return null
  return { id: found.id, reveal: () => deriveNewKey(request, token).key.reveal() }
}

/** Returns the cookie with the token of a new key. Browsers send it only to the pages of the store's keys. */
export function newKeyCookie(request: StoreRequest, token: string): string {
  return cookie(request, token, NEW_KEY_SECONDS)
}

/** Returns the cookie that makes the browser forget the new key. */
export function deleteNewKeyCookie(request: StoreRequest): string {
  return cookie(request, '', 0)
}

function cookie({ services, store }: StoreRequest, value: string, maxAge: number): string {
  const path = storePaths(store.id).api
  return serialize(COOKIE, value, {
    httpOnly: true,
    path,
    ...cookieAttributes(services.origins, 'Strict'),
    maxAge,
  })
}
