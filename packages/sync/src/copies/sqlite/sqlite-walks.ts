// Walks that have not ended, as a SQLite copy keeps them: written with each page, so that they are never ahead of its rows
// nor behind. Marks of a walk are of use only where the walk is kept, and go with it.

import type { StatementSync } from 'node:sqlite'
import type { UnfinishedWalk } from '../copy.ts'

/** Gives the prepared form of a statement. */
export type Prepare = (text: string) => StatementSync

/** Statements that make the tables. */
export const WALK_TABLES = `
create table if not exists _sync_seen (table_name text, id text, primary key (table_name, id)) strict, without rowid;
create table if not exists _sync_walks (table_name text primary key, kept text not null, marks integer) strict`

/** Walks that have not ended, by table. */
export function readWalks(prepare: Prepare): Map<string, UnfinishedWalk> {
  const rows = prepare('select table_name, kept from _sync_walks').all()
  return new Map(rows.map((row) => [String(row.table_name), JSON.parse(String(row.kept))]))
}

/** Keeps where a walk goes on. `marks`: whether it marks what it meets; null of one that is not of the whole list. */
export function keepWalk(prepare: Prepare, table: string, walk: UnfinishedWalk, marks: boolean | null): void {
  prepare('insert or replace into _sync_walks (table_name, kept, marks) values (?, ?, ?)').run(
    table,
    JSON.stringify(walk),
    marks === null ? null : Number(marks),
  )
}

/** Whether the walk that is kept of `table` marks what it meets; null where none of the whole list is. */
export function keptMarks(prepare: Prepare, table: string): boolean | null {
  const marks = prepare('select marks from _sync_walks where table_name = ?').get(table)?.marks
  return typeof marks === 'number' ? marks === 1 : null
}

/** Forgets the walk of `table` that is kept, and all marks of it. */
export function forgetWalk(prepare: Prepare, table: string): void {
  prepare('delete from _sync_walks where table_name = ?').run(table)
  prepare('delete from _sync_seen where table_name = ?').run(table)
}

/** Forgets marks whose walk is not kept. */
export function forgetLooseMarks(prepare: Prepare): void {
  prepare('delete from _sync_seen where table_name not in (select table_name from _sync_walks)').run()
}
