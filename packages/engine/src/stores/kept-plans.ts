// The age of the plans that a connection keeps. A prepared statement keeps a plan for the tables as they were: the plan for
// twenty orders reads all items for each order, until an ANALYZE.

import { type Connection, executeOn, sql } from '@store-export/postgres'

/** Planning again every 15 seconds costs little compared with the pages read in that time. */
const PLANS_AGE_MAX_MS = 15_000
const DISCARD_PLANS = sql`discard plans`

export class KeptPlans {
  readonly #madeAt = new WeakMap<Connection, number>()

  /** Makes the server plan again what this connection keeps, if the plans are old. Rejects as a statement does. */
  async renew(connection: Connection): Promise<void> {
    const madeAt = this.#madeAt.get(connection)
    const now = performance.now()
    if (madeAt !== undefined && now - madeAt < PLANS_AGE_MAX_MS) return
    this.#madeAt.set(connection, now)
    // a new connection keeps no plans
    if (madeAt !== undefined) await executeOn(connection, DISCARD_PLANS)
  }

  /** Notes that a statement was too slow: its plan may be why. */
  distrust(connection: Connection): void {
    this.#madeAt.set(connection, Number.NEGATIVE_INFINITY)
  }
}
