// What a store's own record says of its schema. Only databases that we made have one; a platform's own has none.

import { includesRevision, REVISIONS, type RevisionId } from '@store-export/contract'
import type { Sql } from 'postgres'
import { Problem } from '../problem.ts'

/** The table, in schema public, that records which migrations were applied. */
const RECORD_TABLE = 'store_schema_revisions'

/** The revision of a database that `stores provision` made; null for any other. */
export async function recordedRevision(sql: Sql): Promise<RevisionId | null> {
  return (await hasRecord(sql)) ? ((await newestRecorded(sql)) ?? null) : null
}

/** Throws a sentence when our migrations are not for this store, or have already brought it beyond `to`. */
export async function requireUpgradable(sql: Sql, to: RevisionId): Promise<void> {
  if (!(await hasRecord(sql))) {
    throw new Problem(
      'this database was not made by "store-export stores provision": the platform migrates its schema itself, new ' +
        'columns are served as soon as the reader may select them, and "store-export stores grants" prints the grants',
    )
  }
  const recorded = await newestRecorded(sql)
  if (recorded !== undefined && !includesRevision(to, recorded)) {
    throw new Problem(`this store is at ${recorded} and cannot go back to ${to}: give --to ${recorded} or a newer one`)
  }
}

async function hasRecord(sql: Sql): Promise<boolean> {
  const found = await sql`
    select from pg_catalog.pg_tables where schemaname = 'public' and tablename = ${RECORD_TABLE}`
  return found.length > 0
}

/** The newest recorded revision; undefined when a first migration was interrupted. */
async function newestRecorded(sql: Sql): Promise<RevisionId | undefined> {
  const rows = await sql<{ revision: string }[]>`select revision from public.${sql(RECORD_TABLE)}`
  return REVISIONS.findLast(({ id }) => rows.some(({ revision }) => revision === id))?.id
}
