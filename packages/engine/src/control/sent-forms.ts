// Forms carry a token that counts once: a page that is loaded again sends its form again, and changes nothing a second
// time. The table keeps a hash of each token.

import type { ControlDatabase } from './database.ts'

/** Whether this is the first time that a form with this token comes. */
export async function isFirstSending(database: ControlDatabase, tokenHash: Buffer): Promise<boolean> {
  const sent = await database.sql`insert into sent_forms (number) values (${tokenHash}) on conflict do nothing`
  return sent.count === 1
}

/** Forgets tokens that came more than so many hours ago; returns how many. */
export async function forgetSentForms(database: ControlDatabase, hours: number): Promise<number> {
  const forgotten = await database.sql`
    delete from sent_forms where sent_at < clock_timestamp() - make_interval(hours => ${hours}::int)`
  return forgotten.count
}
