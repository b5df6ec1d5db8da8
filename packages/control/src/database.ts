// Opens the control database. Most operations are one statement, which is atomic and costs one round trip. Others are a
// transaction. The removal of a store or a merchant is several statements, and can be repeated after a failure. In one
// transaction, a removal would hold the locks on keys while it waits to delete their usage.

import {
  type Connection,
  Pool,
  type PoolOptions,
  parseConnectionUrl,
  type RunOptions,
  type Statement,
  serverOfUrl,
} from '@store-export/postgres'

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
  const pool = new ControlPool(url, {
    connectionsMax: options.poolSize,
    applicationName: options.applicationName ?? 'store-export control',
    preparedStatements: options.preparedStatements ?? true,
    statementTimeoutMs: options.statementTimeoutMs ?? STATEMENT_MS_MAX,
  })
  return { pool, close: () => pool.close(CLOSE_MS_MAX) }
}

/** Connections to the control database. Marks their errors like `asControlDatabase`. */
export class ControlPool extends Pool {
  readonly #url: string

  /** Throws `InvalidUrlError`. */
  constructor(url: string, options: PoolOptions) {
    super(parseConnectionUrl(url), options)
    this.#url = url
  }

  override async use<T>(work: (connection: Connection) => Promise<T>, options: RunOptions = {}): Promise<T> {
    return await asControlDatabase(this.#url, () => super.use(work, options))
  }
}

/** The servers of the errors of the control database. */
const servers = new WeakMap<object, string>()

/** Runs `work` on the control database at this URL, and marks its error as one of this database, for messages. */
export async function asControlDatabase<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const server = serverOfUrl(url)
    if (server !== null && error instanceof Error) servers.set(error, server)
    throw error
  }
}

/** Returns the hosts and ports of the control database that caused the error; null for another error. */
export function controlServerOf(error: unknown): string | null {
  return error instanceof Error ? (servers.get(error) ?? null) : null
}

/** Returns the first row of a statement. Rejects like `Pool.query`, and with `TypeError` if there is none. */
export async function queryOne<Row extends object>(pool: Pool, statement: Statement): Promise<Row> {
  const [row] = await pool.query<Row>(statement)
  if (row === undefined) throw new TypeError('a statement of the control database returned no row')
  return row
}
