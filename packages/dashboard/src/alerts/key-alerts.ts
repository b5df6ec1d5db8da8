// Decides which problems of a key are worth an email, and writes the subject and the first sentences of the email.

import type { KeyAlert } from '@store-export/control'
import { isAllowed } from '../members/permissions.ts'
import { healthText } from '../pages/key-health-view.ts'
import type { ActiveKeyRow } from '../pages/key-models.ts'
import type { Frame } from '../pages/models.ts'
import { durationOf } from '../ui/dates.ts'
import { LATE_INTERVALS } from '../usage/usual-interval.ts'

/** What an email says about a problem. */
export interface AlertText {
  readonly subject: string
  /** What happened, in one or two sentences. */
  readonly sentence: string
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/**
 * Days before the end of a key at which merchants get an email. In descending order, because `ending` takes the last
 * one that applies.
 */
const REMINDER_DAYS = [14, 1]

/**
 * Number of requests of a key that the rate limit rejected in each hour, by the start of the hour in milliseconds since
 * 1970.
 */
export type RejectedHours = ReadonlyMap<number, number>

/** The times of a check. */
export interface CheckTimes {
  readonly now: Date
  /** Since this time, checks have run without a gap. Before, the service can have been down. */
  readonly steadySince: Date
}

/**
 * Returns the problems of an active key now. For a key that a merchant turned off, returns only the reminder before its
 * end. `occurrence` identifies a problem, such as the time at which it began. `claimAlert` permits one email for each,
 * and one per kind and UTC day.
 */
export function alertsOf(key: ActiveKeyRow, rejected: RejectedHours, { now, steadySince }: CheckTimes): KeyAlert[] {
  const problem = problemOf(key, now.getTime() - steadySince.getTime())
  return [
    ...(problem === null ? [] : [{ keyId: key.id, ...problem }]),
    ...(key.health.kind === 'off' ? [] : overLimit(key, rejected, now)),
    ...ending(key, now),
  ]
}

/**
 * Returns the problem that the health of a key shows; null if there is none. `steadyMs` is how long checks have run
 * without a gap. While the service was down, no tool could send a request. So a tool counts as silent only after checks
 * have run for `LATE_INTERVALS` of its usual intervals.
 */
function problemOf({ health }: ActiveKeyRow, steadyMs: number): Omit<KeyAlert, 'keyId'> | null {
  switch (health.kind) {
    case 'failing':
      return { kind: health.kind, occurrence: health.since.toISOString() }
    case 'stopped':
      return { kind: health.kind, occurrence: health.walk.lastAt.toISOString() }
    case 'silent':
      if (steadyMs < (health.intervalMs ?? 0) * LATE_INTERVALS) return null
      return { kind: health.kind, occurrence: health.lastUsedAt.toISOString() }
    default:
      return null
  }
}

/**
 * Returns an alert if the rate limit rejected requests of the key in this hour and in the hour before. Its `occurrence`
 * is the UTC day, so `claimAlert` permits one email a day.
 */
function overLimit({ id }: ActiveKeyRow, rejected: RejectedHours, now: Date): KeyAlert[] {
  const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  const isOver = (rejected.get(hour) ?? 0) > 0 && (rejected.get(hour - HOUR_MS) ?? 0) > 0
  return isOver ? [{ keyId: id, kind: 'over_limit', occurrence: now.toISOString().slice(0, 10) }] : []
}

/**
 * Returns an alert if the key ends within 14 days, and another one if it ends within a day. A key that was replaced
 * ends on purpose, so it has none.
 */
function ending({ id, expiresAt, replacedBy }: ActiveKeyRow, now: Date): KeyAlert[] {
  if (expiresAt === null || replacedBy !== null) return []
  const left = expiresAt.getTime() - now.getTime()
  const reminder = REMINDER_DAYS.filter((days) => left <= days * DAY_MS).at(-1)
  if (left <= 0 || reminder === undefined) return []
  return [{ keyId: id, kind: 'ending', occurrence: `${expiresAt.toISOString()} ${reminder}` }]
}

/**
 * Returns the text about a problem of a key, in the language of `frame`. It is for the role of the member: a viewer
 * can't manage keys.
 */
export function alertText(frame: Frame, key: ActiveKeyRow, { kind }: KeyAlert): AlertText {
  const { name } = key
  const { emails: texts } = frame.texts
  if (kind === 'over_limit') return { subject: texts.overLimit.subject(name), sentence: texts.overLimit.sentence(name) }
  if (kind === 'ending') {
    // `ending` returns alerts only for keys with `expiresAt`, so the fallback is never used.
    const left = durationOf((key.expiresAt ?? frame.now).getTime() - frame.now.getTime())
    const sentence = isAllowed(frame, 'manage keys') ? texts.ending.sentence : texts.ending.sentenceForViewer
    return { subject: texts.ending.subject(name), sentence: sentence(name, left) }
  }
  const subject = kind === 'failing' || kind === 'stopped' || kind === 'silent' ? texts[kind] : texts.other
  return { subject: subject(name), sentence: texts.sentence(name, healthText(frame, key)) }
}
