// Lets the daily deletion of old request log lines find them without reading the whole table.

import { type Kysely, sql } from 'kysely'

/** Creates the index; runs in the migrator's transaction. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw('create index request_log_minute on request_log (minute)').execute(database)
}
