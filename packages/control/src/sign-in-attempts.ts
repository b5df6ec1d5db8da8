// Holds guesses at the sign-in: ten in a window, for an account and for an address alike, on all nodes. A window that was
// used up and is tried again soon is followed by a longer one.

import { createHash } from 'node:crypto'
import { sql } from '@store-export/postgres'
import { type ControlDatabase, queryOne } from './database.ts'

/** Guesses in one window. */
const ATTEMPTS_MAX = 10

const WINDOW_SECONDS = 60
/** The longest window is sixteen times the first. */
const LEVEL_MAX = 4
/** No window ends later than this many seconds from now: the longest window, and a minute for concurrent statements. */
const WINDOW_SECONDS_MAX = WINDOW_SECONDS * 2 ** LEVEL_MAX + 60
/** Who stays away for so long starts with the first window again. */
const FORGIVEN_SECONDS = 1800

/** Whether an attempt may be made; else how many whole seconds until the next may. */
export type AttemptVerdict = { readonly allowed: true } | { readonly allowed: false; readonly waitSeconds: number }

/**
 * Counts an attempt for each scope, such as `account a@b.example` and `address 192.0.2.1`, before it is made. `at` stands
 * for the control database's clock, for tests only.
 */
export async function countAttempt(
  database: ControlDatabase,
  scopes: readonly string[],
  at: Date | null = null,
): Promise<AttemptVerdict> {
  const hashes = scopes.map(hashOf).toSorted()
  const { pool } = database
  // A window with an impossibly late end was opened while the clock ran ahead: it counts as ended.
  const isOpen = sql`a.window_ends_at > (select instant from clock) and a.window_ends_at <= (select latest_end from clock)`
  const row = await queryOne<{ attempts: number; wait: number }>(
    pool,
    sql`
    with clock as materialized (
      select instant, instant + make_interval(secs => ${WINDOW_SECONDS_MAX}::int) as latest_end
      from coalesce(${at}::timestamptz, clock_timestamp()) as instant
    ), counted as (
      insert into sign_in_attempts as a (scope, window_ends_at, attempts, level)
      select decode(h, 'hex'), instant + make_interval(secs => ${WINDOW_SECONDS}::int), 1, 0
      from unnest(${hashes}::text[]) as h, clock order by h
      on conflict (scope) do update set
        attempts = case when ${isOpen} then a.attempts + 1 else 1 end,
        level = case
          when ${isOpen} then a.level
          when a.attempts > ${ATTEMPTS_MAX}::int
            and a.window_ends_at > (select instant from clock) - make_interval(secs => ${FORGIVEN_SECONDS}::int)
            then least(a.level + 1, ${LEVEL_MAX}::int)
          else 0 end,
        window_ends_at = case
          when ${isOpen} then a.window_ends_at
          when a.attempts > ${ATTEMPTS_MAX}::int
            and a.window_ends_at > (select instant from clock) - make_interval(secs => ${FORGIVEN_SECONDS}::int)
            then (select instant from clock)
              + make_interval(secs => ${WINDOW_SECONDS}::int * (2 ^ least(a.level + 1, ${LEVEL_MAX}::int))::int)
          else (select instant from clock) + make_interval(secs => ${WINDOW_SECONDS}::int) end
      returning attempts, window_ends_at
    )
    select max(attempts) as attempts,
      coalesce(max(ceil(extract(epoch from window_ends_at - instant)))
        filter (where attempts > ${ATTEMPTS_MAX}::int), 0)::int as wait
    from counted, clock`,
  )
  return row.attempts > ATTEMPTS_MAX ? { allowed: false, waitSeconds: Math.max(1, row.wait) } : { allowed: true }
}

/** Takes the attempt back, since it was no guess: it succeeded. */
export async function forgiveAttempt(database: ControlDatabase, scopes: readonly string[]): Promise<void> {
  const hashes = scopes.map(hashOf).toSorted()
  await database.pool.execute(sql`
    update sign_in_attempts set attempts = greatest(0, attempts - 1)
    where scope in (
      select scope from sign_in_attempts where scope in (select decode(h, 'hex') from unnest(${hashes}::text[]) as h)
      order by scope for update)`)
}

/** Forgets windows that ended long ago; returns how many. */
export async function forgetAttempts(database: ControlDatabase): Promise<number> {
  return await database.pool.execute(sql`
    delete from sign_in_attempts
    where window_ends_at < clock_timestamp() - make_interval(secs => ${FORGIVEN_SECONDS}::int)`)
}

/** A scope holds what somebody typed: of any length, and not ours to keep. */
function hashOf(scope: string): string {
  return createHash('sha256').update(scope).digest('hex')
}
