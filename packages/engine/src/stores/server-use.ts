// Sums up what a node uses of each database server, for metrics and for `store-export status`.

import type { ConnectionBudget } from './connection-budget.ts'
import { failureReason } from './failure-reason.ts'
import type { StorePool } from './store-pool.ts'

/** What a node uses of one database server. */
export interface ServerUse {
  /** Hosts and ports of the server, or the path of its socket. */
  readonly server: string
  /** Maximum number of connections of this node to the server. */
  readonly limit: number
  /** Connections that count against the limit: open, being opened, or closing. */
  readonly open: number
  /** Connections that requests use or open. The rest are idle or closing. */
  readonly inUse: number
  /** Requests that wait for a connection. */
  readonly waiting: number
  /** Why the last attempt to connect failed; null if it succeeded, or if there was none. */
  readonly failure: 'unreachable' | 'timeout' | 'full' | null
  /** Time since the last failed attempt in ms; null if `failure` is null. */
  readonly failureAgeMs: number | null
}

/** The slots in use and the waiting requests, each with its pool. */
interface Users {
  readonly running: Iterable<{ readonly pool: StorePool }>
  readonly waiting: Iterable<{ readonly pool: StorePool }>
}

/** Returns the use of each server, in the order of `servers`. */
export function serverUses(servers: ReadonlyMap<string, ConnectionBudget>, { running, waiting }: Users): ServerUse[] {
  const [inUse, waiters] = [countByServer(running), countByServer(waiting)]
  return [...servers].map(([server, budget]) => ({
    server,
    limit: budget.max,
    open: budget.connections,
    inUse: inUse.get(budget) ?? 0,
    waiting: waiters.get(budget) ?? 0,
    ...failureOf(budget),
  }))
}

function failureOf({ pause, timedOutAt }: ConnectionBudget): Pick<ServerUse, 'failure' | 'failureAgeMs'> {
  if (pause.isFailing) {
    const failure = failureReason(pause.cause) === 'server_full' ? 'full' : 'unreachable'
    return { failure, failureAgeMs: performance.now() - pause.failedAt }
  }
  return timedOutAt === null
    ? { failure: null, failureAgeMs: null }
    : { failure: 'timeout', failureAgeMs: performance.now() - timedOutAt }
}

function countByServer(users: Iterable<{ readonly pool: StorePool }>): Map<ConnectionBudget, number> {
  const counts = new Map<ConnectionBudget, number>()
  for (const { pool } of users) counts.set(pool.server, (counts.get(pool.server) ?? 0) + 1)
  return counts
}
