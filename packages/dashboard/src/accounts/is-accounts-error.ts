// Recognizes internal errors of better-auth. better-auth wraps errors of the database in its own class.

import { isAPIError } from 'better-auth/api'

/** Whether better-auth failed, for example because the control database did not respond. */
export function isAccountsError(error: unknown): boolean {
  return isAPIError(error) && error.statusCode >= 500
}
