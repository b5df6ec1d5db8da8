// Checks whether a session is fresh enough for changes that would let a thief retain access after a stolen session
// ends.

import { readSecondFactor } from '@store-export/control'
import { isFreshAge } from '../accounts/accounts.ts'
import type { MerchantRequest, StoreRequest } from './dashboard-request.ts'

/** Whether a second factor opened the session at most ten minutes ago. */
export async function hasFreshSession({ services, session }: MerchantRequest): Promise<boolean> {
  const { used, ageSeconds } = await readSecondFactor(services.database, session.id)
  return used !== null && isFreshAge(ageSeconds)
}

/**
 * Whether the session can invite admins, make members admins, and create directory tokens, which can add admins. If the
 * store requires a second factor, the session must be fresh. Otherwise, a thief could make another account an admin,
 * and retain access after the stolen session ends.
 */
export async function canAddAdmins(request: StoreRequest): Promise<boolean> {
  return !request.store.requiresTwoFactor || (await hasFreshSession(request))
}
