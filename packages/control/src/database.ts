// Opens the control database: stores, keys, counters, usage.
// Most operations are one statement, because a statement is atomic and costs one round trip. An operation of several
// statements can be repeated after a failure: a transaction would hold the locks of keys while it waits for usage.

import { Pool, parseConnectionUrl, type Statement } from '@store-export/postgres'

/** An open control database. */
export interface ControlDatabase {
  readonly pool: Pool
  /** Waits for statements under way, at most five seconds, and closes all connections. */
  close(): Promise<void>
}

export interface ControlDatabaseOptions {
  readonly poolSize: number
  /** Off behind PgBouncer in transaction mode; on by default. */
  readonly preparedStatements?: boolean
  /** Name of the sessions, as lists of sessions and the audit table show it. */
  readonly applicationName?: string
  /** Longest time of a statement, in ms; five minutes by default. */
  readonly statementTimeoutMs?: number
}

const CLOSE_MS_MAX = 5000
/** Deleting old usage takes longest. A statement that takes more hangs. */
const STATEMENT_MS_MAX = 300_000

/** The control database at this URL. The first statement connects. Throws `InvalidUrlError`. */
export function openControlDatabase(url: string, options: ControlDatabaseOptions): ControlDatabase {
  const pool = new Pool(parseConnectionUrl(url), {
    connectionsMax: options.poolSize,
    applicationName: options.applicationName ?? 'store-export control',
    preparedStatements: options.preparedStatements ?? true,
    statementTimeoutMs: options.statementTimeoutMs ?? STATEMENT_MS_MAX,
  })
  return { pool, close: () => pool.close(CLOSE_MS_MAX) }
}

/** The row of a statement that always has one. Rejects as `Pool.query` does. */
export async function queryOne<Row extends object>(pool: Pool, statement: Statement): Promise<Row> {
  const [row] = await pool.query<Row>(statement)
  if (row === undefined) throw new TypeError('a statement of the control database returned no row')
  return row
}
