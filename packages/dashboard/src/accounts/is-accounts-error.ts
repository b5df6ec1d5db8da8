// Whether the library that keeps accounts failed for want of its database: it reports that as an error of its own.

import { isAPIError } from 'better-auth/api'

/** Whether this error is the library's word for a fault on our side. */
export function isAccountsError(error: unknown): boolean {
  return isAPIError(error) && error.statusCode >= 500
}
