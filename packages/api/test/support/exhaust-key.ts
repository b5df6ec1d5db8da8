// Raises a key above its rate limit in every minute, so that no test depends on the end of a minute.

import type { TestPlatform } from '../../../../test/support/platform.ts'

const MORE_THAN_ANY_LIMIT = 1_000_000

/** Makes the control database count 1,000,000 requests in each minute in which the key sends one. */
export async function exhaustKey({ controlSql }: TestPlatform, keyId: string): Promise<void> {
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
