// Detects tables that a migration rewrote between the snapshot and the locks of a transaction. PostgreSQL shows such a
// table as empty to that transaction, and a client would believe that all rows were deleted.

import type { Resource } from '@store-export/contract'
import type { Statement } from '@store-export/postgres'
import { textLiteral } from './literal.ts'
import { type PresentColumns, READS_OTHER_TABLES } from './present-columns.ts'
import { tableName } from './select-list.ts'

/**
 * Returns the statement that checks whether a table was rewritten after the snapshot of the transaction and before its
 * lock. Run it after the statements that lock the tables. It returns one boolean, true after a rewrite. The rows that
 * were read are wrong then (R28 in docs/spec/readings.md).
 *
 * The statement compares the table's file in the snapshot with the current file. With `readsOtherTables`, it compares
 * the files of all relations that the transaction has locked.
 */
export function rewriteCheckStatement(
  tables: readonly Resource[],
  present: PresentColumns,
  { readsOtherTables, prepares }: { readonly readsOtherTables: boolean; readonly prepares: boolean },
): Statement {
  return {
    text: readsOtherTables ? LOCKED_REWRITE_CHECK : ownRewriteCheck(tables, present),
    values: [],
    prepared: prepares,
  }
}

/**
 * Returns a statement whose result is also true in two other cases, after which the service reads the columns again:
 * - The snapshot doesn't contain a table.
 * - A table reads other tables now, but didn't when the columns were read.
 */
function ownRewriteCheck(tables: readonly Resource[], present: PresentColumns): string {
  const oids = tables.map((table) => `${textLiteral(tableName(table, present))}::pg_catalog.regclass`).join(', ')
  return `select pg_catalog.count(*) <> ${tables.length} or pg_catalog.bool_or(${READS_OTHER_TABLES}
      or c.relfilenode <> pg_catalog.pg_relation_filenode(c.oid))
    from pg_catalog.pg_class c where c.oid in (${oids})`
}

/**
 * Checks all relations that the transaction has locked. A relation that the snapshot doesn't contain also counts as
 * rewritten. A relation with file 0 doesn't: it is a view, a partitioned table, or a basic catalog of PostgreSQL.
 */
const LOCKED_REWRITE_CHECK = `select coalesce(pg_catalog.bool_or(s.oid is null
      or s.relfilenode <> 0 and s.relfilenode <> pg_catalog.pg_relation_filenode(l.relation)), false)
    from pg_catalog.pg_lock_status() l left join pg_catalog.pg_class s on s.oid = l.relation
    where l.locktype = 'relation' and l.pid = pg_catalog.pg_backend_pid()`
