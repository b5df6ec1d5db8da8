// Decides whether the client retries a failed request, and after which pause:
// - After a rate limit, the pause is what `Retry-After` says. Without a positive `Retry-After`, pauses grow.
// - After a temporary failure, pauses grow, and are at least what `Retry-After` says, unless that is over a minute.
// - The client does not retry other failures.

import { AddressError, ConnectionError, StoreExportError } from './errors.ts'

/** A pause before the next attempt: its reason, and its length in ms. */
export interface Pause {
  /** `limit`: the response has status 429. `error`: the failure is probably temporary. */
  readonly reason: 'limit' | 'error'
  readonly ms: number
}

const FIRST_PAUSE_MS = 500
const PAUSE_MS_MAX = 30_000
/** The service sends at most 60. A larger value after a temporary failure comes from a proxy, and is ignored. */
const RETRY_AFTER_SECONDS_MAX = 60
const RATE_LIMITED_STATUS = 429
/**
 * Statuses of temporary failures. 408: the request did not arrive in time. 409: the store has no database yet. 502: a
 * database did not respond, or the service failed.
 */
const TEMPORARY_STATUSES = [408, 409, 502]
/** Statuses of a proxy that cannot reach a node of the service. The export API itself does not return them. */
const PROXY_STATUSES = [503, 504]

/** Returns the pause after a failed attempt; null for no retry. `attempt` starts at 1. `random` is from 0 to 1. */
export function retryPause(error: unknown, attempt: number, random: number): Pause | null {
  if (error instanceof AddressError) return null
  if (error instanceof ConnectionError) return { reason: 'error', ms: backoffMs(attempt, random) }
  if (!(error instanceof StoreExportError)) return null
  const { status, code, retryAfterSeconds } = error
  const growingMs = backoffMs(attempt, random)
  // Without a positive Retry-After, the pause grows. Otherwise, the client would repeat its request at once.
  if (status === RATE_LIMITED_STATUS) return { reason: 'limit', ms: (retryAfterSeconds ?? 0) * 1000 || growingMs }
  const passes = TEMPORARY_STATUSES.includes(status) || (code === 'UNKNOWN' && PROXY_STATUSES.includes(status))
  return passes ? { reason: 'error', ms: Math.max(leastMs(retryAfterSeconds), growingMs) } : null
}

/** Returns the shortest pause in ms that `Retry-After` allows after a temporary failure. */
function leastMs(retryAfterSeconds: number | null): number {
  return retryAfterSeconds === null || retryAfterSeconds > RETRY_AFTER_SECONDS_MAX ? 0 : retryAfterSeconds * 1000
}

/** Returns a pause in the upper half of a maximum that doubles with each attempt. `random` spreads the clients. */
function backoffMs(attempt: number, random: number): number {
  const longest = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** (attempt - 1))
  return Math.round(longest * (0.5 + random / 2))
}
