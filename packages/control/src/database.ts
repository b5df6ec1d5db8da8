// The control database: stores, keys, counters, usage. This file opens it; the statements are beside it.
// Every operation is one statement or a row of repeatable ones: postgres.js 3.4.9 ends the process with an uncaught
// error when a connection is lost between `reserve` and the next statement, so neither reserve nor begin is used here.

import { openPool, parseConnectionUrl, type Sql } from '@store-export/postgres'

/** An open control database. */
export interface ControlDatabase {
  readonly sql: Sql
  /** Waits for statements under way, at most five seconds, and closes all connections. */
  close(): Promise<void>
}

/** How to open it. */
export interface ControlDatabaseOptions {
  readonly poolSize: number
  /** Off behind PgBouncer in transaction mode; on by default. */
  readonly preparedStatements?: boolean
  /** Name of the sessions, as lists of sessions and the audit table show it. */
  readonly applicationName?: string
}

const CLOSE_SECONDS_MAX = 5

/** The control database at this URL; it connects on the first statement. Throws `ConnectionUrlProblem`. */
export function openControlDatabase(url: string, options: ControlDatabaseOptions): ControlDatabase {
  const sql = openPool(parseConnectionUrl(url), {
    connectionsMax: options.poolSize,
    applicationName: options.applicationName ?? 'store-export control',
    preparedStatements: options.preparedStatements ?? true,
  })
  return { sql, close: () => sql.end({ timeout: CLOSE_SECONDS_MAX }) }
}
