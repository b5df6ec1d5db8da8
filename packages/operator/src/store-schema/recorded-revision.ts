// Reads the schema version that `stores provision` recorded in a store database. A platform's own database has no
// record.

import { includesRevision, REVISIONS, type RevisionId } from '@store-export/contract'
import { type Connection, identifier, queryRows, sql } from '@store-export/postgres'
import { UserError } from '../user-error.ts'

/** The table in the schema public that records the applied migrations. */
const RECORD_TABLE = 'store_schema_revisions'

/**
 * Returns the newest recorded version that this program knows, for a database that `stores provision` created. Null for
 * any other database, and if the first migration was interrupted.
 */
export async function recordedRevision(connection: Connection): Promise<RevisionId | null> {
  return (await hasRecord(connection)) ? ((await newestRecorded(connection)) ?? null) : null
}

/**
 * Rejects with `UserError` for a platform's own database, and for a store at a newer schema version than `to`. Accepts
 * a store whose first migration was interrupted, so that it can run again. Ignores recorded versions that this program
 * doesn't know, such as those of a newer program.
 */
export async function requireUpgradable(connection: Connection, to: RevisionId): Promise<void> {
  if (!(await hasRecord(connection))) {
    throw new UserError(
      '"store-export stores provision" did not create this database; migrate it yourself, then run "store-export stores ' +
        'grants" for the grants. The API returns a new column as soon as the reader can select it',
    )
  }
  const recorded = await newestRecorded(connection)
  if (recorded !== undefined && !includesRevision(to, recorded)) {
    throw new UserError(
      `this store is at ${recorded} and cannot go back to ${to}; use --to ${recorded} or a newer version`,
    )
  }
}

async function hasRecord(connection: Connection): Promise<boolean> {
  const found = await queryRows(
    connection,
    sql`select from pg_catalog.pg_tables where schemaname = 'public' and tablename = ${RECORD_TABLE}`,
  )
  return found.length > 0
}

/**
 * Returns the newest recorded version that this program knows; undefined if the first migration was interrupted, so
 * that the table is empty.
 */
async function newestRecorded(connection: Connection): Promise<RevisionId | undefined> {
  const rows = await queryRows<{ revision: string }>(
    connection,
    sql`select revision from public.${identifier(RECORD_TABLE)}`,
  )
  return REVISIONS.findLast(({ id }) => rows.some(({ revision }) => revision === id))?.id
}
