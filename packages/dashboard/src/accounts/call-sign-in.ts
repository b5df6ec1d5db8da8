// Calls functions of better-auth that sign in. Ends the new session if the first proof of the address came meanwhile.

import { type ControlDatabase, countSignInResets, endOutdatedSession } from '@store-export/control'
import { sessionCookieName } from './auth.ts'
import { type AuthCall, type AuthResult, callAuth, cookieOf, headersWith } from './call-auth.ts'

/**
 * Returns the result of a call that signs in, like `callAuth`. If the ways to sign in to the account were reset during
 * the call, it is rejected, and its session has ended.
 */
export async function callSignIn<T>(
  database: ControlDatabase,
  call: () => Promise<{ headers: Headers; response: T }>,
): Promise<AuthCall<T>> {
  const resets = await countSignInResets(database)
  const result = await callAuth(call)
  if (result.kind === 'rejected') return result
  const token = sessionTokenOf(result)
  const isOutdated = token !== null && (await endOutdatedSession(database, { token, resets }))
  return isOutdated ? { kind: 'rejected', code: 'SIGN_INS_RESET', status: 401 } : result
}

/** Returns the token of the new session, without its signature; null if the sign-in needs a code first. */
function sessionTokenOf({ cookies }: AuthResult<unknown>): string | null {
  const headers = headersWith(cookies)
  const values = [true, false].map((isSecure) => cookieOf(headers, sessionCookieName(isSecure)))
  return values.find((value) => value !== null)?.split('.', 1)[0] ?? null
}
