// Decides whether a merchant must sign in with a second factor before changing how the account signs in. Otherwise, a
// thief with the password could add a passkey or an app, and then open a store that requires a second factor.

import { readSecondFactor, type SecondFactorKind } from '@store-export/control'
import type { MerchantRequest } from './dashboard-request.ts'

/** The second factor with which the merchant must sign in before a change; null if this session can make the change. */
export interface SignInFirst {
  /**
   * To add a passkey or an app. The strongest second factor of the account must have opened the session. An account
   * without one needs only the password.
   */
  readonly toAdd: SecondFactorKind | null
  /**
   * To remove a passkey, to turn off codes, or to get new recovery codes. Any second factor of the account is enough,
   * so that a merchant who lost a passkey can remove it with a code.
   */
  readonly toRemove: SecondFactorKind | null
}

/** Returns the second factor that each change needs. */
export async function readSignInFirst({ services, session }: MerchantRequest): Promise<SignInFirst> {
  const { used, factors } = await readSecondFactor(services.database, session.id)
  const strongest = factors.find((factor) => canSignInWith(factor, services)) ?? null
  return { toAdd: used === strongest ? null : strongest, toRemove: used === null ? strongest : null }
}

/**
 * Whether merchants can sign in with this second factor now. The operator can turn single sign-on off, or move the
 * dashboard to an IP address, where passkeys don't work.
 */
function canSignInWith(
  factor: SecondFactorKind,
  { accounts, origins }: Pick<MerchantRequest['services'], 'accounts' | 'origins'>,
): boolean {
  if (factor === 'single_sign_on') return accounts.singleSignOn !== null
  return factor === 'code' || origins.passkeyOrigin !== null
}
