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
    await whileSignedIn(database, session.id, (connection) =>
      runOn(connection, async () => results.push(await callAuth(call, rejections))),
    )
  } catch (error) {
    // better-auth reports the error of some statements as a rejection, but their transaction can't commit.
    if (results[0]?.kind !== 'rejected') throw error
  }
  return results[0] ?? { kind: 'rejected', code: 'SESSION_ENDED', status: 401 }
}
