// Decides whether a request may open a connection. The rules prevent a store that hangs from harming other stores:
// - If a bound is reached, a store without a connection may close the connection that was idle longest. At the bound of
//   a server, it may only close a connection to that server.
// - A store with a connection may open another one if there is room. Otherwise, it may close another store's connection
//   that was idle for 5 s. A store that responds may close any idle connection after its request has waited for 200 ms.
// - A store that is new or failing opens one connection at a time. After a failure of a server, all its stores together
//   open one connection at a time.
// - Connections that have not responded yet get a share of each bound: half for new stores, a quarter for failing
//   stores.
// - A failed attempt delays the next one by a growing pause. The pause applies to the store, to its server, or to both;
//   see assess-failure.ts.

import type { ConnectionBudget } from './connection-budget.ts'
import type { StoreSlot, Waiter } from './store-pool.ts'

/** The time at which a request may open a connection, and the connection to close first. */
export interface OpeningTime {
  /** Earliest time, on the clock of `performance.now()`, if no other event happens before. */
  readonly at: number
  /** The idle connection to close first; null if no connection must be closed, or if `at` is the end of a pause. */
  readonly displaced: StoreSlot | null
}

/** Idle time after which another store with a connection may close this connection. */
const IDLE_MS_MIN = 5000
/**
 * Time in ms that a request of a responding store waits for a connection of that store. After that, the request may
 * close another store's idle connection.
 */
const OWN_WAIT_MS = 200

/**
 * Returns when `waiter` may open a connection; null if another event must happen first. Outside of a pause, sets
 * `blockedBy` of the pool. `idle` starts with the slot that was used least recently. `now` is on the clock of
 * `performance.now()`.
 */
export function openingFor({ pool, since }: Waiter, idle: Iterable<StoreSlot>, now: number): OpeningTime | null {
  const { health, budgets, retryAt } = pool
  if (retryAt > now) return { at: retryAt, displaced: null }
  if (health !== 'responding' && pool.isConnecting) return null
  const withoutShare = budgets.find((budget) => !budget.hasShareFor(health) || !budget.mayAttempt())
  const full = budgets.find(({ isFull }) => isFull)
  pool.blockedBy = withoutShare ?? full ?? pool.server
  if (withoutShare !== undefined) return null
  if (full === undefined) return { at: now, displaced: null }
  const displaced = firstOf(idle, full)
  if (displaced === null) return null
  // This time is in the past, so the request opens its connection at once.
  if (pool.isEmpty) return { at: displaced.idleSince, displaced }
  const longIdle = displaced.idleSince + IDLE_MS_MIN
  return { at: health === 'responding' ? Math.min(longIdle, since + OWN_WAIT_MS) : longIdle, displaced }
}

function firstOf(idle: Iterable<StoreSlot>, budget: ConnectionBudget): StoreSlot | null {
  for (const slot of idle) if (slot.pool.budgets.includes(budget)) return slot
  return null
}
