// The platform's own ID of a store. Removing a store frees its external ID.

import { type Kysely, sql } from 'kysely'

/** Adds the column; runs in the migrator's transaction. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table stores add column external_id text').execute(database)
  await sql
    .raw('create unique index stores_external_id on stores (external_id) where removed_at is null')
    .execute(database)
}
