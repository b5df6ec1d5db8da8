import type { PostgresSession } from './postgres-session.ts'

/** A connection and the schema of the copy. */
export interface SchemaConnection {
  readonly session: PostgresSession
  readonly schema: string
}
