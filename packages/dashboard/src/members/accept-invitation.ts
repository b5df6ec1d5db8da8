// Accepts the invitation of a link. The link proves the invited address, so it can create the account of this address.
// It can also set the password of an account without a way to sign in. Otherwise, it gives no access to the account, so
// its owner must sign in.

import {
  acceptInvitation as accept,
  countAttempt,
  discountAttempt,
  findInvitation,
  type OpenInvitation,
} from '@store-export/control'
import { lengthProblem, type MerchantSession } from '../accounts/accounts.ts'
import type { Services } from '../services.ts'
import { hashInvitationToken } from './invitation-token.ts'

/** The result of a form that accepts an invitation. */
export type AcceptOutcome =
  /** `isNew`: the account got the password of the form. */
  | { readonly kind: 'accepted'; readonly storeId: string; readonly email: string; readonly isNew: boolean }
  | {
      readonly kind: 'password rejected'
      readonly reason: 'too short' | 'too long'
      readonly invitation: OpenInvitation
    }
  /** The invitation was accepted or withdrawn, has expired, or never existed. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'rate_limited'; readonly waitSeconds: number }

/** What the form has: the token of the link, and a password for an account that needs one. */
export interface AcceptRequest {
  readonly token: string
  readonly password: string
  readonly clientAddress: string
  /** The session of the request; null if the merchant is not signed in. */
  readonly session: MerchantSession | null
}

/**
 * Accepts the invitation, once. `session` is the session of the browser, which can be that of another account. The rate
 * limit counts failed attempts per client address. A wrong link and a rejected password count.
 */
export async function acceptInvitation(
  { database, accounts }: Pick<Services, 'database' | 'accounts'>,
  { token, password, clientAddress, session }: AcceptRequest,
): Promise<AcceptOutcome> {
  const scopes = [`invitation ${clientAddress}`]
  const verdict = await countAttempt(database, scopes)
  if (!verdict.allowed) return { kind: 'rate_limited', waitSeconds: verdict.waitSeconds }
  const tokenHash = hashInvitationToken(token)
  const sessionId = session?.id ?? null
  const invitation = await findInvitation(database, tokenHash, sessionId)
  if (invitation === null) return { kind: 'ended' }
  const reason = invitation.hasAccount ? null : lengthProblem(password)
  if (reason !== null) return { kind: 'password rejected', reason, invitation }
  const passwordHash = invitation.hasAccount ? null : await accounts.hashPassword(password)
  const accepted = await accept({ database, tokenHash, passwordHash, sessionId })
  await discountAttempt(database, scopes)
  // The account can be removed, or lose its last way to sign in, between the two statements.
  return accepted === null || accepted === 'no account' ? { kind: 'ended' } : { kind: 'accepted', ...accepted }
}
