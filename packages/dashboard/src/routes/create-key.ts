// Creates and replaces keys. If the browser sends a form twice, the form creates one key, and both responses redirect
// to its page (key-created.ts). Only that page contains the key. URLs, sessions and logs don't. In an imported store,
// the pages and forms redirect to the keys, whose page says why.

import {
  createKey,
  hasPermissions,
  InvalidKeyNameError,
  InvalidKeyPermissionError,
  KeyLimitReached,
  KeyNotReplaceable,
  type KeyPermissions,
  type NewKey,
  REPLACED_KEY_HOURS,
  type ReplacedKeyHours,
} from '@store-export/control'
import { canCreateKeys } from '../members/permissions.ts'
import type { CreateForm, KeyRow, KeysPage } from '../pages/key-models.ts'
import type { PageNotice } from '../pages/models.ts'
import { DEFAULT_REPLACED_KEY_HOURS, replaceView } from '../pages/replace-view.ts'
import { findTool, toolName } from '../recipes/tools.ts'
import type { FormFields } from '../security/form-body.ts'
import { storePaths } from '../ui/store-paths.ts'
import { frameOf, type HandlerResult, type PageResult, type Redirect, type StoreRequest } from './dashboard-request.ts'
import { flashCookie } from './flash.ts'
import { FIRST_CHOICE_FLASH } from './key-created.ts'
import { limitsProblem, permissionsOf, typedLimits } from './key-limits.ts'
import {
  activeKey,
  actorOf,
  emitRevoked,
  keyIdOf,
  keyNotice,
  readKeysPage,
  redirectFromInactiveKey,
  renderKeysPage,
  toKeys,
} from './keys.ts'
import { deriveNewKey, findCreatedKey, newKeyCookie } from './new-key.ts'

/**
 * POST /stores/{s}/settings/api/keys: creates a key and redirects to its page. Shows the form again with status 400 for
 * an invalid name or limit. The status is 409 if the store has as many keys as possible, or if the token created
 * another key.
 */
export async function create(request: StoreRequest, form: FormFields): Promise<HandlerResult> {
  if (!canCreateKeys({ store: request.head })) return toKeys(request)
  const tool = findTool(form.tool ?? '')
  const typedName = form.name ?? ''
  const name = typedName.trim() === '' ? (tool === null ? '' : toolName(tool, request.texts)) : typedName
  const token = tokenOf(form)
  const limits = typedLimits(form)
  const permissions = permissionsOf(limits, request)
  const created = await createOnce(request, token, { name, permissions })
  const typed = { tool: tool?.id ?? '', name, limits }
  if (created instanceof Error) return rejected(request, typed, created)
  // A page from the browser's cache can send another name or other limits with a used token. The key of that token is
  // then not the key that the form requests.
  if (created.name !== name.trim().normalize('NFC') || !(await hasLimits(request, created.id, permissions)))
    return formChanged(request, typed, created.name)
  return toCreated(request, created.id, token, tool?.id)
}

/** GET /stores/{s}/settings/api/keys/{k}/replace: shows the confirmation page. */
export async function replacePage(request: StoreRequest): Promise<HandlerResult> {
  if (!canCreateKeys({ store: request.head })) return toKeys(request)
  const page = await readKeysPage(request)
  const key = activeKey(request, page)
  if (key === null) return redirectFromInactiveKey(request, page)
  // The merchant can have revoked another key just before, because of the limit.
  const { notice, cookies } = keyNotice(request, page)
  return { ...askToReplace(request, key, page, notice), cookies }
}

/**
 * POST /stores/{s}/settings/api/keys/{k}/replace: replaces the key in the way that the page offered. If the keys have
 * changed so that this is no longer possible, shows what is possible now.
 */
export async function replace(request: StoreRequest, form: FormFields): Promise<HandlerResult> {
  if (!canCreateKeys({ store: request.head })) return toKeys(request)
  const page = await readKeysPage(request)
  const key = activeKey(request, page)
  const token = tokenOf(form)
  // After a first request with the same form, the old key can be revoked already. So the new key comes first.
  const before = await findCreatedKey(request, token)
  if (before !== null) return toReplacement(request, before.id, form)
  if (key === null) return redirectFromInactiveKey(request, page)
  const endsAfterHours = hoursOf(form)
  const replaces = { keyId: key.id, endsAfterHours, ...personalDataOf(form) }
  const created = await createOnce(request, token, { name: key.name, replaces })
  if (created instanceof KeyLimitReached)
    return conflict(await askToReplace(request, key, await readKeysPage(request), keysFull(request)))
  if (created instanceof Error)
    return conflict(renderKeysPage(request, await readKeysPage(request), { notice: alreadyReplaced(request, key) }))
  if (endsAfterHours === 0) emitRevoked(request, key.id)
  return toReplacement(request, created.id, form)
}

/**
 * Redirects to the page of the new key. If an earlier request with the same form had another choice, that choice holds,
 * and the page says so.
 */
async function toReplacement(request: StoreRequest, keyId: string, form: FormFields): Promise<Redirect> {
  const { active, revoked } = await readKeysPage(request)
  const replacedBy = [...active, ...revoked].find(({ id }) => id === keyIdOf(request))?.replacedBy
  // A key that was never used can itself replace an older key. If it is revoked at once, the new key replaces that
  // older key instead, and this key has no replacement.
  const held = replacedBy?.id === keyId ? replacedBy.endsAfterHours : 0
  const redirect = toCreated(request, keyId, tokenOf(form))
  if (held === hoursOf(form)) return redirect
  return { ...redirect, cookies: [...(redirect.cookies ?? []), flashCookie(request, `${FIRST_CHOICE_FLASH}${keyId}`)] }
}

/** Returns the hours after which the old key ends. An unknown choice, such as one of a newer node, is the default. */
function hoursOf({ ends }: FormFields): ReplacedKeyHours {
  return REPLACED_KEY_HOURS.find((hours) => String(hours) === ends) ?? DEFAULT_REPLACED_KEY_HOURS
}

/** Returns the choice about personal data. Without a known choice, the new key is like the old one. */
function personalDataOf({ 'personal-data': choice }: FormFields): { withoutPersonalData?: boolean } {
  return choice === 'with' || choice === 'without' ? { withoutPersonalData: choice === 'without' } : {}
}

type Refusal = InvalidKeyNameError | InvalidKeyPermissionError | KeyLimitReached | KeyNotReplaceable
type NewKeyOptions = Pick<Parameters<typeof createKey>[0], 'name' | 'permissions' | 'replaces'>
type Typed = Pick<CreateForm, 'tool' | 'name' | 'limits'>

const REFUSALS = [InvalidKeyNameError, InvalidKeyPermissionError, KeyLimitReached, KeyNotReplaceable]

/** Creates the key of this token, or returns it if the same form already created it. Returns a refusal as a value. */
async function createOnce(
  request: StoreRequest,
  token: string,
  options: NewKeyOptions,
): Promise<Pick<NewKey, 'id' | 'name'> | Refusal> {
  const before = await findCreatedKey(request, token)
  if (before !== null) return before
  const { services, store, session, requestId } = request
  const { random } = deriveNewKey(request, token)
  const { database } = services
  const creator = { createdBy: session.email, actor: actorOf(request), keyPrefix: services.keyPrefix }
  try {
    const created = await createKey({ database, storeId: store.id, ...creator, random, ...options })
    services.emit({ event: 'key.created', requestId, storeId: store.id, keyId: created.id })
    return created
  } catch (error) {
    if (!REFUSALS.some((known) => error instanceof known)) throw error
    // A second request with the same form can have created the key at the same time.
    return (await findCreatedKey(request, token)) ?? (error as Refusal)
  }
}

/** Whether the key has these permissions. False for permissions that no key can have. */
async function hasLimits({ services }: StoreRequest, keyId: string, permissions: KeyPermissions): Promise<boolean> {
  const { database } = services
  return await hasPermissions({ database, keyId, permissions }).catch((error: unknown) => {
    if (error instanceof InvalidKeyPermissionError) return false
    throw error
  })
}

function tokenOf(form: FormFields): string {
  return form.form_token ?? ''
}

function toCreated(request: StoreRequest, keyId: string, token: string, tool?: string): Redirect {
  const to = `${storePaths(request.store.id).created(keyId)}${tool === undefined ? '' : `?tool=${tool}`}`
  return { to, cookies: [newKeyCookie(request, token)] }
}

/** Returns the page with the form as typed, and the reason of the refusal: the name, the limits, or too many keys. */
async function rejected(request: StoreRequest, typed: Typed, refusal: Refusal): Promise<PageResult> {
  const page = await readKeysPage(request)
  const { name, limits } = typed
  if (refusal instanceof InvalidKeyNameError)
    return {
      ...renderKeysPage(request, page, { create: { ...typed, problem: newNameProblem(request, name) } }),
      status: 400,
    }
  if (refusal instanceof InvalidKeyPermissionError)
    return {
      ...renderKeysPage(request, page, { create: { ...typed, limitsProblem: limitsProblem(request, limits) } }),
      status: 400,
    }
  const text = request.texts.keys.notices.limitReached(name.trim(), page.keysMax)
  return {
    ...renderKeysPage(request, page, { create: typed, notice: { kind: 'problem', text } }),
    status: 409,
  }
}

/** Returns the page with the form as typed, which says that its token has created the key `before` already. */
async function formChanged(request: StoreRequest, typed: Typed, before: string): Promise<PageResult> {
  const text = request.texts.keys.notices.formChanged(typed.name.trim(), before)
  const notice = { kind: 'problem', text } as const
  return conflict(renderKeysPage(request, await readKeysPage(request), { create: typed, notice }))
}

function keysFull({ texts }: StoreRequest): PageNotice {
  return { kind: 'problem', text: texts.keys.notices.nothingReplaced }
}

function alreadyReplaced({ texts }: StoreRequest, { name }: KeyRow): PageNotice {
  return { kind: 'problem', text: texts.keys.notices.alreadyReplaced(name) }
}

function conflict(page: PageResult): PageResult {
  return { ...page, status: 409 }
}

/** Returns the confirmation page; the page of the keys if the key has a replacement already. */
function askToReplace(
  request: StoreRequest,
  key: KeyRow,
  page: Omit<KeysPage, 'create'>,
  notice: PageNotice | null,
): PageResult {
  if (key.replacedBy !== null) return renderKeysPage(request, page, { notice: alreadyReplaced(request, key) })
  const others = page.active.length < page.keysMax ? null : page.active.filter(({ id }) => id !== key.id)
  const { title } = request.texts.changeKey.replace
  return { html: replaceView(frameOf(request, { title, section: 'api', notice }), { key, others }) }
}

/** Returns the error message for a name that `createKey` rejects. A name is only missing without a tool. */
function newNameProblem({ texts }: StoreRequest, name: string): string {
  const { problems } = texts.createKey
  return name.trim() === '' ? problems.noNameOrTool : problems.name
}
