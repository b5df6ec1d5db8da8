// Whether a call is tried again, and after how long. The rules are the service's: its limit says how long to wait, what
// passes by itself is tried with growing pauses, and nothing else is tried twice.

import { AddressError, ConnectionError, StoreExportError } from './errors.ts'

/** A pause before the next attempt. */
export interface Pause {
  /** `limit`: the service asked for it. `fault`: nothing is known but that it may pass. */
  readonly reason: 'limit' | 'error'
  readonly ms: number
}

const FIRST_PAUSE_MS = 500
const PAUSE_MS_MAX = 30_000
/** A limit, a store that is being made, and a store database that gives no answer. */
const RATE_LIMITED_STATUS = 429
const TEMPORARY_STATUSES = [409, 502]
/** A proxy that reaches no node of the service. Of the service's own they are none. */
const PROXY_STATUSES = [503, 504]

/** The pause after the `attempt`th failure, 1 the first; null for what is not tried again. `random` is 0 to 1. */
export function retryPause(error: unknown, attempt: number, random: number): Pause | null {
  if (error instanceof AddressError) return null
  if (error instanceof ConnectionError) return { reason: 'error', ms: backoffMs(attempt, random) }
  if (!(error instanceof StoreExportError)) return null
  const { status, code, retryAfterSeconds } = error
  if (status === RATE_LIMITED_STATUS)
    return { reason: 'limit', ms: retryAfterSeconds === null ? backoffMs(attempt, random) : retryAfterSeconds * 1000 }
  const passes = TEMPORARY_STATUSES.includes(status) || (code === 'UNKNOWN' && PROXY_STATUSES.includes(status))
  return passes ? { reason: 'error', ms: backoffMs(attempt, random) } : null
}

/** Doubles with each attempt, and is spread over its upper half, so that many clients do not come back at once. */
function backoffMs(attempt: number, random: number): number {
  const longest = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** (attempt - 1))
  return Math.round(longest * (0.5 + random / 2))
}
