// Saves unfinished walks and their marks in a PostgreSQL copy. The statement that writes a page also saves both. Both
// tables are unlogged, so that a server crash empties both. If only the marks were lost, a resumed walk would remove
// rows that it has seen.

import type { CopyTable } from '../../tables.ts'
import type { UnfinishedWalk } from '../copy.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { qualifiedName } from './qualified-name.ts'
import type { SchemaConnection } from './schema-connection.ts'

/** Returns the unfinished walks by table; none in a copy of an older version, which has no table of walks. */
export async function readWalks({ session, schema }: SchemaConnection): Promise<Map<string, UnfinishedWalk>> {
  const at = qualifiedName(schema, '_sync_unfinished')
  const [made] = await session.run('select to_regclass($1) is not null as here', [at])
  if (made?.here !== true) return new Map()
  const rows = await session.run(`select table_name, progress from ${at}`)
  return new Map(rows.map(({ table_name, progress }) => [String(table_name), JSON.parse(String(progress))]))
}

/**
 * Returns the common table expression of a page statement that saves the walk. `parameter` is the number of the
 * `savedWalkValue`.
 */
export function saveWalkPart(schema: string, parameter: number): string {
  return `saved as (insert into ${qualifiedName(schema, '_sync_unfinished')} (table_name, progress, marks)
    select * from json_to_record($${parameter}::text::json) as given(table_name text, progress text, marks boolean)
    on conflict (table_name) do update set progress = excluded.progress, marks = excluded.marks)`
}

/**
 * Returns the parameter of `saveWalkPart`. `marks` is true if a full walk marks the rows that it sees, and false if it
 * started with empty tables; null for other walks.
 */
export function savedWalkValue(table: string, walk: UnfinishedWalk, marks: boolean | null): string {
  return JSON.stringify({ table_name: table, progress: JSON.stringify(walk), marks })
}

/** Deletes the unfinished walk of a table and its marks in one statement. */
export async function deleteWalk({ session, schema }: SchemaConnection, table: string): Promise<void> {
  await session.run(
    `with deleted as (delete from ${qualifiedName(schema, '_sync_unfinished')} where table_name = $1)
    delete from ${qualifiedName(schema, '_sync_seen')} where table_name = $1`,
    [table],
  )
}

/** Deletes the marks of tables without an unfinished walk. */
export async function deleteOrphanMarks({ session, schema }: SchemaConnection): Promise<void> {
  await session.run(
    `delete from ${qualifiedName(schema, '_sync_seen')}
    where table_name not in (select table_name from ${qualifiedName(schema, '_sync_unfinished')})`,
  )
}

/** Marks rows that a full walk of IDs has seen. */
export async function markWalkSeen(
  { session, schema }: SchemaConnection,
  table: string,
  ids: readonly string[],
): Promise<void> {
  await session.run(
    `insert into ${qualifiedName(schema, '_sync_seen')} (table_name, id)
    select $1, value::uuid from jsonb_array_elements_text($2::text::jsonb) on conflict do nothing`,
    [table, JSON.stringify(ids)],
  )
}

/**
 * Removes rows without a mark, with their owned rows, and then all embedded rows without a parent. The caller provides
 * the transaction. Returns the number of removed rows, without embedded and owned rows. Call it only after a walk that
 * marked its rows. After other walks, it would remove all rows.
 */
export async function removeUnseen({ session, schema }: SchemaConnection, table: CopyTable): Promise<number> {
  const at = qualifiedName(schema, table.name)
  const isUnseen = `not exists
    (select from ${qualifiedName(schema, '_sync_seen')} as seen where seen.table_name = $1 and seen.id = stored.id)`
  // Owned rows come first, because they are found by their owners.
  for (const { name, ownerColumn } of table.owned)
    await session.run(
      `delete from ${qualifiedName(schema, name)} as owned using ${at} as stored
      where stored.id = owned.${quoteIdentifier(ownerColumn)} and ${isUnseen}`,
      [table.name],
    )
  const { count } = await session.run(`delete from ${at} as stored where ${isUnseen}`, [table.name])
  for (const { name, parentColumn } of table.children)
    await session.run(
      `delete from ${qualifiedName(schema, name)} as stored
      where not exists (select from ${at} as parent where parent.id = stored.${quoteIdentifier(parentColumn)})`,
    )
  return count
}
