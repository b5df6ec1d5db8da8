// Renders the health of a key's tool in one sentence, such as that it is up to date or where it stopped. Further
// sentences warn of rejected requests, and of the end of the key if it is near.

import { isAllowed } from '../members/permissions.ts'
import { durationOf, exactTime, intervalOf, relativeTime } from '../ui/dates.ts'
import { type Html, html, NOTHING, plainText } from '../ui/html.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { unusedDays } from '../usage/unused-days.ts'
import type { ActiveKeyRow, SyncHealth } from './key-models.ts'
import type { Frame } from './models.ts'

/**
 * Returns the sentences in the color of their meaning. Adds a link to the request log if requests failed, exceeded the
 * rate limit, or stopped.
 */
export function healthPart(frame: Frame, key: ActiveKeyRow): Html {
  const { health, rejected24h } = key
  const texts = frame.texts.keyHealth
  // If the API rejects all requests of the key anyway, the rate limit is not the problem.
  const isOverLimit = rejected24h > 0 && health.kind !== 'unavailable' && health.kind !== 'off'
  const endsIn = key.expiresAt === null ? Number.POSITIVE_INFINITY : key.expiresAt.getTime() - frame.now.getTime()
  // A key that is being replaced ends on purpose.
  const endsSoon = endsIn < REMINDER_MS && key.replacedBy === null
  const tone = (isOverLimit || endsSoon) && TONES[health.kind] === 'good' ? 'waiting' : TONES[health.kind]
  const overLimit = isOverLimit ? texts.overLimit(rejected24h) : NOTHING
  const endText = isAllowed(frame, 'manage keys') ? texts.endsIn : texts.endsInForViewer
  const end = endsSoon ? endText(durationOf(endsIn)) : NOTHING
  const log =
    TONES[health.kind] !== 'bad' && !isOverLimit
      ? NOTHING
      : html` <a href="${pathsOf(frame).keyUsage(key.id)}">${texts.requestLog(key.name)}</a>`
  // After 30 days without use, `unusedAdvice` says something else.
  const next = health.kind === 'unused' && unusedDays(key, frame.now) === null ? texts.putIntoTool : NOTHING
  return html`<p class="health ${tone}">${sentence(frame, health)}${next}${overLimit}${end}${log}</p>`
}

/** Time before the end of a key from which the page shows a reminder, in ms. The first email comes at the same time. */
const REMINDER_MS = 14 * 86_400_000

/** Returns the sentence about what the tool does as plain text, for an email. */
export function healthText(frame: Frame, { health }: ActiveKeyRow): string {
  return plainText(sentence(frame, health))
}

const TONES = {
  off: 'neutral',
  unused: 'neutral',
  unavailable: 'neutral',
  unreadable: 'neutral',
  failing: 'bad',
  reading: 'good',
  stopped: 'bad',
  upToDate: 'good',
  silent: 'bad',
  idle: 'neutral',
} as const satisfies Record<SyncHealth['kind'], string>

function sentence(frame: Frame, health: SyncHealth): Html {
  const texts = frame.texts.keyHealth
  switch (health.kind) {
    case 'off':
      return texts.off(exactTime(health.since, frame))
    case 'unused':
      return texts.unused
    case 'unavailable':
      return frame.store?.status === 'imported' ? texts.imported : texts.generating
    case 'unreadable':
      return texts.unreadable
    case 'failing': {
      const { requests, since, error } = health
      const last = error && { code: error.code ?? String(error.status), endpoint: error.endpoint }
      return texts.failing(requests, exactTime(since, frame), last)
    }
    case 'reading':
      return texts.reading(listName(frame, health.walk.endpoint), health.walk.rows)
    case 'stopped': {
      const { endpoint, lastAt, rows, rowsOfList: ofRows } = health.walk
      return texts.stopped({ list: listName(frame, endpoint), rows, ofRows }, exactTime(lastAt, frame))
    }
    case 'silent': {
      const { lastUsedAt, intervalMs } = health
      const silence = durationOf(frame.now.getTime() - lastUsedAt.getTime())
      // Only a tool with a usual interval can be silent.
      return texts.silent(silence, intervalOf(intervalMs ?? 0))
    }
    case 'idle':
      return texts.idle(relativeTime(health.lastUsedAt, frame))
    case 'upToDate': {
      const lastRequest = relativeTime(health.lastUsedAt, frame)
      return health.intervalMs === null
        ? texts.inUse(lastRequest)
        : texts.upToDate(lastRequest, intervalOf(health.intervalMs))
    }
  }
}

/** Returns the name of a list, such as "customer addresses", or "IDs of orders" for a list of IDs. */
function listName({ texts }: Frame, endpoint: string): string {
  const name = texts.contract.name((endpoint.split('/').at(-1) ?? endpoint).replaceAll('-', ' '))
  return endpoint.includes('/ids/') ? texts.keyHealth.idsOf(name) : name
}
