// The audit table of changes to keys, stores, merchants, and secrets. Triggers write it (migrations/006-audit.ts). The
// nodes copy each event to their log, so that a copy of it survives the control database.

import type { AuditAction, AuditRecorded, Observe } from '../observe.ts'
import type { ControlDatabase } from './database.ts'

/** Options of the writer of events. */
export interface AuditLogOptions {
  readonly database: ControlDatabase
  readonly observe: Observe
}

const INTERVAL_MS = 1000
const EVENTS_AT_ONCE = 500

/**
 * Writes new events to the log once a second, until the returned function is called. Each event is written at least once:
 * two nodes that read it at the same time both write it.
 */
export function startAuditLog(options: AuditLogOptions): { close(): Promise<void> } {
  let isClosed = false
  let underWay: Promise<void> = Promise.resolve()
  const next = () => {
    underWay = logEvents(options)
      .then(() => undefined)
      .catch((cause: unknown) => {
        if (!isClosed) options.observe({ event: 'control fault', requestId: null, cause })
      })
      .finally(() => {
        if (!isClosed) timer = setTimeout(next, INTERVAL_MS).unref()
      })
  }
  let timer = setTimeout(next, INTERVAL_MS).unref()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await underWay
    },
  }
}

/** Writes the events that no node has logged yet, oldest first; returns how many. */
export async function logEvents({ database, observe }: AuditLogOptions): Promise<number> {
  const { sql } = database
  const events = await sql<AuditRow[]>`
    select id as "auditId", at, actor, action, store_id as "storeId", key_id as "keyId", merchant_id as "merchantId",
      details
    from audit_events where id in (select event_id from audit_unlogged) order by at limit ${EVENTS_AT_ONCE}`
  if (events.length === 0) return 0
  for (const { at, details, ...rest } of events) {
    observe({ event: 'audit.recorded', ...rest, at: at.toISOString(), details: JSON.stringify(details) })
  }
  await sql`delete from audit_unlogged where event_id in ${sql(events.map(({ auditId }) => auditId))}`
  return events.length
}

type AuditRow = Omit<AuditRecorded, 'event' | 'at' | 'details'> & {
  readonly at: Date
  readonly action: AuditAction
  readonly details: unknown
}
