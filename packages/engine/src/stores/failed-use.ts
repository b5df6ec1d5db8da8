// Decides what a failed use of a connection means for the store and its server.

import { TimeLimitPassed } from '@store-export/postgres'
import { type FullPart, fullPartOf, isRefusedByServer, isTerminated, losesConnection } from './database-errors.ts'

export interface FailedUse {
  readonly cause: unknown
  /** Whether the connection was opened for this request. */
  readonly isFresh: boolean
  /** Whether the server has not accepted the session yet. */
  readonly isConnecting: boolean
  /** Whether the server has answered a statement on the connection. */
  readonly hasAnswered: boolean
  readonly durationMs: number
  readonly timeoutMs: number
}

export interface Verdict {
  /** The store or server whose next connection attempt is delayed. */
  readonly delayed: readonly ('store' | 'server')[]
  /** The part that has no free connection, so that the node closes the idle ones that count there. Null for other failures. */
  readonly full: FullPart | null
  /** Whether another attempt is pointless: the connection was opened for this request and never became ready. */
  readonly isFinal: boolean
}

/** Share of the time limit after which a failure is held against the store, with and without any response of it. */
const HUNG_SHARE = 0.5
const SILENT_SHARE = 0.2

export function verdictOn({ cause, hasAnswered, durationMs, timeoutMs, ...use }: FailedUse): Verdict {
  const full = fullPartOf(cause)
  if (full !== null) return { delayed: [full === 'server' ? 'server' : 'store'], full, isFinal: false }
  const isHung = durationMs > timeoutMs * (hasAnswered ? HUNG_SHARE : SILENT_SHARE)
  const isUnopened = use.isConnecting && !(cause instanceof TimeLimitPassed)
  const isLost = use.isFresh && (isUnopened || losesConnection(cause)) && !isTerminated(cause)
  const isRefused = isLost && use.isConnecting && isRefusedByServer(cause)
  const store = isHung || (isLost && !isRefused) ? (['store'] as const) : []
  const server = isRefused ? (['server'] as const) : []
  return { delayed: [...store, ...server], full, isFinal: isLost && use.isConnecting }
}
