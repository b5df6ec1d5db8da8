// Revoking a key: a page that asks, and its form. Sent twice, the form changes nothing more and leads to the same page.

import { isUuid, revokeKey } from '@store-export/control'
import { storeAddresses } from '../look/addresses.ts'
import { revokeView } from '../pages/revoke-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { flashCookie } from './flash.ts'
import { activeKey, actorOf, emitRevoked, ended, keyIdOf, pageOf } from './keys.ts'
import { missing } from './problems.ts'
import { type Answer, frameOf, type StoreVisit } from './visit.ts'

/** GET /stores/{s}/settings/api/keys/{k}/revoke?for={other key}: `for` names a key that is to be replaced afterwards. */
export async function revokePage(visit: StoreVisit): Promise<Answer> {
  const page = await pageOf(visit)
  const key = activeKey(visit, page)
  if (key === null) return ended(visit, page)
  const replaced = visit.context.req.query('for')
  const makesRoomFor = page.active.find(({ id }) => id === replaced && id !== key.id) ?? null
  return { html: revokeView(frameOf(visit, { title: 'Revoke a key', section: 'api' }), { key, makesRoomFor }) }
}

/** POST /stores/{s}/settings/api/keys/{k}/revoke */
export async function revoke(visit: StoreVisit, form: FormFields): Promise<Answer> {
  const keyId = keyIdOf(visit)
  const { database } = visit.parts
  const outcome = await revokeKey({ database, keyId, storeId: visit.store.id, actor: actorOf(visit) })
  if (outcome === 'unknown') return missing(visit)
  if (outcome === 'revoked') emitRevoked(visit, keyId)
  const addresses = storeAddresses(visit.store.id)
  const to = isUuid(form.for ?? '') ? addresses.replace(form.for ?? '') : addresses.api
  return { to, cookies: [flashCookie(visit, `revoked.${keyId}`)] }
}
