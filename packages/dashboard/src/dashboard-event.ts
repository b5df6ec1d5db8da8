// Declares the events of the dashboard. Apart from a `cause`, they contain IDs, but no secret, no form content, and no
// email address. A `cause` can contain anything, so the log writes only its safe parts (operator/src/log.ts).

import type { ControlQueryFailed } from '@store-export/control'

/**
 * Emitted when the response to a request for a page, a form, a download, or the SCIM endpoint is ready. The event of a
 * download from the Data pages follows its last byte. Requests for style sheets and scripts have no event.
 */
export interface PageCompleted {
  readonly event: 'page.completed'
  readonly requestId: string
  /** The declared route, such as `/stores/:store/usage`; `/*` or `/scim/v2/*` for other paths. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly durationMs: number
}

/**
 * Emitted after an attempt to sign in to the dashboard, or if too many attempts prevent one. The sign-in to the new
 * account of an invitation has no event.
 */
export interface SignInAttempted {
  readonly event: 'sign_in.attempted'
  readonly requestId: string
  /**
   * `link` is a one-time link. `code` is a code of the merchant's app or a recovery code, after the password or the
   * link. `oidc` is single sign-on at the operator's provider.
   */
  readonly by: 'password' | 'link' | 'code' | 'passkey' | 'oidc'
  /**
   * `code_required`: the password or the link was right, and the dashboard requests a code. `rate_limited`: there were
   * too many attempts, so the dashboard did not check this one. `unreachable`: the provider of single sign-on did not
   * respond.
   */
  readonly outcome: 'succeeded' | 'code_required' | 'rejected' | 'rate_limited' | 'unreachable'
}

/** Emitted after a merchant has created, changed, or revoked a key in the dashboard, or turned it off or on. */
export interface KeyChanged {
  readonly event: 'key.created' | 'key.permissions_changed' | 'key.revoked' | 'key.turned_off' | 'key.turned_on'
  readonly requestId: string
  readonly storeId: string
  readonly keyId: string
}

/**
 * Emitted after the SMTP server has accepted at least one email about a key, or about a revoked token of a directory.
 * `emails` is the number of accepted emails.
 */
export interface AlertSent {
  readonly event: 'alert.sent'
  /** ID of the key or of the token. */
  readonly keyId: string
  /** Kind of the problem, such as `failing`, `leaked`, or `directory_ended`. */
  readonly kind: string
  readonly emails: number
}

/** Emitted for each email about a key or a token that the SMTP server did not accept. */
export interface AlertFailed {
  readonly event: 'alert.failed'
  /** ID of the key or of the token. */
  readonly keyId: string
  /** Kind of the problem, as in `alert.sent`. */
  readonly kind: string
  readonly cause: unknown
}

/** Emitted after the SMTP server has accepted an invitation. */
export interface InvitationSent {
  readonly event: 'invitation.sent'
  readonly requestId: string
  readonly storeId: string
}

/** Emitted if the SMTP server did not accept an invitation. */
export interface InvitationFailed {
  readonly event: 'invitation.failed'
  readonly requestId: string
  readonly storeId: string
  readonly cause: unknown
}

/** Emitted if the SMTP server did not accept the email about a new password. */
export interface PasswordEmailFailed {
  readonly event: 'password_email.failed'
  readonly requestId: string
  readonly cause: unknown
}

/** Emitted if an internal error interrupts a request to the dashboard. */
export interface PageFailed {
  readonly event: 'page.failed'
  /** ID of the request; null if the error escaped the handler that assigns the ID. */
  readonly requestId: string | null
  readonly cause: unknown
}

/** An event of the dashboard. */
export type DashboardEvent =
  | ControlQueryFailed
  | PageCompleted
  | SignInAttempted
  | KeyChanged
  | AlertSent
  | AlertFailed
  | InvitationSent
  | InvitationFailed
  | PasswordEmailFailed
  | PageFailed

/** Handles an event. The caller waits for it, so it must return immediately and must not throw. */
export type DashboardEventHandler = (event: DashboardEvent) => void
