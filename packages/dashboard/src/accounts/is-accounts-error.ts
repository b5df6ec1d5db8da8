// Distinguishes a rejected sign-in from a failure of the database, because better-auth throws the same class for both.

import { isAPIError } from 'better-auth/api'

/** Whether the error is a failure of better-auth, for example because the control database did not respond. */
export function isAccountsError(error: unknown): boolean {
  return isAPIError(error) && error.statusCode >= 500
}
