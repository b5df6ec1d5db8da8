// Brings the control database to this version. Several processes can do it at once: an advisory lock lets one of them apply
// each migration.

import { Pool, parseConnectionUrl, sql } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'
import { MIGRATIONS } from './migrations/index.ts'
import type { RandomBytes } from './random.ts'
import { makeCursorSecret } from './service-secrets.ts'

/** The control database could not be brought to this version, or it belongs to a newer one. */
export class MigrationProblem extends Error {
  override readonly name = 'MigrationProblem'
}

/** Applies the missing migrations and returns their names. Throws `MigrationProblem`. */
export async function migrate(options: { readonly url: string; readonly random: RandomBytes }): Promise<string[]> {
  const pool = new Pool(parseConnectionUrl(options.url), {
    connectionsMax: 1,
    applicationName: 'store-export migrate',
    preparedStatements: false,
  })
  try {
    await refuseNewer(pool)
    const applied = await applyAll(pool)
    await makeCursorSecret(pool, options.random)
    return applied
  } finally {
    await pool.close()
  }
}

/** Names of this version's migrations that the database lacks: `serve` refuses to start when there are any. */
export async function missingMigrations(database: ControlDatabase): Promise<string[]> {
  const applied = await appliedMigrations(database.pool)
  return Object.keys(MIGRATIONS).filter((name) => !applied.includes(name))
}

async function applyAll(pool: Pool): Promise<string[]> {
  // a service that serves only compares names, and does not load the migrator
  const { applyMigrations, isLockFailure } = await import('./apply-migrations.ts')
  const { error, results } = await applyMigrations(pool)
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName
    const where = failed === undefined ? '' : ` at ${failed}`
    const hint = isLockFailure(error)
      ? 'another session kept a table locked. Wait until it ends (for example pg_dump), then run migrate again'
      : 'this migration changed nothing'
    throw new MigrationProblem(`the control database could not be migrated${where}: ${hint}`, { cause: error })
  }
  return (results ?? []).map((result) => result.migrationName)
}

async function refuseNewer(pool: Pool): Promise<void> {
  const unknown = (await appliedMigrations(pool)).filter((name) => !Object.hasOwn(MIGRATIONS, name))
  if (unknown.length > 0) {
    throw new MigrationProblem(
      `the control database was made by a newer version (it has ${unknown.join(', ')}): use that version`,
    )
  }
}

async function appliedMigrations(pool: Pool): Promise<string[]> {
  const [table] = await pool.query(sql`select where to_regclass('kysely_migration') is not null`)
  if (table === undefined) return []
  const rows = await pool.query<{ name: string }>(sql`select name from kysely_migration order by name`)
  return rows.map((row) => row.name)
}
