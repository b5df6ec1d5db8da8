// Forms carry a number that counts once: a page that is loaded again sends its form again, and makes nothing a second
// time.

import type { ControlDatabase } from './database.ts'

/** Whether this is the first time that the number comes. */
export async function isFirstSending(database: ControlDatabase, number: Buffer): Promise<boolean> {
  const sent = await database.sql`insert into sent_forms (number) values (${number}) on conflict do nothing`
  return sent.count === 1
}

/** Forgets numbers that came more than so many hours ago; returns how many. */
export async function forgetSentForms(database: ControlDatabase, hours: number): Promise<number> {
  const forgotten = await database.sql`
    delete from sent_forms where sent_at < clock_timestamp() - make_interval(hours => ${hours}::int)`
  return forgotten.count
}
