// Connects better-auth, which runs its SQL with Kysely, to the `Pool` of `@store-export/postgres`. So accounts share
// the connections, time limits, and error classes of the rest of the control database.

import { AsyncLocalStorage } from 'node:async_hooks'
import { type Connection, type Pool, queryResult, type RunOptions, type Value } from '@store-export/postgres'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'

/** Returns a dialect for PostgreSQL. The caller closes the pool. Streaming a result throws an error. */
export function kyselyDialect(pool: Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driverOf(pool),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** The connection on which `runOn` makes better-auth run; none outside of `runOn`. */
const current = new AsyncLocalStorage<LentConnection>()

/**
 * Calls `work`, and runs the statements of better-auth in it on this connection, as a part of its transaction.
 * `options` limit each statement.
 */
export function runOn<T>(connection: Connection, work: () => Promise<T>, options: RunOptions): Promise<T> {
  return current.run(new LentConnection(connection, options), work)
}

function driverOf(pool: Pool): Driver {
  // On a connection of `runOn`, a transaction is open already, and its owner ends it. So begin, commit, and rollback of
  // better-auth do nothing there, and after an error, the owner must roll back.
  const run = async (connection: DatabaseConnection, text: string) =>
    connection instanceof LentConnection ? undefined : void (await connection.executeQuery(CompiledQuery.raw(text)))
  return {
    init: async () => undefined,
    acquireConnection: async () => current.getStore() ?? (await PooledConnection.from(pool)),
    // better-auth sets no isolation level, so this ignores the settings of the transaction.
    beginTransaction: (connection) => run(connection, 'begin'),
    commitTransaction: (connection) => run(connection, 'commit'),
    rollbackTransaction: (connection) => run(connection, 'rollback'),
    releaseConnection: async (connection) => {
      if (connection instanceof PooledConnection) connection.release()
    },
    destroy: async () => undefined,
  }
}

/** A connection that is checked out of the pool from `acquireConnection` to `releaseConnection`. */
class PooledConnection implements DatabaseConnection {
  readonly release: () => void
  readonly #connection: Connection

  /** Checks a connection out. `pool.use` lends it until the promise of `lend` resolves, and `release` resolves it. */
  static from(pool: Pool): Promise<PooledConnection> {
    return new Promise((resolve, reject) => {
      const lend = (connection: Connection) =>
        new Promise<void>((release) => resolve(new PooledConnection(connection, release)))
      // Rejects only if no connection can be opened. Later, the promise is resolved already.
      pool.use(lend).catch(reject)
    })
  }

  constructor(connection: Connection, release: () => void) {
    this.#connection = connection
    this.release = release
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return execute<Row>(this.#connection, query)
  }

  streamQuery(): never {
    throw new Error('this dialect does not support streaming')
  }
}

/**
 * The connection of a transaction, which its owner commits. A connection runs one statement at a time and throws if it
 * is busy, so the statements that better-auth starts together wait for each other.
 */
class LentConnection implements DatabaseConnection {
  readonly #connection: Connection
  readonly #options: RunOptions
  #last: Promise<unknown> = Promise.resolve()

  constructor(connection: Connection, options: RunOptions) {
    this.#connection = connection
    this.#options = options
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = this.#last.then(() => execute<Row>(this.#connection, query, this.#options))
    this.#last = result.catch(() => undefined)
    return result
  }

  streamQuery(): never {
    throw new Error('this dialect does not support streaming')
  }
}

async function execute<Row>(
  connection: Connection,
  { sql: text, parameters }: CompiledQuery,
  options: RunOptions = {},
): Promise<QueryResult<Row>> {
  const { rows, count } = await queryResult(connection, { text, values: parameters.map(boundValue) }, options)
  return { rows: rows as Row[], numAffectedRows: BigInt(count) }
}

/**
 * Returns a value that the driver can bind. Arrays, and objects other than dates and bytes, become JSON. Undefined
 * becomes null.
 */
function boundValue(value: unknown): Value {
  if (value === null || value === undefined) return null
  if (typeof value === 'object' && !(value instanceof Date) && !(value instanceof Uint8Array))
    return JSON.stringify(value)
  return value as Value
}
