// Events of the control database. They carry IDs and numbers, but no key and no password.

/** A query on the control database failed. */
export interface ControlQueryFailed {
  readonly event: 'control.query_failed'
  readonly requestId: string | null
  readonly cause: unknown
}

/** Usage statistics could not be written. The next attempt writes them, except for `dropped` requests. */
export interface UsageWriteFailed {
  readonly event: 'usage.write_failed'
  readonly cause: unknown
  /** Pairs of key and hour that wait for the next attempt. */
  readonly pending: number
  /** Requests that are missing from the statistics, because memory for them is limited. */
  readonly dropped: number
}

/** Actions in the audit table. */
export const AUDIT_ACTIONS = [
  'key.created',
  'key.revoked',
  'store.added',
  'store.changed',
  'store.removed',
  'merchant.added',
  'merchant.removed',
  'membership.added',
  'membership.removed',
  'secrets.rotated',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

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

export type ControlEvent = ControlQueryFailed | UsageWriteFailed | AuditRecorded

/** Called with each event. Returns at once and never throws. */
export type ControlEventHandler = (event: ControlEvent) => void
