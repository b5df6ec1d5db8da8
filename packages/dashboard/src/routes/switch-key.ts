// Turns a key off after a confirmation, and on again. Sending a form twice has the same result as sending it once.

import { switchKey } from '@store-export/control'
import { turnOffView } from '../pages/turn-off-view.ts'
import { storePaths } from '../ui/store-paths.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'
import { flashCookie } from './flash.ts'
import { activeKey, actorOf, keyIdOf, readKeysPage, redirectFromInactiveKey } from './keys.ts'

/** GET /stores/{s}/settings/api/keys/{k}/turn-off: shows the confirmation page, or redirects if the key is off. */
export async function turnOffPage(request: StoreRequest): Promise<HandlerResult> {
  const page = await readKeysPage(request)
  const key = activeKey(request, page)
  if (key === null) return redirectFromInactiveKey(request, page)
  if (key.turnedOffAt !== null) return toNotice(request, 'off')
  const { title } = request.texts.changeKey.turnOff
  return { html: turnOffView(frameOf(request, { title, section: 'api' }), { key }) }
}

/** POST /stores/{s}/settings/api/keys/{k}/turn-off: turns the key off, and redirects to the keys. */
export function turnOff(request: StoreRequest): Promise<HandlerResult> {
  return turn(request, 'off')
}

/** POST /stores/{s}/settings/api/keys/{k}/turn-on: turns the key on, and redirects to the keys. */
export function turnOn(request: StoreRequest): Promise<HandlerResult> {
  return turn(request, 'on')
}

async function turn(request: StoreRequest, to: 'off' | 'on'): Promise<HandlerResult> {
  const { services, store, requestId } = request
  const keyId = keyIdOf(request)
  const { database, emit } = services
  const outcome = await switchKey({ database, keyId, storeId: store.id, to, actor: actorOf(request) })
  if (outcome === 'unknown') return redirectFromInactiveKey(request, await readKeysPage(request))
  if (outcome === 'switched') emit({ event: `key.turned_${to}`, requestId, storeId: store.id, keyId })
  return toNotice(request, to)
}

/** Redirects to the keys, whose page says that the key is off or on. */
function toNotice(request: StoreRequest, to: 'off' | 'on'): HandlerResult {
  return { to: storePaths(request.store.id).api, cookies: [flashCookie(request, `${to}.${keyIdOf(request)}`)] }
}
