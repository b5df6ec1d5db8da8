// Decides whether a request may open a connection. The rules keep a store that hangs from harming the others:
// - A store without a connection may close the one that was idle longest, of its own server if that server is full.
// - A store with a connection gets another one if there is room, or in place of one that was idle for some seconds.
//   If the store responds, its request waits for 200 ms, and then displaces even a connection that has just become idle.
// - A new store opens its second connection after the server accepted the first session. Connections without a response
//   get half of each bound. A store whose last request failed gets a quarter. The rest is for stores that respond.
// - A failed attempt delays the next one to the store, or to the server if it refused the connection, by a growing pause.

import type { ConnectionBudget } from './connection-budget.ts'
import type { StoreSlot, Waiter } from './store-pool.ts'

/** What a request may do now. */
export interface Opening {
  /** When it may open a connection if nothing else happens, by `performance.now()`. */
  readonly at: number
  /** The idle connection to close first; null if there is room. */
  readonly displaced: StoreSlot | null
}

/** Idle time after which a store that already has a connection may displace this one. */
const STALE_MS = 5000
/** How long a request of a store that answers waits for one of its own connections before it displaces an idle one. */
const OWN_WAIT_MS = 200

/** The opening for a request; null if another event has to happen first. `idle` begins with the slot used least recently. */
export function openingFor({ pool, since }: Waiter, idle: Iterable<StoreSlot>, now: number): Opening | null {
  const { standing, budgets, retryAt } = pool
  if (retryAt > now) return { at: retryAt, displaced: null }
  if (standing !== 'answering' && pool.isConnecting) return null
  const withoutShare = budgets.find((budget) => !budget.hasShareFor(standing) || !budget.mayTry())
  const full = budgets.find(({ isFull }) => isFull)
  pool.blockedBy = withoutShare ?? full ?? pool.server
  if (withoutShare !== undefined) return null
  if (full === undefined) return { at: now, displaced: null }
  const displaced = firstOf(idle, full)
  if (displaced === null) return null
  if (pool.isEmpty) return { at: displaced.idleSince, displaced }
  const stale = displaced.idleSince + STALE_MS
  return { at: standing === 'answering' ? Math.min(stale, since + OWN_WAIT_MS) : stale, displaced }
}

function firstOf(idle: Iterable<StoreSlot>, budget: ConnectionBudget): StoreSlot | null {
  for (const slot of idle) if (slot.pool.budgets.includes(budget)) return slot
  return null
}
