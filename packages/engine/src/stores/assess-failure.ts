// Decides whether the store or its database server caused a failed request. A failing store must not delay the other
// stores of its server. If the server is down, its stores must not all try to connect.

import { TimeLimitPassed } from '@store-export/postgres'
import {
  type ConnectionLimitScope,
  fullPartOf,
  isServerUnreachable,
  isTerminated,
  losesConnection,
} from './database-errors.ts'

/** Facts about a failed request and its connection. */
export interface FailedAttempt {
  readonly cause: unknown
  /** Whether the connection was opened for this request. */
  readonly isFresh: boolean
  /** Whether the server has not accepted the session yet. */
  readonly isConnecting: boolean
  /** Whether the server has responded to a statement on the connection. */
  readonly hasResponded: boolean
  /** Time in milliseconds since the request got its connection slot. */
  readonly durationMs: number
  /** Time limit of the request in milliseconds. It starts earlier, with the request. */
  readonly timeoutMs: number
}

/** What a failure means for later requests. */
export interface FailureAssessment {
  /** Where to delay the next attempt to connect: the store, its server, both, or neither. */
  readonly delayed: readonly ('store' | 'server')[]
  /**
   * The part that has reached its connection limit. The node closes its idle connections to this part. Null for another
   * failure.
   */
  readonly full: ConnectionLimitScope | null
  /** Whether a retry is pointless, because a new connection to the store never became ready. */
  readonly isFinal: boolean
}

/** A store counts as hung if a request fails after more than this share of its time limit. */
const HUNG_SHARE = 0.5
/** Like `HUNG_SHARE`, for a connection without a response to a statement so far. Nothing shows that its store works. */
const SILENT_SHARE = 0.2

/** Decides what a failed request means for later requests to the store and to its server. */
export function assessFailure({
  cause,
  hasResponded,
  durationMs,
  timeoutMs,
  ...use
}: FailedAttempt): FailureAssessment {
  const full = fullPartOf(cause)
  // A retry can succeed, because the node closes idle connections. Only the server's own limit delays its other stores.
  if (full !== null) return { delayed: [full === 'server' ? 'server' : 'store'], full, isFinal: false }
  const isHung = durationMs > timeoutMs * (hasResponded ? HUNG_SHARE : SILENT_SHARE)
  // A request that got its slot late can reach its time limit while it connects. This says nothing about the store. If
  // the request got its slot early, `isHung` counts.
  const isNotOpened = use.isConnecting && !(cause instanceof TimeLimitPassed)
  // If the connection is older, or if the server terminated the session, perhaps only this session is lost.
  const isLost = use.isFresh && (isNotOpened || losesConnection(cause)) && !isTerminated(cause)
  const isUnreachable = isLost && use.isConnecting && isServerUnreachable(cause)
  // Even if the server is unreachable, a wrong URL of the store can be the reason, so its next attempt comes last.
  const store = isHung || isLost ? (['store'] as const) : []
  const server = isUnreachable ? (['server'] as const) : []
  return { delayed: [...store, ...server], full, isFinal: isLost && use.isConnecting }
}
