// Settings > API: the keys of a store. Creating, replacing and revoking them is beside it.

import { LIMITS } from '@store-export/contract'
import { type KeySummary, listKeys, readStoppedWalks, readUsageHours } from '@store-export/control'
import { storeAddresses } from '../look/addresses.ts'
import { keysView, liveFragment } from '../pages/keys-view.ts'
import type { KeyRow, KeysPage, KeyTiles, Notice } from '../pages/models.ts'
import { stoppedBetween } from '../usage/stopped-walks.ts'
import { peakMinuteToday, readSince, refusedSince, requestsIn24Hours, requestsToday } from '../usage/summaries.ts'
import { warningsOf } from '../usage/warnings.ts'
import { flashCookie, takeFlash } from './flash.ts'
import { forgetNewKey, unconfirmedKey } from './new-key.ts'
import { missing } from './problems.ts'
import { type Answer, frameOf, type PageAnswer, type StoreVisit } from './visit.ts'

const DAYS = 7

/** Addresses on the way to the keys, and that of their form. */
export function toKeys({ store }: StoreVisit): Answer {
  return { to: storeAddresses(store.id).api }
}

/** GET /stores/{s}/settings/api?name={what was typed before the session ended}; `?copied` confirms a new key as copied. */
export async function keysPage(visit: StoreVisit): Promise<Answer> {
  const { req } = visit.context
  if (req.query('copied') !== undefined)
    return { to: storeAddresses(visit.store.id).api, cookies: [forgetNewKey(visit)] }
  const [page, shown] = await Promise.all([pageOf(visit), unconfirmedKey(visit)])
  const { notice, cookies } = revokedNotice(visit, page)
  const unconfirmed = page.active.find(({ id }) => id === shown?.id) ?? null
  const create = { name: req.query('name') ?? '', problem: null }
  return { ...show(visit, { ...page, unconfirmed }, { create, notice }), cookies }
}

/** GET /stores/{s}/settings/api/live: the parts of the page that refresh themselves. */
export async function live(visit: StoreVisit): Promise<Answer> {
  return { html: liveFragment(frameOf(visit, { title: 'API keys', section: 'api' }), await pageOf(visit)) }
}

/** The page, with what was typed into its form and a notice. */
export function show(
  visit: StoreVisit,
  page: Omit<KeysPage, 'create'>,
  { create, notice = null }: { create?: KeysPage['create']; notice?: Notice | null },
): PageAnswer {
  const frame = frameOf(visit, { title: 'API keys', section: 'api', notice })
  return { html: keysView(frame, { ...page, create: create ?? { name: '', problem: null } }) }
}

/** Says once that a key was revoked. */
export function revokedNotice(
  visit: StoreVisit,
  { revoked }: Pick<KeysPage, 'revoked'>,
): { readonly notice: Notice | null; readonly cookies: readonly string[] } {
  const { value, cookies } = takeFlash(visit)
  const key = revoked.find(({ id }) => `revoked.${id}` === value)
  if (key === undefined) return { notice: null, cookies }
  const text = `“${key.name}” is revoked: its next request is refused. No other key is affected.`
  return { notice: { kind: 'done', text }, cookies }
}

/** To the keys, saying that this one is revoked; any other key that is not active has no page. */
export function ended(visit: StoreVisit, { revoked }: Pick<KeysPage, 'revoked'>): Answer {
  const keyId = keyIdOf(visit)
  if (!revoked.some(({ id }) => id === keyId)) return missing(visit)
  return { to: storeAddresses(visit.store.id).api, cookies: [flashCookie(visit, `revoked.${keyId}`)] }
}

/** The active key that the address names; null for none. */
export function activeKey(visit: StoreVisit, { active }: Pick<KeysPage, 'active'>): KeyRow | null {
  return active.find(({ id }) => id === keyIdOf(visit)) ?? null
}

/** The key that the address names. */
export function keyIdOf({ context }: StoreVisit): string {
  return (context.req.param('key') ?? '').toLowerCase()
}

/** Who changes keys, for the audit table; without the e-mail address, so that it holds no personal data. */
export function actorOf({ session }: StoreVisit): string {
  return `merchant ${session.merchantId}`
}

/** Reports that a key was revoked. */
export function emitRevoked({ parts, requestId, store }: StoreVisit, keyId: string): void {
  parts.emit({ event: 'key.revoked', requestId, storeId: store.id, keyId })
}

/** The page without its form. */
export async function pageOf(visit: StoreVisit): Promise<Omit<KeysPage, 'create'>> {
  const { parts, store, head, now } = visit
  const { database, requestsPerMinute, requestLogHours } = parts
  const keysMax = LIMITS.activeKeysPerStore
  const [keys, hours, stopped] = await Promise.all([
    listKeys({ database, storeId: store.id }),
    readUsageHours({ database, storeId: store.id, since: readSince(now, DAYS) }),
    readStoppedWalks({ database, storeId: store.id, ...stoppedBetween(now, requestLogHours) }),
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
  return {
    warnings,
    unconfirmed: null,
    tiles,
    active,
    revoked,
    keysMax,
    leastUsed: active.length < keysMax ? null : leastUsed(active),
  }
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
