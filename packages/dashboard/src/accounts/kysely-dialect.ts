// Connects better-auth, which runs its SQL with Kysely, to the `Pool` of `@store-export/postgres`. So accounts share
// the connections, time limits, and error classes of the rest of the control database.

import { type Connection, type Pool, queryResult, type Value } from '@store-export/postgres'
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

/** Returns a dialect for PostgreSQL. The caller closes the pool. The dialect does not support streaming. */
export function kyselyDialect(pool: Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driverOf(pool),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

function driverOf(pool: Pool): Driver {
  const run = async (connection: DatabaseConnection, text: string) =>
    void (await connection.executeQuery(CompiledQuery.raw(text)))
  return {
    init: async () => undefined,
    acquireConnection: () => PooledConnection.from(pool),
    // better-auth uses the default isolation level.
    beginTransaction: (connection) => run(connection, 'begin'),
    commitTransaction: (connection) => run(connection, 'commit'),
    rollbackTransaction: (connection) => run(connection, 'rollback'),
    releaseConnection: async (connection) => (connection as PooledConnection).release(),
    destroy: async () => undefined,
  }
}

/** A connection that is checked out of the pool from `acquireConnection` to `releaseConnection`. */
class PooledConnection implements DatabaseConnection {
  readonly release: () => void
  readonly #connection: Connection

  static from(pool: Pool): Promise<PooledConnection> {
    return new Promise((resolve, reject) => {
      const lend = (connection: Connection) =>
        new Promise<void>((release) => resolve(new PooledConnection(connection, release)))
      pool.use(lend).catch(reject)
    })
  }

  constructor(connection: Connection, release: () => void) {
    this.#connection = connection
    this.release = release
  }

  async executeQuery<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, count } = await queryResult(this.#connection, { text, values: parameters.map(boundValue) })
    return { rows: rows as Row[], numAffectedRows: BigInt(count) }
  }

  streamQuery(): never {
    throw new Error('this dialect does not support streaming')
  }
}

/** Returns a value that the driver can bind. Objects other than dates and bytes become JSON. */
function boundValue(value: unknown): Value {
  if (value === null || value === undefined) return null
  if (typeof value === 'object' && !(value instanceof Date) && !(value instanceof Uint8Array))
    return JSON.stringify(value)
  return value as Value
}
