// Runs the migrations that the control database lacks, with the library that records them. Apart from migrate.ts, so that
// the library is loaded by those who migrate alone.

import { Kysely, type MigrationResultSet, Migrator } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import type { Sql } from '../connection.ts'
import { MIGRATIONS } from './migrations/index.ts'

/** Applies what is missing, in order; what became of each. Never rejects because of a migration: that is its `error`. */
export function applyMigrations(sql: Sql): Promise<MigrationResultSet> {
  const kysely = new Kysely<unknown>({ dialect: new PostgresJSDialect({ postgres: sql }) })
  const provider = { getMigrations: async () => ({ ...MIGRATIONS }) }
  return new Migrator({ db: kysely, provider }).migrateToLatest()
}
