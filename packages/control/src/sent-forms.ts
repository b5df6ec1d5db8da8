// Forms carry a single-use token, so that a reload of a page does not repeat a change. The table stores a hash of each
// token.

import { sql } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'

/** Whether this is the first form with this token. */
export async function isFirstSending(database: ControlDatabase, tokenHash: Buffer): Promise<boolean> {
  const sent = await database.pool.execute(
    sql`insert into sent_forms (number) values (${tokenHash}) on conflict do nothing`,
  )
  return sent === 1
}

/** Deletes tokens older than this number of hours; returns how many. */
export async function forgetSentForms(database: ControlDatabase, hours: number): Promise<number> {
  return await database.pool.execute(sql`
    delete from sent_forms where sent_at < clock_timestamp() - make_interval(hours => ${hours}::int)`)
}
