// Settings > API: the keys of a store, made, replaced and revoked. A new key is in one answer and nowhere else: not in
// an address, a session, a log, or the browser's history.

import { randomBytes } from 'node:crypto'
import { LIMITS } from '@store-export/contract'
import {
  createKey,
  KeyLimitReached,
  KeyNameProblem,
  KeyNotReplaceable,
  type KeySummary,
  listKeys,
  type NewKey,
  readStoppedWalks,
  readUsageHours,
  revokeKey,
} from '@store-export/engine'
import { storeAddresses } from '../look/addresses.ts'
import { keyMadeView } from '../pages/key-made-view.ts'
import { keysView, liveFragment } from '../pages/keys-view.ts'
import type { KeyRow, KeysPage, KeyTiles, Notice } from '../pages/models.ts'
import { replaceView } from '../pages/replace-view.ts'
import { revokeView } from '../pages/revoke-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { peakMinuteToday, readSince, refusedSince, requestsIn24Hours, requestsToday } from '../usage/summaries.ts'
import { warningsOf } from '../usage/warnings.ts'
import { missing } from './problems.ts'
import { stoppedBetween } from './usage.ts'
import { type Answer, frameOf, type PageAnswer, type StoreVisit } from './visit.ts'

const DAYS = 7

/** Addresses on the way to the keys, and that of their form. */
export function toKeys({ store }: StoreVisit): Answer {
  return { to: storeAddresses(store.id).api }
}

/** GET /stores/{s}/settings/api */
export async function keysPage(visit: StoreVisit): Promise<Answer> {
  const page = await pageOf(visit)
  return show(visit, withoutForm(page), noticeOf(visit, page))
}

/** GET /stores/{s}/settings/api/live: the parts of the page that refresh themselves. */
export async function live(visit: StoreVisit): Promise<Answer> {
  return { html: liveFragment(frameOf(visit, { title: 'API keys', section: 'api' }), await pageOf(visit)) }
}

/** POST /stores/{s}/settings/api/keys */
export async function makeKey(visit: StoreVisit, form: FormFields): Promise<Answer> {
  const name = form.name ?? ''
  const made = await tryToMake(visit, { name })
  if (!(made instanceof Error)) return showMade(visit, made, null)
  const page = await pageOf(visit)
  if (made instanceof KeyNameProblem)
    return { ...show(visit, { ...page, create: { name, problem: nameProblem(name) } }, null), status: 400 }
  const text = `No key was made for “${name.trim()}”: all ${page.keysMax} are taken.`
  return { ...show(visit, { ...page, create: { name, problem: null } }, { kind: 'problem', text }), status: 409 }
}

/** GET /stores/{s}/settings/api/keys/{k}/revoke */
export async function revokePage(visit: StoreVisit): Promise<Answer> {
  const page = await pageOf(visit)
  const key = activeKey(visit, page)
  if (key === null) return ended(visit, page)
  return { html: revokeView(frameOf(visit, { title: 'Revoke a key', section: 'api' }), { key }) }
}

/** POST /stores/{s}/settings/api/keys/{k}/revoke */
export async function revoke(visit: StoreVisit): Promise<Answer> {
  const keyId = keyIdOf(visit)
  const { database } = visit.parts
  const outcome = await revokeKey({ database, keyId, storeId: visit.store.id, actor: actorOf(visit) })
  if (outcome === 'unknown') return missing(visit)
  observeRevoked(visit, keyId)
  return { to: `${storeAddresses(visit.store.id).api}?revoked=${keyId}` }
}

/** GET /stores/{s}/settings/api/keys/{k}/replace */
export async function replacePage(visit: StoreVisit): Promise<Answer> {
  const page = await pageOf(visit)
  const key = activeKey(visit, page)
  return key === null ? ended(visit, page) : askToReplace(visit, { key, page, notice: null })
}

/**
 * POST /stores/{s}/settings/api/keys/{k}/replace: does what the page has said that it would do. Where that no longer fits,
 * since another key was made or revoked meanwhile, the page asks again.
 */
export async function replace(visit: StoreVisit, form: FormFields): Promise<Answer> {
  const page = await pageOf(visit)
  const key = activeKey(visit, page)
  if (key === null) return ended(visit, page)
  const ends = form.ends === 'at once' ? 'at once' : 'later'
  const made = await tryToMake(visit, { name: key.name, replaces: { keyId: key.id, ends } })
  if (made instanceof KeyLimitReached)
    return asked(await askToReplace(visit, { key, page: await pageOf(visit), notice: FULL_NOW }))
  if (made instanceof Error) return asked(show(visit, withoutForm(await pageOf(visit)), replacedBefore(key)))
  if (ends === 'at once') observeRevoked(visit, key.id)
  return showMade(visit, made, ends === 'later' ? key : null)
}

const FULL_NOW: Notice = {
  kind: 'problem',
  text: 'Nothing was changed: all keys were taken meanwhile, so the old key would end at once.',
}

function replacedBefore({ name }: KeyRow): Notice {
  return { kind: 'problem', text: `“${name}” was replaced before, and no other key was made.` }
}

function asked(answer: PageAnswer): PageAnswer {
  return { ...answer, status: 409 }
}

function askToReplace(
  visit: StoreVisit,
  { key, page, notice }: { key: KeyRow; page: Omit<KeysPage, 'create'>; notice: Notice | null },
): PageAnswer {
  if (key.replacedBy !== null) return show(visit, withoutForm(page), replacedBefore(key))
  const hasRoom = page.active.length < page.keysMax
  return { html: replaceView(frameOf(visit, { title: 'Replace a key', section: 'api', notice }), { key, hasRoom }) }
}

/** A key that was revoked meanwhile is told to be so; any other that is not active is not there. */
function ended(visit: StoreVisit, { revoked }: Pick<KeysPage, 'revoked'>): Answer {
  const keyId = keyIdOf(visit)
  if (!revoked.some(({ id }) => id === keyId)) return missing(visit)
  return { to: `${storeAddresses(visit.store.id).api}?revoked=${keyId}` }
}

function activeKey(visit: StoreVisit, { active }: Pick<KeysPage, 'active'>): KeyRow | null {
  return active.find(({ id }) => id === keyIdOf(visit)) ?? null
}

/** Without the address, so that the audit table holds no personal data. */
function actorOf({ session }: StoreVisit): string {
  return `merchant ${session.merchantId}`
}

function observeRevoked({ parts, requestId, store }: StoreVisit, keyId: string): void {
  parts.observe({ event: 'key revoked', requestId, storeId: store.id, keyId })
}

function keyIdOf({ context }: StoreVisit): string {
  return (context.req.param('key') ?? '').toLowerCase()
}

type Made = NewKey | KeyNameProblem | KeyLimitReached | KeyNotReplaceable
type Wanted = Pick<Parameters<typeof createKey>[0], 'name' | 'replaces'>

async function tryToMake(visit: StoreVisit, wanted: Wanted): Promise<Made> {
  const { database, observe } = visit.parts
  const { store, session, requestId } = visit
  try {
    const made = await createKey({
      database,
      storeId: store.id,
      createdBy: session.email,
      actor: actorOf(visit),
      random: randomBytes,
      ...wanted,
    })
    observe({ event: 'key made', requestId, storeId: store.id, keyId: made.id })
    return made
  } catch (error) {
    const isRefusal = [KeyNameProblem, KeyLimitReached, KeyNotReplaceable].some((known) => error instanceof known)
    if (isRefusal) return error as KeyNameProblem | KeyLimitReached | KeyNotReplaceable
    throw error
  }
}

function showMade(visit: StoreVisit, made: NewKey, replaces: KeyRow | null): PageAnswer {
  const key = made.key.reveal()
  const curl = `curl -H 'x-api-key: ${key}' '${visit.parts.apiUrl}/api/v1/store'`
  const page = { id: made.id, name: made.name, key, curl, replaces }
  return { html: keyMadeView(frameOf(visit, { title: 'Your new key', section: 'api' }), page) }
}

/** The page with an empty form. */
function withoutForm(page: Omit<KeysPage, 'create'>): KeysPage {
  return { ...page, create: { name: '', problem: null } }
}

function show(visit: StoreVisit, page: KeysPage, notice: Notice | null): PageAnswer {
  return { html: keysView(frameOf(visit, { title: 'API keys', section: 'api', notice }), page) }
}

function nameProblem(name: string): string {
  if (name.trim() === '') return 'Give the key the name of the tool that will use it.'
  return 'A name has at most 80 characters, one of them visible, without control characters.'
}

/** Told once, after a key was revoked. */
function noticeOf({ context }: StoreVisit, { revoked }: Pick<KeysPage, 'revoked'>): Notice | null {
  const key = revoked.find(({ id }) => id === context.req.query('revoked'))
  if (key === undefined) return null
  return { kind: 'done', text: `“${key.name}” is revoked: its next request is refused. No other key is affected.` }
}

async function pageOf(visit: StoreVisit): Promise<Omit<KeysPage, 'create'>> {
  const { parts, store, head, now } = visit
  const { database, requestsPerMinute } = parts
  const keysMax = LIMITS.activeKeysPerStore
  const [keys, hours, stopped] = await Promise.all([
    listKeys({ database, storeId: store.id }),
    readUsageHours({ database, storeId: store.id, since: readSince(now, DAYS) }),
    readStoppedWalks({ database, storeId: store.id, ...stoppedBetween(visit) }),
  ])
  const rows = rowsOf(keys, requestsIn24Hours({ hours, now }))
  const active = rows.filter(({ revokedAt }) => revokedAt === null)
  const usage = { hours, timeZone: head.timeZone, now }
  const peak = peakMinuteToday(usage)
  const peakMinute = { requests: peak.requests, keyName: rows.find(({ id }) => id === peak.keyId)?.name ?? null }
  const tiles: KeyTiles = {
    requestsToday: requestsToday(usage),
    peakMinute,
    requestsPerMinute,
    refusedSevenDays: refusedSince(usage, DAYS),
    activeKeys: active.length,
    keysMax,
  }
  const revoked = rows.filter(({ revokedAt }) => revokedAt !== null).toReversed()
  // The page of a store that is not served says so itself.
  const warnings = head.standing === 'ready' ? warningsOf({ keys: active, hours, stopped, now }) : []
  return { warnings, tiles, active, revoked, keysMax, leastUsed: active.length < keysMax ? null : leastUsed(active) }
}

/** Keys as their list shows them. */
export function rowsOf(keys: readonly KeySummary[], requests: ReadonlyMap<string, number>): KeyRow[] {
  return keys.map((key) => {
    const newer = keys.find(({ replaces, revokedAt }) => replaces === key.id && revokedAt === null)
    const { id, name, prefix, lastFour, createdBy, createdAt, lastUsedAt, revokedAt } = key
    const replacedBy = newer === undefined ? null : { id: newer.id, prefix: newer.prefix, lastFour: newer.lastFour }
    const requests24h = requests.get(id) ?? 0
    return { id, name, prefix, lastFour, createdBy, createdAt, lastUsedAt, revokedAt, requests24h, replacedBy }
  })
}

/** The key to give up first: one that was never used, else the one that was used longest ago. */
function leastUsed(active: readonly KeyRow[]): KeyRow | null {
  const usedAt = ({ lastUsedAt }: KeyRow) => lastUsedAt?.getTime() ?? Number.NEGATIVE_INFINITY
  return (
    active.toSorted(
      (one, other) => usedAt(one) - usedAt(other) || one.createdAt.getTime() - other.createdAt.getTime(),
    )[0] ?? null
  )
}
