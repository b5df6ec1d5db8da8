// Declares the data of the pages about members and invitations of a store.

import type { DirectoryToken, MemberRole, PendingInvitation, StoreMember } from '@store-export/control'

/** The data of Settings > Members. */
export interface MembersPage {
  /** In the order in which they got access. */
  readonly members: readonly (StoreMember & { readonly isYou: boolean })[]
  readonly invitations: readonly PendingInvitation[]
  /** Whether the store requires a second factor of its members. */
  readonly requiresTwoFactor: boolean
  readonly directory: DirectoryState
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

/** Whether the store has an active directory token. `ended`: it has none, but a directory has used an earlier one. */
export type DirectoryState = 'connected' | 'ended' | 'none'

/** The page that changes the role of a member. */
export interface MemberRolePage {
  readonly merchantId: string
  readonly email: string
  readonly role: MemberRole
  /** The error message; null without an error. */
  readonly problem: string | null
}

/** The page that changes whether a store requires a second factor of its members. */
export interface TwoFactorRulePage {
  readonly isRequired: boolean
  /** Whether a second factor opened this session. */
  readonly isUsed: boolean
  /** How this admin confirms that the rule is turned off: by a code of the app, or by a new sign-in. */
  readonly confirmBy: 'code' | 'sign-in'
  /** Whether this session is new enough to turn the rule off. */
  readonly isFresh: boolean
  /** Email addresses of the members without a second factor, except those from a directory. */
  readonly without: readonly string[]
  /** Number of members from a directory. The page does not tell how their accounts sign in. */
  readonly fromDirectory: number
  /** The error message for the code; null without an error. */
  readonly problem: string | null
}

/** The page that connects the directory of the store's company. */
export interface DirectoryPage {
  /** URL of the SCIM endpoint. */
  readonly url: string
  /** The active tokens. */
  readonly tokens: readonly DirectoryToken[]
  /**
   * The text of the token that this browser created in the last ten minutes, until the merchant confirms the copy; null
   * without one.
   */
  readonly newToken: string | null
  /** Whether the store can have another token. */
  readonly canCreate: boolean
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
  /** Email address of the inviting merchant. */
  readonly invitedBy: string
  /** Whether the invited person can sign in to an account. If not, the page requests a password for it. */
  readonly hasAccount: boolean
  /** The email address of the current session, if it isn't the invited one; null otherwise. */
  readonly otherSession: string | null
  readonly passwordLengthMin: number
  /** The error message for the password; null without an error. */
  readonly passwordProblem: string | null
  /** Text of the button for single sign-on; null without single sign-on. */
  readonly singleSignOnLabel: string | null
}
