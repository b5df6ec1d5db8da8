// Renames a key. Sending the form twice has the same result as sending it once.

import { InvalidKeyNameError, renameKey } from '@store-export/control'
import { renameView } from '../pages/rename-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { storePaths } from '../ui/store-paths.ts'
import { frameOf, type HandlerResult, type StoreRequest } from './dashboard-request.ts'
import { activeKey, actorOf, readKeysPage, redirectFromInactiveKey } from './keys.ts'

/** GET /stores/{s}/settings/api/keys/{k}/rename: shows the form. */
export async function renamePage(request: StoreRequest): Promise<HandlerResult> {
  return await showForm(request, null)
}

/** POST /stores/{s}/settings/api/keys/{k}/rename: renames the key, or shows the form again with an error message. */
export async function rename(request: StoreRequest, form: FormFields): Promise<HandlerResult> {
  const { services, store } = request
  const page = await readKeysPage(request)
  const key = activeKey(request, page)
  if (key === null) return redirectFromInactiveKey(request, page)
  const name = form.name ?? ''
  try {
    const { database } = services
    await renameKey({ database, keyId: key.id, storeId: store.id, name, actor: actorOf(request) })
  } catch (error) {
    if (!(error instanceof InvalidKeyNameError)) throw error
    return await showForm(request, name)
  }
  return { to: storePaths(store.id).keyUsage(key.id) }
}

/** Returns the form. `rejected` is the name that was rejected, which it shows with an error message; null at first. */
async function showForm(request: StoreRequest, rejected: string | null): Promise<HandlerResult> {
  const page = await readKeysPage(request)
  const key = activeKey(request, page)
  if (key === null) return redirectFromInactiveKey(request, page)
  const { noName, name } = request.texts.createKey.problems
  const problem = rejected === null ? null : rejected.trim() === '' ? noName : name
  const frame = frameOf(request, { title: request.texts.changeKey.rename.title, section: 'api' })
  return {
    html: renameView(frame, { key, name: rejected ?? key.name, problem }),
    status: rejected === null ? 200 : 400,
  }
}
