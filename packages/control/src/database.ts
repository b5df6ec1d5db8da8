// Opens the control database. Most operations are one statement, which is atomic and costs one round trip. Others are a
// transaction. The removal of a store or a merchant is several statements, and can be repeated after a failure. In one
// transaction, a removal would hold the locks on keys while it waits to delete their usage.

import { Pool, parseConnectionUrl, type Statement } from '@store-export/postgres'

/** The control database and its pool of connections. */
export interface ControlDatabase {
  readonly pool: Pool
  /** Waits for running statements, at most five seconds, and closes all connections. */
  close(): Promise<void>
}

/** Options of the connections to the control database. */
export interface ControlDatabaseOptions {
  readonly poolSize: number
  /** As in `PoolOptions`. */
  readonly preparedStatements?: boolean
  /**
   * Name of the sessions, in the server's list of sessions and in the audit table. By default, it is `store-export
   * control`, by which audit triggers recognize the service.
   */
  readonly applicationName?: string
  /** Time limit of a statement, in ms; five minutes by default. */
  readonly statementTimeoutMs?: number
}

const CLOSE_MS_MAX = 5000
/** Default time limit of a statement. It is above the time of the slowest statements, which delete old usage. */
const STATEMENT_MS_MAX = 300_000

/** Returns the control database at this URL. The first statement opens a connection. Throws `InvalidUrlError`. */
export function openControlDatabase(url: string, options: ControlDatabaseOptions): ControlDatabase {
  const pool = new Pool(parseConnectionUrl(url), {
    connectionsMax: options.poolSize,
    applicationName: options.applicationName ?? 'store-export control',
    preparedStatements: options.preparedStatements ?? true,
    statementTimeoutMs: options.statementTimeoutMs ?? STATEMENT_MS_MAX,
  })
  return { pool, close: () => pool.close(CLOSE_MS_MAX) }
}

/** Returns the first row of a statement. Rejects like `Pool.query`, and with `TypeError` if there is none. */
export async function queryOne<Row extends object>(pool: Pool, statement: Statement): Promise<Row> {
  const [row] = await pool.query<Row>(statement)
  if (row === undefined) throw new TypeError('a statement of the control database returned no row')
  return row
}
