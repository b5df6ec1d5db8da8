// Declares the events of the control database. They contain no key and no password. Only a `cause` can contain any
// text, and the log writes only the safe parts of a `cause` (operator/src/log.ts).

/** Emitted if a query on the control database fails. */
export interface ControlQueryFailed {
  readonly event: 'control.query_failed'
  /** ID of the request; null outside of a request, and for a check of keys, which several requests can share. */
  readonly requestId: string | null
  readonly cause: unknown
}

/**
 * Emitted if usage statistics could not be written, or did not fit in memory. The next attempt writes the statistics
 * that still wait.
 */
export interface UsageWriteFailed {
  readonly event: 'usage.write_failed'
  readonly cause: unknown
  /** Number of pairs of key and hour that wait for the next attempt. */
  readonly pending: number
  /**
   * Number of requests since the last such event that are missing from the sums by hour. Memory had no room for them.
   */
  readonly dropped: number
}

/** Every action that the audit table records. */
export const AUDIT_ACTIONS = [
  'key.created',
  'key.revoked',
  'key.renamed',
  'key.permissions_changed',
  'key.turned_off',
  'key.turned_on',
  'store.added',
  'store.changed',
  'store.removed',
  'merchant.added',
  'merchant.removed',
  'membership.added',
  'membership.removed',
  'membership.role_changed',
  'invitation.created',
  'invitation.withdrawn',
  'two_factor.enabled',
  'two_factor.disabled',
  'two_factor_rule.enabled',
  'two_factor_rule.disabled',
  'passkey.added',
  'passkey.removed',
  'sign_in_link.created',
  'admin_token.created',
  'admin_token.revoked',
  'directory_token.created',
  'directory_token.revoked',
  'directory_user.role_changed',
  'secrets.rotated',
] as const

/** Name of an action, such as `key.created`. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Emitted for each row of the audit table, at least once. */
export interface AuditRecorded {
  readonly event: 'audit.recorded'
  /** ID of the row in the audit table. Events of the same row have the same ID. */
  readonly auditId: string
  /** RFC 3339 with microseconds, in UTC. */
  readonly at: string
  /**
   * `merchant` and the account's ID, `admin token` and its name and ID, `leak report`, `single sign-on`, `directory`,
   * or the name of the database session.
   */
  readonly actor: string
  readonly action: AuditAction
  /** ID of the store that the change concerns; null if it concerns none. */
  readonly storeId: string | null
  /** ID of the key that the change concerns; null if it concerns none. */
  readonly keyId: string | null
  /** ID of the account that the change concerns; null if it concerns none. */
  readonly merchantId: string | null
  /** What changed, as the text of a JSON object. Its members depend on `action`. */
  readonly details: string
}

/** An event of the control database. */
export type ControlEvent = ControlQueryFailed | UsageWriteFailed | AuditRecorded

/** Handles an event. It is called while a request runs, so it must return immediately and must not throw. */
export type ControlEventHandler = (event: ControlEvent) => void
