// Revokes a key after a confirmation. Sending the form twice has the same result as sending it once.

import { isUuid, revokeKey } from '@store-export/control'
import { revokeView } from '../pages/revoke-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { storePaths } from '../ui/store-paths.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { flashCookie } from './flash.ts'
import { activeKey, actorOf, emitRevoked, keyIdOf, readKeysPage, redirectFromInactiveKey } from './keys.ts'

/**
 * GET /stores/{s}/settings/api/keys/{k}/revoke?for={key}: shows the confirmation page. `for` is the key that the
 * merchant wants to replace next.
 */
export async function revokePage(request: StoreRequest): Promise<HandlerResult> {
  const page = await readKeysPage(request)
  const key = activeKey(request, page)
  if (key === null) return redirectFromInactiveKey(request, page)
  const replaced = request.context.req.query('for')
  const makesRoomFor = page.active.find(({ id }) => id === replaced && id !== key.id) ?? null
  const { title } = request.texts.changeKey.revoke
  return { html: revokeView(frameOf(request, { title, section: 'api' }), { key, makesRoomFor }) }
}

/**
 * POST /stores/{s}/settings/api/keys/{k}/revoke: revokes the key, and redirects to the keys or to the replacement of
 * the key in `for`.
 */
export async function revoke(request: StoreRequest, form: FormFields): Promise<HandlerResult> {
  const keyId = keyIdOf(request)
  const { database } = request.services
  const outcome = await revokeKey({ database, keyId, storeId: request.store.id, actor: actorOf(request) })
  if (outcome === 'unknown') return notFoundPage(request)
  if (outcome === 'revoked') emitRevoked(request, keyId)
  const paths = storePaths(request.store.id)
  const to = isUuid(form.for ?? '') ? paths.replace(form.for ?? '') : paths.api
  return { to, cookies: [flashCookie(request, `revoked.${keyId}`)] }
}
