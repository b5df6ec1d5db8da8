// Runs the migrations that the control database lacks, with Kysely's migrator, which records them. `migrate.ts` imports this
// file when it runs, so that a service that serves does not load Kysely for it.

import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '@store-export/postgres'
import { CompiledQuery, Kysely, type Migration, type MigrationResultSet, Migrator } from 'kysely'
import { kyselyDialect } from './kysely-dialect.ts'
import { MIGRATIONS } from './migrations/index.ts'

/** Longest wait of a migration for a table: the admission of requests queues behind this wait. */
const LOCK_TIMEOUT = '2s'
const LOCK_TRIES_MAX = 10
/** Time for the requests that queued up, before the migration tries again. */
const PAUSE_MS = 1000
/** `lock_not_available` and `deadlock_detected`. */
const LOCK_CODES: readonly unknown[] = ['55P03', '40P01']

/**
 * Applies the missing migrations in order, each in a transaction of its own, so that running nodes never wait for the locks of
 * two migrations. Returns the result of each. Never rejects because of a migration: that is its `error`.
 */
export async function applyMigrations(pool: Pool): Promise<MigrationResultSet> {
  const kysely = new Kysely<unknown>({ dialect: kyselyDialect(pool) })
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations() } })
  const applied = []
  for (;;) {
    const { error, results = [] } = await applyNext(migrator)
    applied.push(...results)
    if (error !== undefined || results.length === 0) return { error, results: applied }
  }
}

/** Whether a migration failed because other sessions kept its tables locked. */
export function isLockFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOCK_CODES.includes(error.code)
}

async function applyNext(migrator: Migrator): Promise<MigrationResultSet> {
  for (let attempt = 1; ; attempt++) {
    const result = await migrator.migrateUp()
    if (!isLockFailure(result.error) || attempt === LOCK_TRIES_MAX) return result
    await delay(PAUSE_MS)
  }
}

/**
 * The migrations by name. The timeout is set after the migrator has its advisory lock, so a second `migrate` waits for the
 * first one.
 */
export function migrations(): Record<string, Migration> {
  const entries = Object.entries(MIGRATIONS).map(([name, statements]) => {
    const all = [`set local lock_timeout = '${LOCK_TIMEOUT}'`, ...statements]
    const up = async (database: Kysely<unknown>) => {
      for (const statement of all) await database.executeQuery(CompiledQuery.raw(statement))
    }
    return [name, { up }]
  })
  return Object.fromEntries(entries)
}
