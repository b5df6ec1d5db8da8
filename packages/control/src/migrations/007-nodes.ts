// The running nodes, and the secrets that each of them holds.

import { type Kysely, sql } from 'kysely'

/** Creates the table; runs in the migrator's transaction. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table nodes (
        id uuid primary key,
        name text not null,
        secrets text[] not null,
        started_at timestamptz not null default clock_timestamp(),
        seen_at timestamptz not null default clock_timestamp()
      )`,
    )
    .execute(database)
}
