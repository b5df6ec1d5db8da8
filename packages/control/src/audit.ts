// Copies audit events to the nodes' logs, so that a copy survives the loss of the control database. Triggers write the
// events (audit-schema.ts). One second after its previous attempt, each node logs the events that no node has logged
// yet.

import { sql, within } from '@store-export/postgres'
import type { AuditAction, AuditRecorded, ControlEventHandler } from './control-event.ts'
import type { ControlDatabase } from './database.ts'

/** The control database, and the log that gets the events. */
export interface AuditLogOptions {
  readonly database: ControlDatabase
  /** Writes an event to the log. Returns whether the log accepted it. */
  readonly record: (event: AuditRecorded) => boolean
  readonly emit: ControlEventHandler
}

const INTERVAL_MS = 1000
/** Maximum time that `close` waits for events that are being logged. Another node, or the next start, logs the rest. */
const CLOSE_MS_MAX = 1000
const EVENTS_AT_ONCE = 500

/**
 * Writes new events to the log, one second after the previous attempt, until `close`. The log gets each event at least
 * once: an event that it didn't accept is written later, and two nodes that read an event at the same time both write
 * it. Errors of the database are emitted, but not after `close`. `close` waits for a running attempt, up to a second.
 */
export function startAuditLog(options: AuditLogOptions): { close(): Promise<void> } {
  let isClosed = false
  let underWay: Promise<void> = Promise.resolve()
  const next = () => {
    underWay = logEvents(options)
      .then(() => undefined)
      .catch((cause: unknown) => {
        if (!isClosed) options.emit({ event: 'control.query_failed', requestId: null, cause })
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
      await within(CLOSE_MS_MAX, underWay).catch(() => undefined)
    },
  }
}

/**
 * Writes up to 500 events that no node has logged yet, oldest first. Stops at the first event that the log rejects.
 * Returns the number of logged events. Rejects like `Pool.query`; the next call can then log the same events again.
 */
export async function logEvents({ database, record }: Pick<AuditLogOptions, 'database' | 'record'>): Promise<number> {
  const { pool } = database
  const events = await pool.query<AuditRow>(sql`
    select id as "auditId", to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, actor, action, store_id as "storeId", key_id as "keyId", merchant_id as "merchantId",
      details
    from audit_events where id in (select event_id from audit_unlogged) order by at limit ${EVENTS_AT_ONCE}`)
  const refused = events.findIndex(
    ({ details, ...rest }) => !record({ event: 'audit.recorded', ...rest, details: JSON.stringify(details) }),
  )
  const logged = refused === -1 ? events : events.slice(0, refused)
  if (logged.length === 0) return 0
  await pool.execute(
    sql`delete from audit_unlogged where event_id = any (${logged.map(({ auditId }) => auditId)}::uuid[])`,
  )
  return logged.length
}

type AuditRow = Omit<AuditRecorded, 'event' | 'details'> & {
  readonly action: AuditAction
  readonly details: unknown
}
