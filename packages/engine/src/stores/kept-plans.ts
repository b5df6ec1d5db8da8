// How old the plans are that a connection keeps. A plan of a prepared statement is made for the tables as they were: one of
// a store that had twenty orders reads all items for each of them, until an ANALYZE comes, which may be never.

import { type Connection, executeOn, sql } from '@store-export/postgres'

/** A store that was filled is read well after this; and what a plan costs is nothing beside the pages of so long. */
const PLANS_AGE_MAX_MS = 15_000
const DISCARD_PLANS = sql`discard plans`

/** When the plans of each connection were last thrown away. */
export class KeptPlans {
  readonly #madeAt = new WeakMap<Connection, number>()

  /** Has the server plan anew what this connection keeps, where it is time. Rejects as a statement does. */
  async renew(connection: Connection): Promise<void> {
    const madeAt = this.#madeAt.get(connection)
    const now = performance.now()
    if (madeAt !== undefined && now - madeAt < PLANS_AGE_MAX_MS) return
    this.#madeAt.set(connection, now)
    // nothing is kept yet where nothing was asked
    if (madeAt !== undefined) await executeOn(connection, DISCARD_PLANS)
  }

  /** Notes that a statement was too slow: its plan may be why. */
  distrust(connection: Connection): void {
    this.#madeAt.set(connection, Number.NEGATIVE_INFINITY)
  }
}
