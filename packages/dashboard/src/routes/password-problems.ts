// The error messages for a new password, and the fields of the account page that they belong to.

import { PASSWORD_LENGTH } from '../accounts/auth.ts'

/** Messages by the reason for which the dashboard rejects a password. */
export const PASSWORD_PROBLEMS = {
  current: { field: 'current', text: 'This isn’t your current password.' },
  'too short': { field: 'next', text: `Use at least ${PASSWORD_LENGTH.min} characters.` },
  'too long': { field: 'next', text: `Use at most ${PASSWORD_LENGTH.max} characters.` },
} as const
