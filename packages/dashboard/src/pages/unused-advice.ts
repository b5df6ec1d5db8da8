// Renders the advice to revoke a key that probably no tool needs. All pages about a key give the same advice.

import { isAllowed } from '../members/permissions.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { unusedDays } from '../usage/unused-days.ts'
import type { KeyRow } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns for how long no tool used the key, and the advice to revoke it; null for a key that a tool may need. */
export function unusedAdvice(frame: Frame, key: KeyRow): Html | null {
  const days = unusedDays(key, frame.now)
  if (days === null || key.revokedAt !== null) return null
  const { unused } = frame.texts.keys
  const since = key.lastUsedAt === null ? unused.sinceCreation(days) : unused.sinceLastUse(days)
  const advice = isAllowed(frame, 'manage keys') ? unused.advice(pathsOf(frame).revoke(key.id), key.name) : NOTHING
  return html`${since} ${advice}`
}
