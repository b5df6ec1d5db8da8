// Forms carry a single-use token, so that a reload of a page does not repeat a change. The table stores a hash of each
// token.

import type { ControlDatabase } from './database.ts'

/** Whether this is the first form with this token. */
export async function isFirstSending(database: ControlDatabase, tokenHash: Buffer): Promise<boolean> {
  const sent = await database.sql`insert into sent_forms (number) values (${tokenHash}) on conflict do nothing`
  return sent.count === 1
}

/** Deletes tokens older than this number of hours; returns how many. */
export async function forgetSentForms(database: ControlDatabase, hours: number): Promise<number> {
  const forgotten = await database.sql`
    delete from sent_forms where sent_at < clock_timestamp() - make_interval(hours => ${hours}::int)`
  return forgotten.count
}
