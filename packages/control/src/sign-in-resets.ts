// Ends requests that are in progress while an address is first proved. The proof deletes all ways to sign in. A request
// that has read them before could otherwise add a session, a password, or a passkey afterwards.

import { type Connection, executeOn, queryRows, type RunOptions, sql } from '@store-export/postgres'
import { type ControlDatabase, queryOne } from './database.ts'

/**
 * Returns how many times the ways to sign in to an account were reset, for all accounts together. A sign-in that begins
 * later sees all these resets.
 */
export async function countSignInResets({ pool }: ControlDatabase): Promise<bigint> {
  const { count } = await queryOne<{ count: bigint }>(pool, sql`select count from sign_in_resets`)
  return count
}

/**
 * Deletes the session with this token if the ways to sign in to its account were reset since `countSignInResets`
 * returned `resets`. Returns whether it deleted the session. Call it after the insertion of the session. A reset locks
 * the account until it commits, and the insertion waits for this lock. So the statement sees each reset that locked the
 * account before the insertion.
 */
export async function endOutdatedSession(
  { pool }: ControlDatabase,
  /** `resets` is the result of `countSignInResets` before the sign-in. */
  { token, resets }: { readonly token: string; readonly resets: bigint },
): Promise<boolean> {
  // `sign_ins_reset` is the count after the account's last reset, so a greater value means a later reset.
  const ended = await pool.execute(sql`
    delete from merchant_sessions s using merchants m
    where s.token = ${token} and m.id = s.merchant_id and m.sign_ins_reset > ${resets}::bigint`)
  return ended > 0
}

/**
 * Calls `work` in a transaction, and returns its result. Returns null without the call if the session has ended. A
 * reset waits for the end of the transaction, and then deletes what `work` added. `options` limit the wait for a
 * connection and each statement, except those of `work`. Rejects like `Pool.transaction` and `queryRows`.
 */
export async function whileSignedIn<T>(
  { pool }: ControlDatabase,
  sessionId: string,
  work: (connection: Connection) => Promise<T>,
  options: RunOptions = {},
): Promise<T | null> {
  return pool.transaction(async (connection) => {
    // At another isolation level, the second statement would not see the reset.
    await connection.script('set transaction isolation level read committed', options)
    await executeOn(
      connection,
      sql`
      select from merchants where id = (select merchant_id from merchant_sessions where id = ${sessionId})
      for no key update`,
      options,
    )
    // A separate statement sees the reset that the lock waited for.
    const found = await queryRows(connection, sql`select from merchant_sessions where id = ${sessionId}`, options)
    return found.length === 0 ? null : work(connection)
  }, options)
}
