// Decides what a failed use of a connection means for the store and its server.

import {
  isLimitOfStore,
  isRefusedByServer,
  isTerminated,
  isTooManyConnections,
  losesConnection,
} from './database-errors.ts'

/** A use of a connection that failed. */
export interface FailedUse {
  readonly cause: unknown
  /** Whether the connection was opened for this request. */
  readonly isFresh: boolean
  /** Whether the server has not accepted the session yet. */
  readonly isConnecting: boolean
  /** Whether the server has answered a statement on the connection. */
  readonly hasAnswered: boolean
  readonly durationMs: number
  /** Time limit of a request. */
  readonly timeoutMs: number
}

/** Consequences of a failure. */
export interface Verdict {
  /** The store or server whose next connection attempt is delayed. */
  readonly delayed: readonly ('store' | 'server')[]
  /** Whether the server has no free connection, so that the node closes idle ones. */
  readonly isServerFull: boolean
  /** Whether another attempt is pointless: the connection was opened for this request and never became ready. */
  readonly isFinal: boolean
}

/** Share of the time limit after which a failure is held against the store, with and without any response of it. */
const HUNG_SHARE = 0.5
const SILENT_SHARE = 0.2

/** Judges a failure. */
export function verdictOn({ cause, hasAnswered, durationMs, timeoutMs, ...use }: FailedUse): Verdict {
  if (isTooManyConnections(cause))
    return { delayed: [isLimitOfStore(cause) ? 'store' : 'server'], isServerFull: true, isFinal: false }
  const isHung = durationMs > timeoutMs * (hasAnswered ? HUNG_SHARE : SILENT_SHARE)
  const isLost = use.isFresh && losesConnection(cause) && !isTerminated(cause)
  const isRefused = isLost && use.isConnecting && isRefusedByServer(cause)
  const store = isHung || (isLost && !isRefused) ? (['store'] as const) : []
  const server = isRefused ? (['server'] as const) : []
  return { delayed: [...store, ...server], isServerFull: false, isFinal: isLost && use.isConnecting }
}
