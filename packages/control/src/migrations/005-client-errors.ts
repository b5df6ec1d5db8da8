// Counts client errors (400, 404 and the like) apart from requests that returned data.

import { type Kysely, sql } from 'kysely'

/** Adds the column; runs in the migrator's transaction. Client errors of earlier hours stay among the answered requests. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table usage_hours add column client_errors bigint not null default 0').execute(database)
}
