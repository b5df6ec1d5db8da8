// What a store's own record says of its schema. Only databases that we made have one; a platform's own has none.

import { includesRevision, REVISIONS, type RevisionId } from '@store-export/contract'
import { type Connection, identifier, queryRows, sql } from '@store-export/postgres'
import { UserError } from '../user-error.ts'

/** The table, in schema public, that records which migrations were applied. */
const RECORD_TABLE = 'store_schema_revisions'

/** The revision of a database that `stores provision` made; null for any other. */
export async function recordedRevision(connection: Connection): Promise<RevisionId | null> {
  return (await hasRecord(connection)) ? ((await newestRecorded(connection)) ?? null) : null
}

/** Throws a sentence when our migrations are not for this store, or have already brought it beyond `to`. */
export async function requireUpgradable(connection: Connection, to: RevisionId): Promise<void> {
  if (!(await hasRecord(connection))) {
    throw new UserError(
      'this database was not made by "store-export stores provision": the platform migrates its schema itself, new ' +
        'columns are served as soon as the reader may select them, and "store-export stores grants" prints the grants',
    )
  }
  const recorded = await newestRecorded(connection)
  if (recorded !== undefined && !includesRevision(to, recorded)) {
    throw new UserError(
      `this store is at ${recorded} and cannot go back to ${to}: give --to ${recorded} or a newer one`,
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

/** The newest recorded revision; undefined when a first migration was interrupted. */
async function newestRecorded(connection: Connection): Promise<RevisionId | undefined> {
  const rows = await queryRows<{ revision: string }>(
    connection,
    sql`select revision from public.${identifier(RECORD_TABLE)}`,
  )
  return REVISIONS.findLast(({ id }) => rows.some(({ revision }) => revision === id))?.id
}
