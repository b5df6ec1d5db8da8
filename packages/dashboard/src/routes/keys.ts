// Shows the keys of a store and how they are used. This module changes no key.

import { LIMITS } from '@store-export/contract'
import { merchantActor } from '@store-export/control'
import { NO_LIMITS } from '../pages/key-limits-view.ts'
import type { CreateForm, KeyRow, KeysPage } from '../pages/key-models.ts'
import { keysView, liveFragment } from '../pages/keys-view.ts'
import type { PageNotice } from '../pages/models.ts'
import { storePaths } from '../ui/store-paths.ts'
import { readActiveKeys } from '../usage/read-active-keys.ts'
import { frameOf, type HandlerResult, type PageResult, type StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { flashCookie, takeFlash } from './flash.ts'
import { deleteNewKeyCookie, unconfirmedKey } from './new-key.ts'

/** Redirects to Settings > API, the first page of a store. */
export function toKeys({ store }: StoreRequest): HandlerResult {
  return { to: storePaths(store.id).api }
}

/**
 * GET /stores/{s}/settings/api?name={name}: shows the keys. `name` is a name that the merchant typed before the session
 * ended. With `limited`, the page says to choose the limits again. With `copied`, the browser forgets the new key, and
 * the response redirects to the page.
 */
export async function keysPage(request: StoreRequest): Promise<HandlerResult> {
  const { req } = request.context
  if (req.query('copied') !== undefined)
    return { to: storePaths(request.store.id).api, cookies: [deleteNewKeyCookie(request)] }
  const [page, shown] = await Promise.all([readKeysPage(request), unconfirmedKey(request)])
  const { notice, cookies } = keyNotice(request, page)
  const unconfirmed = page.active.find(({ id }) => id === shown?.id) ?? null
  const limitsProblem = req.query('limited') === undefined ? null : request.texts.createKey.problems.limitsLost
  const create = { name: req.query('name') ?? '', limitsProblem }
  return { ...renderKeysPage(request, { ...page, unconfirmed }, { create, notice }), cookies }
}

/** GET /stores/{s}/settings/api/live: the part of the page that the browser requests again every 10 seconds. */
export async function liveKeys(request: StoreRequest): Promise<HandlerResult> {
  const frame = frameOf(request, { title: request.texts.keys.title, section: 'api' })
  return { html: liveFragment(frame, await readKeysPage(request)) }
}

const EMPTY_FORM: CreateForm = { tool: '', name: '', problem: null, limits: NO_LIMITS, limitsProblem: null }

/** Returns the page, with the content of its form and a notice. */
export function renderKeysPage(
  request: StoreRequest,
  page: Omit<KeysPage, 'create'>,
  { create = {}, notice = null }: { create?: Partial<CreateForm>; notice?: PageNotice | null },
): PageResult {
  const frame = frameOf(request, { title: request.texts.keys.title, section: 'api', notice })
  return { html: keysView(frame, { ...page, create: { ...EMPTY_FORM, ...create } }) }
}

/** Returns the notice that a key was revoked, turned off, or turned on, and the cookies that delete the notice. */
export function keyNotice(
  request: StoreRequest,
  { active, revoked }: Pick<KeysPage, 'active' | 'revoked'>,
): { readonly notice: PageNotice | null; readonly cookies: readonly string[] } {
  const { value, cookies } = takeFlash(request)
  const { notices } = request.texts.keys
  const done = [
    ...revoked.map(({ id, name }) => ({ value: `revoked.${id}`, text: notices.revoked(name) })),
    ...active.map(({ id, name, turnedOffAt }) =>
      turnedOffAt === null
        ? { value: `on.${id}`, text: notices.turnedOn(name) }
        : { value: `off.${id}`, text: notices.turnedOff(name) },
    ),
  ].find((each) => each.value === value)
  return { notice: done === undefined ? null : { kind: 'done', text: done.text }, cookies }
}

/** Redirects to the keys with a notice if the key of the URL is revoked. Returns the 404 page for an unknown key. */
export function redirectFromInactiveKey(request: StoreRequest, { revoked }: Pick<KeysPage, 'revoked'>): HandlerResult {
  const keyId = keyIdOf(request)
  if (!revoked.some(({ id }) => id === keyId)) return notFoundPage(request)
  return { to: storePaths(request.store.id).api, cookies: [flashCookie(request, `revoked.${keyId}`)] }
}

/** Returns the key of the URL; null if it is not an active key. */
export function activeKey(request: StoreRequest, { active }: Pick<KeysPage, 'active'>): KeyRow | null {
  return active.find(({ id }) => id === keyIdOf(request)) ?? null
}

/** Returns the key ID of the URL in lower case. */
export function keyIdOf({ context }: StoreRequest): string {
  return (context.req.param('key') ?? '').toLowerCase()
}

/** Returns the actor for the audit table. It has no email address, so that the table has no personal data. */
export function actorOf({ session }: StoreRequest): string {
  return merchantActor(session.merchantId)
}

/** Emits the event that a merchant revoked a key. */
export function emitRevoked({ services, requestId, store }: StoreRequest, keyId: string): void {
  services.emit({ event: 'key.revoked', requestId, storeId: store.id, keyId })
}

/** Returns the data of the page without its form. `unconfirmed` is null: only `keysPage` sets it. */
export async function readKeysPage(request: StoreRequest): Promise<Omit<KeysPage, 'create'>> {
  const { services, requestId, store, head, now } = request
  const keysMax = LIMITS.activeKeysPerStore
  const isReady = head.status === 'ready'
  const { active, revoked } = await readActiveKeys({
    services,
    requestId,
    storeId: store.id,
    isReady,
    timeZone: head.timeZone,
    now,
  })
  return {
    unconfirmed: null,
    active,
    revoked,
    keysMax,
    leastUsed: active.length < keysMax ? null : leastUsed(active),
  }
}

/**
 * Returns the key to suggest for a revocation: one that was never used, otherwise the least recently used one, and of
 * several the oldest. Null without active keys.
 */
function leastUsed(active: readonly KeyRow[]): KeyRow | null {
  const usedAt = ({ lastUsedAt }: KeyRow) => lastUsedAt?.getTime() ?? Number.NEGATIVE_INFINITY
  return (
    active.toSorted(
      (one, other) => usedAt(one) - usedAt(other) || one.createdAt.getTime() - other.createdAt.getTime(),
    )[0] ?? null
  )
}
