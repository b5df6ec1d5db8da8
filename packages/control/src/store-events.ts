// Reads what happened to a store and its keys from the audit table, for the merchant's dashboard.

import { sql } from '@store-export/postgres'
import type { AuditAction } from './control-event.ts'
import type { ControlDatabase } from './database.ts'

/** A change of a store, of one of its keys, or of the merchants who see it. */
export interface StoreEvent {
  readonly id: string
  readonly at: Date
  readonly action: AuditAction
  /** Email address of the merchant who made the change; null if it was not a merchant, or if the account is removed. */
  readonly actorEmail: string | null
  /** `merchant` and the account's ID, or the name of the database session. */
  readonly actor: string
  /** The key of the change, with its name today; null if the change concerns no key. */
  readonly key: { readonly id: string; readonly name: string; readonly isReplacement: boolean } | null
  /**
   * Email address of the merchant whose access changed, or of an invitation; null otherwise, and after the account or
   * the invitation is deleted.
   */
  readonly merchantEmail: string | null
  /** Whether the merchant whose access changed is the actor: the merchant accepted an invitation, or left the store. */
  readonly isOwnChange: boolean | null
  /** Why a key was revoked without a person: `expired` or `leaked`; null otherwise. */
  readonly reason: string | null
  /** Address and kind of the public place where a leaked key was found; '' if the report doesn't say it. */
  readonly foundAt: { readonly url: string; readonly source: string }
  /** Names of the changed columns of the store; empty for other changes. */
  readonly changed: readonly string[]
}

/** Maximum number of events of a page. */
export const EVENTS_PER_PAGE = 50

/**
 * Returns up to 50 events of a store, newest first, and the ID to pass as `before` for the next page; null on the last
 * page. With the ID of another store as `before`, returns no events. The IDs must be UUIDs. Rejects like `Pool.query`.
 */
export async function readStoreEvents(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  /** ID of the last event of the page before; null for the newest events. */
  readonly before: string | null
}): Promise<{ readonly events: readonly StoreEvent[]; readonly before: string | null }> {
  const { database, storeId, before } = options
  const rows = await database.pool.query<EventRow>(sql`
    select e.id, e.at, e.action, e.actor, actor.email as "actorEmail", e.key_id as "keyId", k.name as "keyName",
      k.replaces is not null as "isReplacement", coalesce(m.email, i.email) as "merchantEmail",
      e.actor = 'merchant ' || e.merchant_id as "isOwnChange", e.details ->> 'reason' as reason,
      coalesce(e.details ->> 'url', '') as url, coalesce(e.details ->> 'source', '') as source,
      coalesce(e.details -> 'changed', '[]')::text as changed
    from audit_events e
    left join api_keys k on k.id = e.key_id
    left join merchants m on m.id = e.merchant_id
    left join invitations i on i.id = (e.details ->> 'invitation')::uuid
    left join merchants actor on e.actor = 'merchant ' || actor.id
    where e.store_id = ${storeId} and (${before}::uuid is null or (e.at, e.id) < (
      select last.at, last.id from audit_events last where last.id = ${before}::uuid and last.store_id = ${storeId}))
    order by e.at desc, e.id desc limit ${EVENTS_PER_PAGE + 1}::int`)
  const events = rows
    .slice(0, EVENTS_PER_PAGE)
    .map(({ keyId, keyName, isReplacement, changed, url, source, ...event }) => {
      const key = keyId === null || keyName === null ? null : { id: keyId, name: keyName, isReplacement }
      return { ...event, key, foundAt: { url, source }, changed: JSON.parse(changed) as string[] }
    })
  return { events, before: rows.length > EVENTS_PER_PAGE ? (events.at(-1)?.id ?? null) : null }
}

interface EventRow extends Omit<StoreEvent, 'key' | 'changed' | 'foundAt'> {
  readonly keyId: string | null
  readonly keyName: string | null
  readonly isReplacement: boolean
  readonly url: string
  readonly source: string
  /** A JSON array. */
  readonly changed: string
}
