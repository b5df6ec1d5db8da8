// Says for how long no tool used a key, if the time is so long that probably no tool needs it.

import type { KeyRow } from '../pages/key-models.ts'

const DAY_MS = 86_400_000
/** A tool with a new key is usually set up within this many days. */
const NEVER_USED_DAYS = 30
/** A tool that runs each month uses its key within this time, even if it misses one run. */
const UNUSED_DAYS = 90

/**
 * Returns the whole days since the last use of a key, or since its creation if it was never used. Returns null if the
 * days are too few: fewer than 90, or fewer than 30 for a key that was never used.
 */
export function unusedDays(
  { createdAt, lastUsedAt }: Pick<KeyRow, 'createdAt' | 'lastUsedAt'>,
  now: Date,
): number | null {
  const days = Math.floor((now.getTime() - (lastUsedAt ?? createdAt).getTime()) / DAY_MS)
  return days >= (lastUsedAt === null ? NEVER_USED_DAYS : UNUSED_DAYS) ? days : null
}
