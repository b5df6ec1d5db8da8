// Prevents a reload or a double click from repeating a change in the dashboard. Each form contains a single-use token,
// and the table stores a hash of each used token.

import { sql } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'

/** Marks a form token as used. Returns whether it was unused. */
export async function consumeFormToken(database: ControlDatabase, tokenHash: Buffer): Promise<boolean> {
  const inserted = await database.pool.execute(
    sql`insert into used_form_tokens (token_hash) values (${tokenHash}) on conflict do nothing`,
  )
  return inserted === 1
}

/** Deletes the tokens that were used more than `hours` hours ago. Returns the number of deleted tokens. */
export async function deleteFormTokens(database: ControlDatabase, hours: number): Promise<number> {
  return await database.pool.execute(sql`
    delete from used_form_tokens where used_at < clock_timestamp() - make_interval(hours => ${hours}::int)`)
}
