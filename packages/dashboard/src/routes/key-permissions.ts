// Changes what a key may do. Sending the form twice has the same result as sending it once.

import { createHash } from 'node:crypto'
import { changePermissions, hasPermissions, InvalidKeyPermissionError } from '@store-export/control'
import type { KeyRow, TypedLimits } from '../pages/key-models.ts'
import { permissionsView } from '../pages/key-permissions-view.ts'
import { FormError, type FormFields } from '../security/form-body.ts'
import { storePaths } from '../ui/store-paths.ts'
import { frameOf, type HandlerResult, type PageResult, type StoreRequest } from './dashboard-request.ts'
import { unreadableFormPage } from './error-pages.ts'
import { formPage } from './form-origin.ts'
import { limitsOf, limitsProblem, permissionsOf, typedChange } from './key-limits.ts'
import { activeKey, actorOf, readKeysPage, redirectFromInactiveKey } from './keys.ts'

/** GET /stores/{s}/settings/api/keys/{k}/permissions: shows the form. */
export async function permissionsPage(request: StoreRequest): Promise<HandlerResult> {
  const page = await readKeysPage(request)
  const key = activeKey(request, page)
  return key === null ? redirectFromInactiveKey(request, page) : renderForm(request, key, {})
}

/**
 * POST /stores/{s}/settings/api/keys/{k}/permissions: changes the permissions, or shows the form again with an error
 * message and status 400. If another member has changed them since the page was shown, the form shows the current
 * permissions with status 409.
 */
export async function savePermissions(request: StoreRequest, form: FormFields): Promise<HandlerResult> {
  const missing = FIELDS.filter((name) => form[name] === undefined)
  if (missing.length > 0) {
    const error = new FormError(400, `the form lacks the fields ${missing.join(', ')}`)
    return unreadableFormPage(request, error, formPage(request.context.req.path))
  }
  const page = await readKeysPage(request)
  const key = activeKey(request, page)
  if (key === null) return redirectFromInactiveKey(request, page)
  const limits = typedChange(form, key)
  try {
    // `seen` is the digest of the permissions that the page showed. A form without it is treated as up to date.
    const isSeen = form.seen === undefined || form.seen === digestOf(key)
    const outcome = isSeen ? await change(request, key, limits) : await compare(request, key, limits)
    if (outcome === 'unknown') return redirectFromInactiveKey(request, await readKeysPage(request))
    if (outcome === 'stale') return await renderStale(request)
  } catch (error) {
    if (!(error instanceof InvalidKeyPermissionError)) throw error
    return { ...renderForm(request, key, { limits, problem: limitsProblem(request, limits) }), status: 400 }
  }
  return { to: storePaths(request.store.id).keyUsage(key.id) }
}

/** Fields that the page always sends. Without one, the key would lose a limit that the merchant didn't change. */
const FIELDS = ['access', 'ends', 'addresses'] as const

/** Changes the permissions if they are still those of `key`, and emits the event of a change. */
async function change(request: StoreRequest, key: KeyRow, limits: TypedLimits) {
  const { services, store, requestId } = request
  const { database, emit } = services
  const { scopes, expiresAt, allowedAddresses } = permissionsOf(limits, request)
  const outcome = await changePermissions({
    ...{ database, keyId: key.id, storeId: store.id, actor: actorOf(request), expected: key },
    change: { scopes, allowedAddresses, ...(limits.ends === 'same' ? {} : { expiresAt }) },
  })
  if (outcome === 'changed') emit({ event: 'key.permissions_changed', requestId, storeId: store.id, keyId: key.id })
  return outcome
}

/**
 * Compares the permissions of the form with those of the key, which changed after the page was shown. Returns `same` if
 * they are equal, as after a form that was sent twice.
 */
async function compare(request: StoreRequest, key: KeyRow, limits: TypedLimits): Promise<'same' | 'stale'> {
  const { database } = request.services
  const given = permissionsOf(limits, request)
  const permissions = limits.ends === 'same' ? { ...given, expiresAt: key.expiresAt } : given
  return (await hasPermissions({ database, keyId: key.id, permissions })) ? 'same' : 'stale'
}

async function renderStale(request: StoreRequest): Promise<HandlerResult> {
  const page = await readKeysPage(request)
  const key = activeKey(request, page)
  if (key === null) return redirectFromInactiveKey(request, page)
  return { ...renderForm(request, key, { problem: request.texts.changeKey.permissions.stale }), status: 409 }
}

function renderForm(
  request: StoreRequest,
  key: KeyRow,
  { limits = limitsOf(key), problem = null }: { readonly limits?: TypedLimits; readonly problem?: string | null },
): PageResult {
  const frame = frameOf(request, { title: request.texts.changeKey.permissions.title, section: 'api' })
  return { html: permissionsView(frame, { key, limits, problem, seen: digestOf(key) }) }
}

/** Returns a digest of the permissions that a form can change. */
function digestOf({ scopes, expiresAt, allowedAddresses }: KeyRow): string {
  return createHash('sha256')
    .update(JSON.stringify([scopes, expiresAt, allowedAddresses]))
    .digest('base64url')
}
