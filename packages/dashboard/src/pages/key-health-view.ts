// Renders one sentence about the tool of a key: that it is up to date, or where it stopped.

import { count, durationText, exactTime, intervalText, quantity, relativeTime } from '../ui/dates.ts'
import { type Html, html, NOTHING, plainText } from '../ui/html.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { ActiveKeyRow, SyncHealth } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the sentence with the color of its meaning, and a link to the request log if something is wrong. */
export function healthPart(frame: Frame, key: ActiveKeyRow): Html {
  const { health, rejected24h } = key
  const isOverLimit = rejected24h > 0 && health.kind !== 'unavailable'
  const endsIn = key.expiresAt === null ? Number.POSITIVE_INFINITY : key.expiresAt.getTime() - frame.now.getTime()
  const endsSoon = endsIn < REMINDER_MS && key.replacedBy === null
  const tone = (isOverLimit || endsSoon) && TONES[health.kind] === 'good' ? 'waiting' : TONES[health.kind]
  const overLimit = isOverLimit
    ? html` ${quantity(rejected24h, 'request', frame)} over the limit in 24 hours.`
    : NOTHING
  const end = endsSoon ? html` The key ends in ${durationText(endsIn, frame)}: replace it before.` : NOTHING
  const log =
    TONES[health.kind] !== 'bad' && !isOverLimit
      ? NOTHING
      : html` <a href="${pathsOf(frame).keyUsage(key.id)}">Request log<span class="visually-hidden"> of ${key.name}</span></a>`
  return html`<p class="health ${tone}">${sentence(frame, health)}${overLimit}${end}${log}</p>`
}

/** The page reminds the merchant of the end of a key from this time before. */
const REMINDER_MS = 14 * 86_400_000

/** Returns the sentence as plain text, for an email. */
export function healthText(frame: Frame, { health }: ActiveKeyRow): string {
  return plainText(sentence(frame, health))
}

const TONES = {
  unused: 'neutral',
  unavailable: 'neutral',
  failing: 'bad',
  reading: 'good',
  stopped: 'bad',
  upToDate: 'good',
  silent: 'bad',
} as const satisfies Record<SyncHealth['kind'], string>

function sentence(frame: Frame, health: SyncHealth): Html {
  switch (health.kind) {
    case 'unused':
      return html`<strong>Not used yet.</strong> Put the key into the tool.`
    case 'unavailable':
      return frame.store?.status === 'imported'
        ? html`<strong>Rejected.</strong> An imported store has no data here.`
        : html`<strong>Waiting.</strong> The key works as soon as the store is ready.`
    case 'failing': {
      const { requests, since, error } = health
      const last =
        error === null
          ? NOTHING
          : html`, the last one with <code>${error.code ?? String(error.status)}</code> for <code>${error.endpoint}</code>`
      return html`<strong>Gets only errors:</strong> ${quantity(requests, 'request', frame)} since ${exactTime(since, frame)}${last}.`
    }
    case 'reading':
      return html`<strong>Reads ${listName(health.walk.endpoint)} now:</strong> ${quantity(health.walk.rows, 'row', frame)} so far.`
    case 'stopped': {
      const { endpoint, lastAt, rows, rowsOfList } = health.walk
      const all = rowsOfList === null ? NOTHING : html` of about ${count(rowsOfList, frame)}`
      return html`<strong>Stopped</strong> at ${count(rows, frame)}${all} ${listName(endpoint)}, on ${exactTime(lastAt, frame)}.`
    }
    case 'silent': {
      const { lastUsedAt, intervalMs } = health
      const silence = durationText(frame.now.getTime() - lastUsedAt.getTime(), frame)
      return html`<strong>Silent for ${silence},</strong> usually ${intervalText(intervalMs ?? 0, frame)}.`
    }
    case 'upToDate': {
      const last = html`last request ${relativeTime(health.lastUsedAt, frame)}`
      if (health.intervalMs === null) return html`<strong>In use,</strong> ${last}.`
      return html`<strong>Up to date,</strong> ${last}, usually ${intervalText(health.intervalMs, frame)}.`
    }
  }
}

/** Returns the name of a list, such as "customer addresses", or "IDs of orders" for a list of IDs. */
function listName(endpoint: string): string {
  const name = (endpoint.split('/').at(-1) ?? endpoint).replaceAll('-', ' ')
  return endpoint.includes('/ids/') ? `IDs of ${name}` : name
}
