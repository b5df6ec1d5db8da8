// Names the reason for which the dashboard did not set a password. Two routes share the messages.

import type { PasswordRejection } from '../accounts/accounts.ts'
import { PASSWORD_LENGTH } from '../accounts/auth.ts'
import type { Texts } from '../texts/en/english.ts'

/** Returns the error message for a password that the dashboard did not change or set. */
export function passwordProblem({ account }: Texts, reason: PasswordRejection): string {
  const { problems } = account.password
  if (reason === 'current') return problems.current
  if (reason === 'link expired') return problems.linkExpired
  if (reason === 'session old') return problems.sessionOld
  const { min, max } = PASSWORD_LENGTH
  return reason === 'too short' ? problems.tooShort(min) : problems.tooLong(max)
}
