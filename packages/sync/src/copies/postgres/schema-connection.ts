import type { PostgresSession } from './postgres-session.ts'

/** The connection of a copy, and the schema that contains its tables. */
export interface SchemaConnection {
  readonly session: PostgresSession
  readonly schema: string
}
