// Migrates the control database to this version. Each migration runs in a separate transaction, so that running nodes
// never wait for the locks of two migrations. An advisory lock ensures that only one of several processes applies a
// migration.

import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, executeOn, type Pool, PostgresError, queryRows, sql } from '@store-export/postgres'
import { ADMIN_SCHEMA } from './admin-schema.ts'
import { AUDIT_SCHEMA } from './audit-schema.ts'
import { CLAIMS_SCHEMA } from './claims-schema.ts'
import { CODES_AND_RUNS_SCHEMA } from './codes-and-runs-schema.ts'
import { type ControlDatabase, ControlPool } from './database.ts'
import { DEVELOPER_ROLE_SCHEMA } from './developer-role-schema.ts'
import { DIRECTORY_SCHEMA } from './directory-schema.ts'
import { NODE_STATE_SCHEMA } from './node-state-schema.ts'
import { PASSKEYS_SCHEMA } from './passkeys-schema.ts'
import { PERMISSION_CHANGES_SCHEMA } from './permission-changes-schema.ts'
import type { RandomBytes } from './random.ts'
import { ROLES_SCHEMA } from './roles-schema.ts'
import { SCHEMA } from './schema.ts'
import { makeCursorSecret } from './service-secrets.ts'
import { TWO_FACTOR_RULE_SCHEMA } from './two-factor-rule-schema.ts'

/** Statements by the name of their migration, in the order in which they run. A released migration never changes. */
export const MIGRATIONS: Readonly<Record<string, string>> = {
  '001-control-database': `${SCHEMA};\n${AUDIT_SCHEMA}`,
  '002-member-roles': ROLES_SCHEMA,
  '003-passkeys': PASSKEYS_SCHEMA,
  '004-claimed-stores': CLAIMS_SCHEMA,
  '005-permission-changes': PERMISSION_CHANGES_SCHEMA,
  '006-developer-role': DEVELOPER_ROLE_SCHEMA,
  '007-two-factor-rule': TWO_FACTOR_RULE_SCHEMA,
  '008-admin-api': ADMIN_SCHEMA,
  '009-node-state': NODE_STATE_SCHEMA,
  '010-codes-and-runs': CODES_AND_RUNS_SCHEMA,
  '011-directory': DIRECTORY_SCHEMA,
}

/** Thrown if the control database could not be migrated, or if it is newer than this version or older than 0.1.0. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** The control database to migrate, and the migrations to apply. */
export interface MigrateOptions {
  readonly url: string
  readonly random: RandomBytes
  /** The migrations of this version by default. Tests pass others. */
  readonly migrations?: typeof MIGRATIONS
}

/** Key of the advisory lock for changes of the schema. */
export const MIGRATION_LOCK = 7_306_004
/** Longest wait of a migration for the lock on a table. The admission of requests queues behind this wait. */
export const LOCK_TIMEOUT = '2s'
const LOCK_TRIES_MAX = 10
/** Pause in ms before the next attempt, in which the queued requests run. */
const PAUSE_MS = 1000
/** Codes `lock_not_available` and `deadlock_detected`. */
const LOCK_CODES: readonly string[] = ['55P03', '40P01']

/**
 * Applies the missing migrations, and returns their names in the order of their application. Also generates the secret
 * of cursors. Waits for other processes that migrate.
 *
 * Rejects with `MigrationError` if a newer version or a build before 0.1.0 made the database. Also rejects with it if a
 * statement fails, or if a table is locked in each of ten attempts. The migrations before the failed one stay applied.
 * Rejects like `Pool.transaction` otherwise.
 */
export async function migrate({ url, random, migrations = MIGRATIONS }: MigrateOptions): Promise<string[]> {
  const pool = new ControlPool(url, { connectionsMax: 1, applicationName: 'store-export migrate' })
  const applied: string[] = []
  try {
    for (;;) {
      const name = await applyNext(pool, migrations)
      if (name === null) break
      applied.push(name)
    }
    await makeCursorSecret(pool, random)
    return applied
  } finally {
    await pool.close()
  }
}

/**
 * Returns the names of this version's migrations that the database lacks. `serve` doesn't start if there are any.
 * Rejects with `MigrationError` if a build before 0.1.0 created the database.
 */
export async function missingMigrations({ pool }: ControlDatabase): Promise<string[]> {
  const applied = await pool.use(appliedMigrations)
  return Object.keys(MIGRATIONS).filter((name) => !applied.includes(name))
}

/** Applies the first missing migration and returns its name; null if none is missing. */
async function applyNext(pool: Pool, migrations: typeof MIGRATIONS): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pool.transaction((connection) => applyOn(connection, migrations))
    } catch (error) {
      const isLocked = error instanceof MigrationError && isLockFailure(error.cause)
      if (!isLocked || attempt === LOCK_TRIES_MAX) throw error
      await delay(PAUSE_MS)
    }
  }
}

async function applyOn(connection: Connection, migrations: typeof MIGRATIONS): Promise<string | null> {
  // At another isolation level, the snapshot is older than the lock, and another process may have migrated in between.
  await connection.script('set transaction isolation level read committed')
  await executeOn(connection, sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
  const applied = await appliedMigrations(connection)
  const unknown = applied.filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) {
    const message = `the control database was made by a newer version (it has ${unknown.join(', ')}); use that version`
    throw new MigrationError(message)
  }
  const [next] = Object.entries(migrations).filter(([name]) => !applied.includes(name))
  if (next === undefined) return null
  const [name, statements] = next
  try {
    // The time limit is set after the advisory lock, so that it doesn't limit the wait for another process's migration.
    await limitLockWaits(connection)
    await connection.script(`
      create table if not exists migrations (name text primary key, applied_at timestamptz not null default now());
      ${statements}`)
  } catch (cause) {
    const hint = isLockFailure(cause)
      ? 'another session locks a table. Wait until it ends (for example pg_dump), then run migrate again'
      : 'this migration changed nothing'
    throw new MigrationError(`the control database could not be migrated at ${name}: ${hint}`, { cause })
  }
  await executeOn(connection, sql`insert into migrations (name) values (${name})`)
  return name
}

/**
 * Limits the waits for locks in this transaction. The first two settings are for Citus, and have no effect without it:
 * - A migration can change a distributed table, and then a function. Citus refuses this unless shards change in turn.
 * - Citus sends the later settings of the transaction to its workers, so the limit applies there, too. It sends the
 *   whole text of a `script`, so the text that sets the limit has no other statement.
 */
async function limitLockWaits(connection: Connection): Promise<void> {
  await connection.script("set local citus.multi_shard_modify_mode = 'sequential'")
  await connection.script("set local citus.propagate_set_commands = 'local'")
  await connection.script(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
}

/** Returns the names of the applied migrations. Rejects like `missingMigrations`. */
async function appliedMigrations(connection: Connection): Promise<string[]> {
  // Builds before 0.1.0 noted their migrations in this table.
  const [early] = await queryRows(connection, sql`select where to_regclass('kysely_migration') is not null`)
  if (early !== undefined)
    throw new MigrationError(
      'the control database was made by a build before version 0.1.0 and can\'t be upgraded; create an empty database, set STORE_EXPORT_DATABASE_URL to it, and run "store-export migrate"',
    )
  const [table] = await queryRows(connection, sql`select where to_regclass('migrations') is not null`)
  if (table === undefined) return []
  const rows = await queryRows<{ name: string }>(connection, sql`select name from migrations order by name`)
  return rows.map(({ name }) => name)
}

/** Whether the error was caused by locks of other sessions. */
function isLockFailure(error: unknown): boolean {
  return error instanceof PostgresError && LOCK_CODES.includes(error.code)
}
