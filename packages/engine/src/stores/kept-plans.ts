// How old the plans are that a connection keeps. A plan of a prepared statement is made for the tables as they were: one of
// a store that had twenty orders reads all items for each of them, until an ANALYZE comes, which may be never.

import type { Sql } from '@store-export/postgres'

/** A store that was filled is read well after this; and what a plan costs is nothing beside the pages of so long. */
const PLANS_AGE_MAX_MS = 15_000

/** When the plans of each connection were last thrown away. */
export class KeptPlans {
  readonly #madeAt = new WeakMap<Sql, number>()

  /** Has the server plan anew what this connection keeps, where it is time. Rejects as a statement does. */
  async renew(sql: Sql): Promise<void> {
    const madeAt = this.#madeAt.get(sql)
    const now = performance.now()
    if (madeAt !== undefined && now - madeAt < PLANS_AGE_MAX_MS) return
    this.#madeAt.set(sql, now)
    // nothing is kept yet where nothing was asked
    if (madeAt !== undefined) await sql.unsafe('discard plans')
  }

  /** Notes that a statement was too slow: its plan may be why. */
  distrust(sql: Sql): void {
    this.#madeAt.set(sql, Number.NEGATIVE_INFINITY)
  }
}
