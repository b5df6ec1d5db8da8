// Calls functions of better-auth that add ways to sign in to an account. If the owner of the email address proves it
// for the first time meanwhile, control/src/prove-address.ts waits for these calls, and then removes what they added.

import { type ControlDatabase, whileSignedIn } from '@store-export/control'
import { within } from '@store-export/postgres'
import type { MerchantSession } from './accounts.ts'
import { type AuthCall, callAuth } from './call-auth.ts'
import { runOn } from './kysely-dialect.ts'

/** The control database, and the session of the request. */
export interface SessionCall {
  readonly database: ControlDatabase
  readonly session: Pick<MerchantSession, 'id'>
  /** Codes of rejections that better-auth reports with status 500, as for `callAuth`. */
  readonly rejections?: readonly string[]
}

/**
 * Runs the call by `workInSession`, and returns its result like `callAuth`. If the session has ended, doesn't call, and
 * returns a rejection with the code `SESSION_ENDED` and status 401.
 */
export async function callInSession<T>(
  { database, session, rejections }: SessionCall,
  call: () => Promise<{ headers: Headers; response: T }>,
): Promise<AuthCall<T>> {
  // An array, because the result is needed also if the commit after it fails.
  const results: AuthCall<T>[] = []
  try {
    await workInSession(database, session.id, async () => results.push(await callAuth(call, rejections)))
  } catch (error) {
    // After a failed statement, the transaction can't commit. If better-auth has reported that statement as a
    // rejection, this error adds nothing.
    if (results[0]?.kind !== 'rejected') throw error
  }
  return results[0] ?? { kind: 'rejected', code: 'SESSION_ENDED', status: 401 }
}

/**
 * Maximum number of calls of `workInSession` that run at the same time on this node. Each one holds a connection while
 * a password is hashed, so more calls could use up the pool.
 */
const AT_ONCE = 2
/**
 * Maximum time in ms of the wait for another call, and again of the transaction. Both together are shorter than the
 * time limit of a page, so that no change is saved after the page has reported an error.
 */
const CALL_MS_MAX = 7000

let running = 0
/** Functions that let a waiting call begin, in the order of the calls. */
const waiting = new Set<() => void>()

/**
 * Calls `work` in a transaction like `whileSignedIn`; returns null if the session has ended. If `AT_ONCE` calls of this
 * node run already, waits for one of them to end. The statements of better-auth use the connection of the transaction.
 * Rejects with `TimeLimitPassed` if no call ends within `timeoutMs`, and like `whileSignedIn` if the transaction takes
 * longer than that.
 */
export async function workInSession<T>(
  database: ControlDatabase,
  sessionId: string,
  work: () => Promise<T>,
  timeoutMs = CALL_MS_MAX,
): Promise<T | null> {
  await takeSlot(timeoutMs)
  try {
    const options = { deadline: performance.now() + timeoutMs }
    return await whileSignedIn(database, sessionId, (connection) => runOn(connection, work, options), options)
  } finally {
    releaseSlot()
  }
}

async function takeSlot(timeoutMs: number): Promise<void> {
  if (running < AT_ONCE) {
    running++
    return
  }
  let begin = () => {}
  const slot = new Promise<void>((resolve) => {
    begin = resolve
    waiting.add(begin)
  })
  await within(timeoutMs, slot, () => waiting.delete(begin))
}

/** Gives the slot to the call that waits longest. `running` then stays the same. */
function releaseSlot(): void {
  const [next] = waiting
  if (next === undefined) {
    running--
    return
  }
  waiting.delete(next)
  next()
}
