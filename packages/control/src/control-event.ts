// The events of the control database. They contain IDs and numbers, but no key and no password. A `cause` can contain
// anything, so the log writes only its safe parts (operator/src/log.ts).

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
  /** Number of pairs of key and hour that wait for the next attempt. */
  readonly pending: number
  /** Number of requests that are missing from the statistics, because memory for them is limited. */
  readonly dropped: number
}

/** Actions in the audit table. */
export const AUDIT_ACTIONS = [
  'key.created',
  'key.revoked',
  'key.renamed',
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

/** A row of the audit table, copied to the log. Every change has a row, which names its actor. */
export interface AuditRecorded {
  readonly event: 'audit.recorded'
  /** ID of the row. The log can contain the same event twice. */
  readonly auditId: string
  /** RFC 3339 with microseconds, in UTC. */
  readonly at: string
  /** `merchant` and the account's ID, or the name of the database session. */
  readonly actor: string
  readonly action: AuditAction
  readonly storeId: string | null
  readonly keyId: string | null
  readonly merchantId: string | null
  /** A JSON object. */
  readonly details: string
}

/** An event of the control database. */
export type ControlEvent = ControlQueryFailed | UsageWriteFailed | AuditRecorded

/** Called with each event. The handler must return immediately and must not throw. */
export type ControlEventHandler = (event: ControlEvent) => void
