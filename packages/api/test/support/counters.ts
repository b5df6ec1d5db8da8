// Changes and reads the request counters of keys, so that no test depends on the end of a minute. A distributed control
// database has them in another table.

import { inject } from 'vitest'
import type { TestPlatform } from '../../../../test/support/platform.ts'

const MORE_THAN_ANY_LIMIT = 1_000_000
/** The current minute, as the table `admissions` counts it. */
const MINUTE = 'floor(extract(epoch from clock_timestamp()) / 60)::bigint'

/** Makes the control database count 1,000,000 requests in this minute and the next. */
export async function exhaustKey({ controlSql }: TestPlatform, keyId: string): Promise<void> {
  if (inject('citusWorkers') !== undefined) {
    const [now] = await controlSql.unsafe(`select ${MINUTE} as minute`)
    await controlSql`
      update admissions set minute = ${now?.minute} + 1, requests = ${MORE_THAN_ANY_LIMIT} where key_id = ${keyId}`
    return
  }
  const name = `spend_${keyId.replaceAll('-', '')}`
  await controlSql.unsafe(`
    create function ${name}() returns trigger language plpgsql as $$
      begin
        new.requests := ${MORE_THAN_ANY_LIMIT};
        return new;
      end $$;
    create trigger ${name} before insert or update on request_counters
      for each row when (new.key_id = '${keyId}') execute function ${name}();`)
}

/** Moves all counters into the previous minute, because a test can't change the clock of the database. */
export async function endMinute({ controlSql }: TestPlatform): Promise<void> {
  if (inject('citusWorkers') !== undefined) await controlSql`update admissions set minute = minute - 1`
  else await controlSql`update request_counters set minute = minute - interval '1 minute'`
}

/** Returns the number of requests of the key with the most requests in its minute. */
export async function requestsCounted({ controlSql }: TestPlatform): Promise<number> {
  const table = controlSql(inject('citusWorkers') === undefined ? 'request_counters' : 'admissions')
  const [row] = await controlSql`select max(requests) as requests from ${table}`
  return Number(row?.requests)
}
