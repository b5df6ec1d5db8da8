// Invites a person to a store: stores the invitation and sends the link to the invited address. No page shows the link.

import { randomBytes } from 'node:crypto'
import { INVITATION_DAYS, type InvitationOutcome, invite, type MemberRole } from '@store-export/control'
import type { Email, Mailer } from '../alerts/mailer.ts'
import type { StoreRequest } from '../routes/dashboard-request.ts'
import type { Texts } from '../texts/en/english.ts'
import { makeInvitationToken } from './invitation-token.ts'

/** The result of an invitation. `unsent`: the invitation is stored, but the SMTP server did not accept the email. */
export type SentInvitation = InvitationOutcome | 'unsent'

/** Whom to invite. */
export interface InvitedPerson {
  readonly email: string
  readonly role: MemberRole
}

/** Invites an address, or sends its pending invitation again. The links of earlier emails no longer work. */
export async function sendInvitation(
  request: StoreRequest,
  { email, role }: InvitedPerson,
  mailer: Mailer,
): Promise<SentInvitation> {
  const { services, store, session, requestId } = request
  const { database, emit, origins } = services
  const { token, hash: tokenHash } = makeInvitationToken(randomBytes)
  const { merchantId } = session
  const outcome = await invite({ database, storeId: store.id, email, role, merchantId, tokenHash })
  if (outcome !== 'invited') return outcome
  const link = `${origins.url}/invitation/${token}`
  try {
    await mailer.send(
      invitationEmail(request.texts, { to: email, role, link, invitedBy: session.email, storeName: store.name }),
    )
  } catch (cause) {
    emit({ event: 'invitation.failed', requestId, storeId: store.id, cause })
    return 'unsent'
  }
  emit({ event: 'invitation.sent', requestId, storeId: store.id })
  return 'invited'
}

interface InvitationFacts {
  readonly to: string
  readonly role: MemberRole
  readonly link: string
  /** Email address of the inviting merchant. */
  readonly invitedBy: string
  readonly storeName: string
}

/** Returns the email, in the inviting merchant's language. It does not depend on whether the address has an account. */
function invitationEmail({ invitation }: Texts, { to, role, link, invitedBy, storeName }: InvitationFacts): Email {
  const { email: texts } = invitation
  const paragraphs = [
    texts.invitation[role](invitedBy, storeName),
    texts.link(link),
    texts.foot(INVITATION_DAYS, invitedBy),
  ]
  return { to, subject: texts.subject(storeName), text: `${paragraphs.join('\n\n')}\n` }
}
