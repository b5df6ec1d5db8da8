// Limits the rate of calls that check a password, a code, or a passkey.

import { type ControlDatabase, countAttempt, discountAttempt } from '@store-export/control'
import type { MerchantSession } from './accounts.ts'
import type { AuthCall, AuthResult } from './call-auth.ts'

/** The result of an attempt that can be rate limited. */
export type Attempt<T> =
  | ({ readonly kind: 'done' } & T)
  /** The password, the code, or the passkey is wrong, or the session has ended. */
  | { readonly kind: 'rejected' }
  | { readonly kind: 'rate_limited'; readonly waitSeconds: number }

/** A password that the merchant typed to change how the account signs in, and the headers of the request. */
export interface PasswordCheck {
  readonly session: MerchantSession
  readonly password: string
  readonly headers: Headers
}

/** Seconds for which better-auth locks an account after ten wrong codes. */
const LOCK_SECONDS = 900

/**
 * Runs the call if no scope is rate limited. A scope is a text that names what the limit is for, such as a client
 * address or an account. Put the scope of the client first, so that a rate-limited client can't fill the table with
 * accounts. Successful attempts don't count, but a call that rejects with an error does.
 */
export async function limitAttempts<T>(
  { database, scopes }: { readonly database: ControlDatabase; readonly scopes: readonly string[] },
  call: () => Promise<AuthCall<T>>,
): Promise<Attempt<AuthResult<T>>> {
  for (const scope of scopes) {
    const verdict = await countAttempt(database, [scope])
    if (!verdict.allowed) return { kind: 'rate_limited', waitSeconds: verdict.waitSeconds }
  }
  const result = await call()
  // better-auth returns 429 for a locked account.
  if (result.kind === 'rejected')
    return result.status === 429 ? { kind: 'rate_limited', waitSeconds: LOCK_SECONDS } : { kind: 'rejected' }
  await discountAttempt(database, scopes)
  return result
}

/** Returns the scope of the passwords that a signed-in merchant types to confirm a change. */
export function passwordScope({ merchantId }: MerchantSession): string {
  return `password of ${merchantId}`
}
