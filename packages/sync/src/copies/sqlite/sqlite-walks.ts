// Stores unfinished walks in a SQLite copy, and deletes their marks: the IDs of rows that a full walk has seen.
// sqlite-writer.ts saves the marks. The copy saves a walk in the same transaction as the rows of its page. Marks are
// useless without their walk, so they are deleted with it.

import type { StatementSync } from 'node:sqlite'
import type { UnfinishedWalk } from '../copy.ts'

/** Prepares a statement, or returns it from a cache. */
export type Prepare = (text: string) => StatementSync

/** Statements that create the tables of walks and marks. */
export const WALK_TABLES = `
create table if not exists _sync_seen (table_name text, id text, primary key (table_name, id)) strict, without rowid;
create table if not exists _sync_unfinished (table_name text primary key, progress text not null, marks integer) strict`

/** Returns the unfinished walks by table. Throws if the file has no table of walks. */
export function readWalks(prepare: Prepare): Map<string, UnfinishedWalk> {
  const rows = prepare('select table_name, progress from _sync_unfinished').all()
  return new Map(rows.map((row) => [String(row.table_name), JSON.parse(String(row.progress))]))
}

/**
 * Saves an unfinished walk. `marks` is true if a full walk marks the rows that it sees, and false if it started with
 * empty tables; null for other walks.
 */
export function saveWalk(prepare: Prepare, table: string, walk: UnfinishedWalk, marks: boolean | null): void {
  prepare('insert or replace into _sync_unfinished (table_name, progress, marks) values (?, ?, ?)').run(
    table,
    JSON.stringify(walk),
    marks === null ? null : Number(marks),
  )
}

/** Whether the unfinished full walk of a table marks the rows that it sees; null without an unfinished full walk. */
export function readWalkMarks(prepare: Prepare, table: string): boolean | null {
  const marks = prepare('select marks from _sync_unfinished where table_name = ?').get(table)?.marks
  return typeof marks === 'number' ? marks === 1 : null
}

/** Deletes the unfinished walk of a table and its marks. */
export function deleteWalk(prepare: Prepare, table: string): void {
  prepare('delete from _sync_unfinished where table_name = ?').run(table)
  prepare('delete from _sync_seen where table_name = ?').run(table)
}

/** Deletes the marks of tables without an unfinished walk. */
export function deleteOrphanMarks(prepare: Prepare): void {
  prepare('delete from _sync_seen where table_name not in (select table_name from _sync_unfinished)').run()
}
