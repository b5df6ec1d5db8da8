// The data of the pages about members and invitations of a store.

import type { PendingInvitation, StoreMember } from '@store-export/control'

/** Settings > Members. */
export interface MembersPage {
  /** In the order in which they got access. */
  readonly members: readonly (StoreMember & { readonly isViewer: boolean })[]
  readonly invitations: readonly PendingInvitation[]
  /** The form for invitations; null if the dashboard can't send emails. */
  readonly form: {
    /** The typed address. */
    readonly email: string
    /** The error message; null without an error. */
    readonly problem: string | null
  } | null
}

/** The page that confirms the removal of a member. */
export interface RemoveMemberPage {
  readonly merchantId: string
  readonly email: string
  readonly isViewer: boolean
  /** Whether the member is the last one, whom only the operator can remove. */
  readonly isLast: boolean
}

/** The page of an invitation's link. */
export interface InvitationPage {
  readonly token: string
  readonly storeId: string
  readonly storeName: string
  /** The invited address. */
  readonly email: string
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
