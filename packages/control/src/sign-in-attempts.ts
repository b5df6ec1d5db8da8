// Slows down the guessing of passwords on all nodes. Each account and each client address may make ten attempts in a
// window. Successful attempts don't count. A window starts with the first attempt after the previous window ended:
//
// - If the previous window had more than ten attempts and ended in the last half hour, the new window is twice as long.
//   The longest window lasts 16 minutes.
// - Otherwise, the new window lasts a minute.

import { createHash } from 'node:crypto'
import { sql } from '@store-export/postgres'
import { type ControlDatabase, queryOne } from './database.ts'

/** Maximum number of attempts in one window. */
const ATTEMPTS_MAX = 10

const WINDOW_SECONDS = 60
/** Maximum number of doublings. The longest window is sixteen times the first. */
const LEVEL_MAX = 4
/** Maximum time from now to the end of a window: the longest window, and a minute for concurrent statements. */
const WINDOW_SECONDS_MAX = WINDOW_SECONDS * 2 ** LEVEL_MAX + 60
/** Seconds from the end of a window with too many attempts until the next window is the shortest again. */
const FORGIVEN_SECONDS = 1800

/**
 * The result of counting an attempt. If the attempt is not allowed, `waitSeconds` is the time until the next one, in
 * whole seconds, at least 1.
 */
export type AttemptVerdict = { readonly allowed: true } | { readonly allowed: false; readonly waitSeconds: number }

/**
 * Counts an attempt to sign in for each scope, and returns whether it is allowed: at most ten attempts of each scope in
 * its window. Call it before the attempt. A scope is a string such as `account a@b.example` or `address 192.0.2.1`.
 * `at` replaces the control database's clock in tests.
 */
export async function countAttempt(
  database: ControlDatabase,
  scopes: readonly string[],
  at: Date | null = null,
): Promise<AttemptVerdict> {
  // Like the update in `discountAttempt`, the insert locks scopes in the order of their hashes, which prevents
  // deadlocks.
  const hashes = scopes.map(hashOf).toSorted()
  // A window that ends later than possible counts as ended, because it was opened while the clock ran ahead.
  const isOpen = sql`a.window_ends_at > (select instant from clock) and a.window_ends_at <= (select latest_end from clock)`
  const isRepeated = sql`a.attempts > ${ATTEMPTS_MAX}::int
    and a.window_ends_at > (select instant from clock) - make_interval(secs => ${FORGIVEN_SECONDS}::int)`
  const nextLevel = sql`least(a.level + 1, ${LEVEL_MAX}::int)`
  const statement = sql`
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
          when ${isRepeated} then ${nextLevel}
          else 0 end,
        window_ends_at = case
          when ${isOpen} then a.window_ends_at
          when ${isRepeated}
            then (select instant from clock) + make_interval(secs => ${WINDOW_SECONDS}::int * (2 ^ ${nextLevel})::int)
          else (select instant from clock) + make_interval(secs => ${WINDOW_SECONDS}::int) end
      returning attempts, window_ends_at
    )
    select max(attempts) as attempts,
      coalesce(max(ceil(extract(epoch from window_ends_at - instant)))
        filter (where attempts > ${ATTEMPTS_MAX}::int), 0)::int as wait
    from counted, clock`
  const row = await queryOne<{ attempts: number; wait: number }>(database.pool, statement)
  return row.attempts > ATTEMPTS_MAX ? { allowed: false, waitSeconds: Math.max(1, row.wait) } : { allowed: true }
}

/** Subtracts one attempt from each scope, but not below 0. Call it after the attempt has succeeded. */
export async function discountAttempt(database: ControlDatabase, scopes: readonly string[]): Promise<void> {
  const hashes = scopes.map(hashOf).toSorted()
  await database.pool.execute(sql`
    update sign_in_attempts set attempts = greatest(0, attempts - 1)
    where scope in (
      select scope from sign_in_attempts where scope in (select decode(h, 'hex') from unnest(${hashes}::text[]) as h)
      order by scope for update)`)
}

/** Deletes windows that ended more than half an hour ago. Returns the number of deleted windows. */
export async function deleteEndedWindows(database: ControlDatabase): Promise<number> {
  return await database.pool.execute(sql`
    delete from sign_in_attempts
    where window_ends_at < clock_timestamp() - make_interval(secs => ${FORGIVEN_SECONDS}::int)`)
}

/** Returns a hash, because a scope contains user input. The input can be long, and the database must not store it. */
function hashOf(scope: string): string {
  return createHash('sha256').update(scope).digest('hex')
}
