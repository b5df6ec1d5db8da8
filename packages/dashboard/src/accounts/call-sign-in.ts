// Calls functions of better-auth that sign in. When a person first proves the address of an account, the proof deletes
// the account's passwords, passkeys, and sessions (control/src/sign-in-resets.ts). A sign-in that has read them before
// could still create a session afterwards, so this module deletes that session.

import { type ControlDatabase, countSignInResets, endOutdatedSession } from '@store-export/control'
import { sessionCookieName } from './auth.ts'
import { type AuthCall, type AuthResult, callAuth, cookieOf, headersWith } from './call-auth.ts'

/**
 * Returns the result of a call that signs in, like `callAuth`. If the ways to sign in to the account were reset during
 * the call, deletes the new session, and returns `rejected` with the code `SIGN_INS_RESET`.
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

/**
 * Returns the token of the new session, without its signature; null if the sign-in needs a code first. Looks for both
 * names of the session cookie, because this module doesn't know whether the dashboard uses TLS.
 */
function sessionTokenOf({ cookies }: AuthResult<unknown>): string | null {
  const headers = headersWith(cookies)
  const values = [true, false].map((isSecure) => cookieOf(headers, sessionCookieName(isSecure)))
  return values.find((value) => value !== null)?.split('.', 1)[0] ?? null
}
