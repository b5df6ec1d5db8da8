// Walks that have not ended, as a PostgreSQL copy keeps them: written with each page, in its statement. Walks and marks are
// both in unlogged tables: a crash of the server takes both, and marks without their walk or the other way round would
// remove rows that were met.

import type { CopyTable } from '../../tables.ts'
import type { UnfinishedWalk } from '../copy.ts'
import { qualified, quoted } from './postgres-names.ts'
import type { PostgresSession } from './postgres-session.ts'

/** Where walks are kept. */
interface WalksPlace {
  readonly session: PostgresSession
  readonly schema: string
}

/** Walks that have not ended, by table; none where the copy was not opened since they are kept. */
export async function readWalks({ session, schema }: WalksPlace): Promise<Map<string, UnfinishedWalk>> {
  const at = qualified(schema, '_sync_walks')
  const [made] = await session.run('select to_regclass($1) is not null as here', [at])
  if (made?.here !== true) return new Map()
  const rows = await session.run(`select table_name, kept from ${at}`)
  return new Map(rows.map(({ table_name, kept }) => [String(table_name), JSON.parse(String(kept))]))
}

/** Part of a page's statement: keeps where the walk goes on, which is `walkValue` at that place of its values. */
export function walkPart(schema: string, place: number): string {
  return `kept as (insert into ${qualified(schema, '_sync_walks')} (table_name, kept, marks)
    select * from json_to_record($${place}::text::json) as given(table_name text, kept text, marks boolean)
    on conflict (table_name) do update set kept = excluded.kept, marks = excluded.marks)`
}

/** The value for `walkPart`. `marks`: whether the walk marks what it meets; null of one that is not of the whole list. */
export function walkValue(table: string, walk: UnfinishedWalk, marks: boolean | null): string {
  return JSON.stringify({ table_name: table, kept: JSON.stringify(walk), marks })
}

/** Forgets the walk of `table` that is kept, and all marks of it, in one statement. */
export async function forgetWalk({ session, schema }: WalksPlace, table: string): Promise<void> {
  await session.run(
    `with walk as (delete from ${qualified(schema, '_sync_walks')} where table_name = $1)
    delete from ${qualified(schema, '_sync_seen')} where table_name = $1`,
    [table],
  )
}

/** Forgets marks whose walk is not kept. */
export async function forgetLooseMarks({ session, schema }: WalksPlace): Promise<void> {
  await session.run(
    `delete from ${qualified(schema, '_sync_seen')}
    where table_name not in (select table_name from ${qualified(schema, '_sync_walks')})`,
  )
}

/** Marks rows of which a walk of the whole list brings the ids alone. */
export async function markMet({ session, schema }: WalksPlace, table: string, ids: readonly string[]): Promise<void> {
  await session.run(
    `insert into ${qualified(schema, '_sync_seen')} (table_name, id)
    select $1, value::uuid from jsonb_array_elements_text($2::text::jsonb) on conflict do nothing`,
    [table, JSON.stringify(ids)],
  )
}

/** Removes rows without a mark, with their children and what they own; how many rows that were. In the caller's transaction. */
export async function removeUnmet({ session, schema }: WalksPlace, table: CopyTable): Promise<number> {
  const at = qualified(schema, table.name)
  const isUnmet = `not exists
    (select from ${qualified(schema, '_sync_seen')} as seen where seen.table_name = $1 and seen.id = kept.id)`
  for (const { name, ownerColumn } of table.owned)
    await session.run(
      `delete from ${qualified(schema, name)} as owned using ${at} as kept
      where kept.id = owned.${quoted(ownerColumn)} and ${isUnmet}`,
      [table.name],
    )
  const { count } = await session.run(`delete from ${at} as kept where ${isUnmet}`, [table.name])
  for (const { name, parentColumn } of table.children)
    await session.run(
      `delete from ${qualified(schema, name)} as kept
      where not exists (select from ${at} as parent where parent.id = kept.${quoted(parentColumn)})`,
    )
  return count
}
