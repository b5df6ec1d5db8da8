import type { PostgresSession } from './postgres-session.ts'

export interface SchemaConnection {
  readonly session: PostgresSession
  readonly schema: string
}
