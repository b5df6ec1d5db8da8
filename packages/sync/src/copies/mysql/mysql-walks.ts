// Lets a run resume after it was killed. Each page saves the unfinished walk and its marks in the transaction of its
// rows, so the saved position never differs from the written rows. At its end, a full walk that marks rows removes the
// rows without a mark. Marks have IDs in lower case, as the tables do, because their collation distinguishes case.

import type { CopyTable } from '../../tables.ts'
import type { UnfinishedWalk } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import type { MySqlSession } from './mysql-session.ts'

/** Returns the unfinished walks by table. Throws if the database has no table of walks. */
export async function readWalks(session: MySqlSession): Promise<Map<string, UnfinishedWalk>> {
  const { rows } = await session.run('select table_name as name, progress from _sync_unfinished')
  return new Map(rows.map(({ name, progress }) => [String(name), JSON.parse(String(progress))]))
}

/**
 * Saves an unfinished walk. `marks` is true if a full walk marks the rows that it sees, and false if it started with
 * empty tables; null for other walks.
 */
export async function saveWalk(
  session: MySqlSession,
  table: string,
  walk: UnfinishedWalk,
  marks: boolean | null,
): Promise<void> {
  await session.run('replace into _sync_unfinished (table_name, progress, marks) values (?, ?, ?)', [
    table,
    JSON.stringify(walk),
    marks === null ? null : Number(marks),
  ])
}

/**
 * Whether a full walk must mark the rows that it sees. A walk that started with empty tables needs no marks, because
 * they contain only rows of this walk. A resumed walk continues as it started.
 */
export async function needsMarks(session: MySqlSession, { name, children }: CopyTable): Promise<boolean> {
  const hasRows = [name, ...children.map((child) => child.name)].map(
    (each) => `exists (select 1 from ${quoteIdentifier(each)})`,
  )
  const { rows } = await session.run(
    `select coalesce((select marks from _sync_unfinished where table_name = ?), ${hasRows.join(' or ')}) as marks`,
    [name],
  )
  return Number(rows[0]?.marks) === 1
}

/** Marks rows that a full walk has seen. */
export async function markWalkSeen(session: MySqlSession, table: string, ids: readonly string[]): Promise<void> {
  await session.run('insert ignore into _sync_seen (table_name, id) values ?', [
    ids.map((id) => [table, id.toLowerCase()]),
  ])
}

/** Deletes the saved progress of a table's walk, and the marks of its rows. */
export async function deleteWalk(session: MySqlSession, table: string): Promise<void> {
  await session.run('delete from _sync_unfinished where table_name = ?', [table])
  await session.run('delete from _sync_seen where table_name = ?', [table])
}

/** Deletes the marks of tables without an unfinished walk. */
export async function deleteOrphanMarks(session: MySqlSession): Promise<void> {
  await session.run('delete from _sync_seen where table_name not in (select table_name from _sync_unfinished)')
}

/**
 * Removes rows without a mark, and their owned rows (such as the addresses of a customer). Then removes all embedded
 * rows without a parent (such as the items of a removed order). Returns the number of removed rows, without embedded
 * and owned rows. The caller provides the transaction.
 *
 * Call it only if `needsMarks` was true when the walk started. After another walk, which has no marks, it would remove
 * all rows.
 */
export async function removeUnseen(session: MySqlSession, table: CopyTable): Promise<number> {
  const at = quoteIdentifier(table.name)
  const isUnseen = 'id not in (select id from _sync_seen where table_name = ?)'
  // Owned rows come first, because they are found by their owners.
  for (const { name, ownerColumn } of table.owned)
    await session.run(
      `delete from ${quoteIdentifier(name)}
      where ${quoteIdentifier(ownerColumn)} in (select id from ${at} where ${isUnseen})`,
      [table.name],
    )
  const { changed } = await session.run(`delete from ${at} where ${isUnseen}`, [table.name])
  for (const child of table.children) {
    const name = quoteIdentifier(child.name)
    await session.run(
      `delete from ${name} where not exists
        (select 1 from ${at} as parent where parent.id = ${name}.${quoteIdentifier(child.parentColumn)})`,
    )
  }
  return changed
}
