// Upgrades a store database to a schema version. Runs the missing SQL files of this folder in order.

import { readFileSync } from 'node:fs'
import { includesRevision, REVISIONS, type RevisionId } from '@store-export/contract'
import { type Connection, executeOn, inTransaction, PostgresError, sql } from '@store-export/postgres'
import { readerGrantsSql } from './reader-role.ts'
import { splitStatements } from './sql-text.ts'

/**
 * Maximum wait of a migration for a table lock, because new reads of the table queue behind it. The migration then
 * tries again.
 */
const LOCK_TIMEOUT = '2s'
const LOCK_TRIES_MAX = 10

/** Key of the advisory lock for upgrades of a store. */
const UPGRADE_LOCK = 7_306_001

/** Returns the statements of the migration to a schema version. */
export function migrationStatements(revision: RevisionId): string[] {
  return splitStatements(readFileSync(new URL(`./${revision}.sql`, import.meta.url), 'utf8'))
}

/**
 * Applies the missing migrations up to `toRevision` and returns them, oldest first. Each migration runs in one
 * transaction and is recorded in `store_schema_revisions`. If one fails, the earlier ones stay applied. Lets
 * `readerRole` read the new columns, because requests for an unreadable table fail; null grants nothing. `connection`
 * must be a session of the owner of the store's tables.
 */
export async function migrateStore(
  connection: Connection,
  toRevision: RevisionId,
  readerRole: string | null = null,
): Promise<RevisionId[]> {
  await prepareRecord(connection)
  const applied: RevisionId[] = []
  for (const { id } of REVISIONS) {
    if (includesRevision(toRevision, id) && (await applyWhenMissing(connection, id, readerRole))) applied.push(id)
  }
  return applied
}

/**
 * Creates the table of applied migrations. `create table if not exists` can fail if two sessions run it at once, so it
 * needs the lock.
 */
async function prepareRecord(connection: Connection): Promise<void> {
  await inTransaction(connection, async () => {
    await executeOn(connection, sql`select pg_advisory_xact_lock(${UPGRADE_LOCK})`)
    await connection.script(
      'create table if not exists public.store_schema_revisions (revision text primary key, applied_at timestamptz not null default now())',
    )
  })
}

function applyWhenMissing(connection: Connection, revision: RevisionId, readerRole: string | null): Promise<boolean> {
  return inUpgradeTransaction(connection, () => applyOnce(connection, revision, readerRole))
}

/**
 * Runs `work` in a transaction under the lock for upgrades of this store. Waits for another upgrade without a limit. If
 * `work` waits for a table lock for 2 s, or if the server cancels it to end a deadlock, rolls back and tries again. So
 * `work` must change nothing outside of the transaction. Rejects with the tenth of these errors, and with other errors
 * of `work`.
 */
export async function inUpgradeTransaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(connection, async () => {
        await executeOn(connection, sql`select pg_advisory_xact_lock(${UPGRADE_LOCK})`)
        await connection.script(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
        return await work()
      })
    } catch (error) {
      if (!isLockFailure(error) || attempt === LOCK_TRIES_MAX) throw error
    }
  }
}

/** Applies a migration, records it, and grants its columns. Returns false if it is already recorded. */
async function applyOnce(connection: Connection, revision: RevisionId, readerRole: string | null): Promise<boolean> {
  const recorded = await executeOn(
    connection,
    sql`insert into public.store_schema_revisions (revision) values (${revision}) on conflict do nothing`,
  )
  if (recorded === 0) return false
  await connection.script(migrationStatements(revision).join(';\n'))
  if (readerRole !== null) await connection.script(readerGrantsSql({ role: readerRole, revision }))
  return true
}

/** Whether this is the error `lock_not_available` or `deadlock_detected`. */
function isLockFailure(error: unknown): boolean {
  return error instanceof PostgresError && ['55P03', '40P01'].includes(error.code)
}
