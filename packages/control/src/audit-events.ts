// Reads the audit table for the admin API, and records an event that no trigger sees.

import { sql } from '@store-export/postgres'
import { namingActor } from './access/keys.ts'
import type { AuditAction } from './control-event.ts'
import { type ControlDatabase, queryOne } from './database.ts'
import { UnknownMerchant } from './merchants.ts'

/** A row of the audit table. `AuditRecorded` describes its members. */
export interface AuditEvent {
  readonly id: string
  /** RFC 3339 with microseconds, in UTC. */
  readonly at: string
  readonly actor: string
  readonly action: AuditAction
  readonly storeId: string | null
  readonly keyId: string | null
  readonly merchantId: string | null
  readonly details: Readonly<Record<string, unknown>>
}

/** The position of an event: its time and its ID. */
export type AuditPosition = Pick<AuditEvent, 'id' | 'at'>

/** Which events to read. */
export interface AuditQuery {
  readonly database: ControlDatabase
  /** The only store to read; null for all events. */
  readonly storeId: string | null
  /** Selects events at this time or later; null for all. */
  readonly since: Date | null
  /** Position of the last event of the page before; null for the first page. */
  readonly after: AuditPosition | null
  readonly limit: number
}

/**
 * Returns up to `limit` events, oldest first. An event gets its time before its transaction commits. So an event can
 * appear later, with an earlier time than events that were read already. A reader of further pages then misses it.
 */
export async function readAuditEvents({ database, storeId, since, after, limit }: AuditQuery): Promise<AuditEvent[]> {
  const ofStore = storeId === null ? sql`` : sql`and store_id = ${storeId}`
  const start = since === null ? sql`` : sql`and at >= ${since}`
  const rest = after === null ? sql`` : sql`and (at, id) > (${after.at}::timestamptz, ${after.id}::uuid)`
  const rows = await database.pool.query<Omit<AuditEvent, 'details'> & { details: unknown }>(sql`
    select id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, actor, action,
      store_id as "storeId", key_id as "keyId", merchant_id as "merchantId", details
    from audit_events where true ${ofStore} ${start} ${rest} order by audit_events.at, id limit ${limit}::int`)
  return rows.map((row) => ({ ...row, details: row.details as AuditEvent['details'] }))
}

/** Records that a one-time sign-in link was created. Rejects with `UnknownMerchant` if no account has the address. */
export async function recordSignInLink({ pool }: ControlDatabase, email: string, actor?: string): Promise<void> {
  // `count` calls the function for the account, and returns 0 if there is no account.
  const { recorded } = await queryOne<{ recorded: number }>(
    pool,
    sql`
    with merchant as (select id from merchants where email = ${email.trim().toLowerCase()} and ${namingActor(actor)})
    select count(audit_record('sign_in_link.created', null, null, id, '{}'))::int as recorded from merchant`,
  )
  if (recorded === 0) throw new UnknownMerchant(email)
}
