// Limits the age of the plans that PostgreSQL caches for prepared statements. A plan from the time when a store had
// twenty orders can read all items for each order. Without a renewal, PostgreSQL would use the plan until the next
// ANALYZE.

import { type Connection, executeOn, sql } from '@store-export/postgres'

/**
 * Maximum age of a plan in ms. Planning every 15 seconds costs little, compared with the pages that are read in that
 * time.
 */
const PLAN_AGE_MAX_MS = 15_000
const DISCARD_PLANS = sql`discard plans`

/** Remembers when each connection last discarded its plans. */
export class CachedPlans {
  readonly #madeAt = new WeakMap<Connection, number>()

  /** Discards the connection's plans if they can be older than `PLAN_AGE_MAX_MS`. Rejects like `executeOn`. */
  async renew(connection: Connection): Promise<void> {
    const madeAt = this.#madeAt.get(connection)
    const now = performance.now()
    if (madeAt !== undefined && now - madeAt < PLAN_AGE_MAX_MS) return
    this.#madeAt.set(connection, now)
    // A new connection has no plans.
    if (madeAt !== undefined) await executeOn(connection, DISCARD_PLANS)
  }

  /** Makes the next `renew` discard the plans. Call it after a slow statement, whose plan can be the cause. */
  expire(connection: Connection): void {
    this.#madeAt.set(connection, Number.NEGATIVE_INFINITY)
  }
}
