// Keeps the counters of the minute through a crash of the database; see docs/decisions/038-counts-survive-a-crash.md.

import { type Kysely, sql } from 'kysely'

/** Changes the table; runs in the migrator's transaction. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table request_counters set logged').execute(database)
}
