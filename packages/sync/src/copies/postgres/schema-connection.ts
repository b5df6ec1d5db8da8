import type { PostgresSession } from './postgres-session.ts'

/** The connection of a copy, and the name of its schema. */
export interface SchemaConnection {
  readonly session: PostgresSession
  readonly schema: string
}
