// Calls functions of better-auth that change how an account signs in. The first proof of the address waits for them, and
// then removes what they added.

import { type ControlDatabase, whileSignedIn } from '@store-export/control'
import type { MerchantSession } from './accounts.ts'
import { type AuthCall, callAuth } from './call-auth.ts'
import { runOn } from './kysely-dialect.ts'

/** The control database, and the session of the request. */
export interface SessionCall {
  readonly database: ControlDatabase
  readonly session: Pick<MerchantSession, 'id'>
  /** Like those of `callAuth`. */
  readonly rejections?: readonly string[]
}

/** Returns the result of a call, like `callAuth`. Rejects the call if the session has ended. */
export async function callInSession<T>(
  { database, session, rejections }: SessionCall,
  call: () => Promise<{ headers: Headers; response: T }>,
): Promise<AuthCall<T>> {
  const results: AuthCall<T>[] = []
  try {
    await workInSession(database, session.id, async () => results.push(await callAuth(call, rejections)))
  } catch (error) {
    // better-auth reports the error of some statements as a rejection, but their transaction can't commit.
    if (results[0]?.kind !== 'rejected') throw error
  }
  return results[0] ?? { kind: 'rejected', code: 'SESSION_ENDED', status: 401 }
}

/** Number of calls of `workInSession` that run at the same time. Each one holds a connection while a password is hashed. */
const AT_ONCE = 2

let running = 0
const waiting: (() => void)[] = []

/**
 * Calls `work` in a transaction like `whileSignedIn`, after earlier calls of this node. The statements of better-auth
 * use the connection of the transaction.
 */
export async function workInSession<T>(
  database: ControlDatabase,
  sessionId: string,
  work: () => Promise<T>,
): Promise<T | null> {
  if (running < AT_ONCE) running++
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await whileSignedIn(database, sessionId, (connection) => runOn(connection, work))
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}
