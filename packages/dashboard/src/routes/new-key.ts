// A key that was just created. The token of its form determines the key, and only its holder can compute it: the control
// database keeps a hash of the token and a hash of the key, and the browser keeps the token in a cookie for ten minutes.
// So a form that is sent twice leads to one key, and a reload shows it again. See
// docs/contribute/decisions/044-derive-new-keys-from-form-tokens.md.

import { findKeyByHash, hashApiKey, makeApiKey, type RandomBytes } from '@store-export/control'
import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import { storePaths } from '../ui/store-paths.ts'
import type { StoreRequest } from './dashboard-request.ts'

/** How long a new key can be shown again. */
export const NEW_KEY_SECONDS = 600

const COOKIE = 'new-key'

/** The random bytes for `createKey` that this token determines, and the hash of the key. */
export function deriveNewKey({ services, store }: StoreRequest, token: string) {
  const random: RandomBytes = services.formTokens.bytesOf(token, `key of ${store.id}`)
  const key = makeApiKey(random)
  return { random, key, hash: hashApiKey(key) }
}

/** The key that the form with this token has created; null if it created none. */
export function findCreatedKey(request: StoreRequest, token: string): ReturnType<typeof findKeyByHash> {
  const { hash } = deriveNewKey(request, token)
  return findKeyByHash({ database: request.services.database, storeId: request.store.id, hash })
}

/** The active key of the store that this browser created lately and did not confirm as copied; null for none. */
export async function unconfirmedKey(
  request: StoreRequest,
): Promise<{ readonly id: string; readonly reveal: () => string } | null> {
  const token = getCookie(request.context, COOKIE) ?? ''
  if (request.services.formTokens.check(token, request.formTokenScope) === null) return null
  const found = await findCreatedKey(request, token)
  if (found === null || !found.isActive || found.ageSeconds > NEW_KEY_SECONDS) return null
  return { id: found.id, reveal: () => deriveNewKey(request, token).key.reveal() }
}

/** The cookie that shows the key of this form's token; it reaches the pages of the store's keys alone. */
export function newKeyCookie(request: StoreRequest, token: string): string {
  return cookie(request, token, NEW_KEY_SECONDS)
}

/** The cookie that deletes the one of a new key. */
export function deleteNewKeyCookie(request: StoreRequest): string {
  return cookie(request, '', 0)
}

function cookie({ services, store }: StoreRequest, value: string, maxAge: number): string {
  const path = storePaths(store.id).api
  return serialize(COOKIE, value, {
    httpOnly: true,
    sameSite: 'Strict',
    path,
    secure: services.origins.isSecure,
    maxAge,
  })
}
