// Invites a person to a store: stores the invitation and sends the link to the invited address. No page shows the link.

import { randomBytes } from 'node:crypto'
import {
  INVITATION_DAYS,
  type InvitationOutcome,
  invite,
  type MemberRole,
  renewInvitation,
} from '@store-export/control'
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

/** Invites an address. The links of earlier invitations of this address to the store no longer work. */
export async function sendInvitation(
  request: StoreRequest,
  person: InvitedPerson,
  mailer: Mailer,
): Promise<SentInvitation> {
  const { services, store, session } = request
  const { token, hash: tokenHash } = makeInvitationToken(randomBytes)
  const { merchantId } = session
  const outcome = await invite({ database: services.database, storeId: store.id, ...person, merchantId, tokenHash })
  return outcome === 'invited' ? sendLink(request, { ...person, token }, mailer) : outcome
}

/**
 * Sends a pending invitation again, with a new link. The earlier links no longer work. Returns the outcome, and the
 * person with the role that the invitation has now; null if the invitation has ended.
 */
export async function sendInvitationAgain(
  request: StoreRequest,
  invitationId: string,
  mailer: Mailer,
): Promise<{ readonly outcome: SentInvitation; readonly person: InvitedPerson } | null> {
  const { services, store, session } = request
  const { token, hash: tokenHash } = makeInvitationToken(randomBytes)
  const { merchantId } = session
  const options = { database: services.database, storeId: store.id, invitationId, merchantId, tokenHash }
  const renewed = await renewInvitation(options)
  if (renewed === null) return null
  const { outcome, ...person } = renewed
  return { person, outcome: outcome === 'invited' ? await sendLink(request, { ...person, token }, mailer) : outcome }
}

/** Sends the email with the link, and emits `invitation.sent` or `invitation.failed`. */
async function sendLink(
  request: StoreRequest,
  { email, role, token }: InvitedPerson & { readonly token: string },
  mailer: Mailer,
): Promise<'invited' | 'unsent'> {
  const { services, store, session, requestId } = request
  const { emit, origins } = services
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
