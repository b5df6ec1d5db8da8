// Declares the data of the pages about members and invitations of a store.

import type { MemberRole, PendingInvitation, StoreMember } from '@store-export/control'

/** Settings > Members. */
export interface MembersPage {
  /** In the order in which they got access. */
  readonly members: readonly (StoreMember & { readonly isYou: boolean })[]
  readonly invitations: readonly PendingInvitation[]
  /** The form for invitations; null if the dashboard can't send emails. */
  readonly form: {
    /** The typed address. */
    readonly email: string
    /** The chosen role. */
    readonly role: MemberRole
    /** The error message; null without an error. */
    readonly problem: string | null
  } | null
}

/** The page that changes the role of a member. */
export interface MemberRolePage {
  readonly merchantId: string
  readonly email: string
  readonly role: MemberRole
  /** The error message; null without an error. */
  readonly problem: string | null
}

/** The page of an invitation's link. */
export interface InvitationPage {
  readonly token: string
  readonly storeId: string
  readonly storeName: string
  /** The invited address. */
  readonly email: string
  /** The role that the invited person gets. */
  readonly role: MemberRole
  readonly invitedBy: string
  readonly hasAccount: boolean
  /** The email address of the current session, if it is another one; null otherwise. */
  readonly otherSession: string | null
  readonly passwordLengthMin: number
  /** The error message for the password; null without an error. */
  readonly passwordProblem: string | null
  /** Text of the button for single sign-on; null without single sign-on. */
  readonly singleSignOnLabel: string | null
}
