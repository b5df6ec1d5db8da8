// Kysely on our pool, statement by statement, for the library that keeps accounts. The dialect that exists reserves a
// connection for each query, which ends the process when the connection dies (docs/decisions/006).

import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { ControlDatabase } from './database.ts'

/** A dialect for PostgreSQL whose every query is one statement on the pool; it has no transactions and no streams. */
export function statementDialect(database: ControlDatabase): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => statementDriver(database),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

function statementDriver({ sql }: ControlDatabase): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({
      sql: text,
      parameters,
    }: {
      readonly sql: string
      readonly parameters: readonly unknown[]
    }) {
      const rows = await sql.unsafe(text, parameters.map(asParameter))
      const result: QueryResult<Row> = { rows: [...rows] as unknown as Row[], numAffectedRows: BigInt(rows.count ?? 0) }
      return result
    },
    streamQuery: () => refuse('streams'),
  }
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: async () => refuse('transactions'),
    commitTransaction: async () => refuse('transactions'),
    rollbackTransaction: async () => refuse('transactions'),
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  }
}

function refuse(what: string): never {
  throw new Error(`the control database is used statement by statement: it has no ${what}`)
}

/** What the library binds: texts, booleans, dates and null. */
function asParameter(value: unknown): string | number | boolean | Date | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return value instanceof Date ? value : JSON.stringify(value)
}
