// Brings a store database to a revision of its schema: reads the SQL files beside it and runs what is missing, in order.

import { readFileSync } from 'node:fs'
import { includesRevision, REVISIONS, type RevisionId } from '@store-export/contract'
import { type Connection, executeOn, inTransaction, sql } from '@store-export/postgres'
import { readerGrantsSql } from './reader-role.ts'
import { splitStatements } from './sql-text.ts'

/** Longest wait of one migration for a table, so that readers do not queue up behind it; then it is tried again. */
const LOCK_TIMEOUT = '2s'
const LOCK_TRIES_MAX = 10

/** Key of the advisory lock that keeps two upgrades of one store apart; any fixed number does. */
const UPGRADE_LOCK = 7_306_001

/** The statements of one revision's migration, in order, from its file; a test makes a half-migrated store of some. */
export function migrationStatements(revision: RevisionId): string[] {
  return splitStatements(readFileSync(new URL(`./${revision}.sql`, import.meta.url), 'utf8'))
}

/**
 * The revisions that were applied to bring the store to `toRevision`, oldest first; none if it was there. Each is one
 * transaction, recorded in `store_schema_revisions`, and grants what is new to `readerRole`: a table that exists and cannot
 * be read fails requests. `connection` must be that of the owner of the store's tables.
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

/** The table that records what was applied; two callers at once find one made. */
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
 * Runs `work` in a transaction; an advisory lock keeps other upgrades of this store out. Retries after a lock timeout.
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
      if (!isLockTimeout(error) || attempt === LOCK_TRIES_MAX) throw error
    }
  }
}

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

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}
