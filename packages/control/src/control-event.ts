// Events of the control database. They carry IDs and numbers, but no key and no password.

/** The control database failed. */
export interface ControlFault {
  readonly event: 'control fault'
  readonly requestId: string | null
  readonly cause: unknown
}

/** Usage could not be written. The next flush writes it, except for `dropped` requests. */
export interface UsageFlushFailed {
  readonly event: 'usage flush failed'
  readonly cause: unknown
  /** Pairs of key and hour that wait to be written. */
  readonly kept: number
  /** Requests that no longer fit in memory and are lost to the statistics. */
  readonly dropped: number
}

/** Actions in the audit table. */
export type AuditAction =
  | 'key.created'
  | 'key.revoked'
  | 'store.added'
  | 'store.changed'
  | 'store.removed'
  | 'merchant.added'
  | 'merchant.removed'
  | 'membership.added'
  | 'membership.removed'
  | 'secrets.rotated'

/** A row of the audit table, copied to the log. Every change has one, with its actor. */
export interface AuditRecorded {
  readonly event: 'audit.recorded'
  /** ID of the row; the same event can be logged twice. */
  readonly auditId: string
  readonly at: string
  /** `merchant` and the account's ID, or the name of the database session. */
  readonly actor: string
  readonly action: AuditAction
  readonly storeId: string | null
  readonly keyId: string | null
  readonly merchantId: string | null
  /** JSON. */
  readonly details: string
}

export type ControlEvent = ControlFault | UsageFlushFailed | AuditRecorded

/** Called with each event. Returns at once and never throws. */
export type Observe = (event: ControlEvent) => void
