// Reads what happened to a store and its keys from the audit table, for the merchant's dashboard.

import { type SqlFragment, sql } from '@store-export/postgres'
import { LEAK_REPORT } from './access/leaked-keys.ts'
import type { AuditAction } from './control-event.ts'
import type { ControlDatabase } from './database.ts'
import { DIRECTORY_ACTOR } from './directory-users.ts'
import type { MemberRole } from './member-roles.ts'

/** First words of the name of the command line's sessions, which is the actor of their changes in the audit table. */
export const COMMAND_LINE_SESSION = 'store-export command'

/**
 * Actors of changes other than a merchant's account. `removed_account` is a merchant whose account was deleted later.
 * `end_date` is the end date of a key, and `leak_report` a report of a secret scanner. `directory` is the directory of
 * the store's company. `command_line` is the command `store-export`. `platform` is any other actor, such as an admin
 * token, single sign-on, or `psql`.
 */
export const OTHER_ACTORS = [
  'removed_account',
  'end_date',
  'leak_report',
  'directory',
  'command_line',
  'platform',
] as const

/** An actor that is not a merchant's account. */
export type OtherActor = (typeof OTHER_ACTORS)[number]

/** The actor of a change. `by` is the ID of the account, or the name of another actor. */
export type StoreActor =
  | { readonly by: string; readonly email: string }
  | { readonly by: OtherActor; readonly email: null }

/** The actions that a `StoreEventFilter` can select. Without a filter, events can have other actions. */
export const STORE_ACTIONS = [
  'key.created',
  'key.renamed',
  'key.permissions_changed',
  'key.revoked',
  'key.turned_off',
  'key.turned_on',
  'membership.added',
  'membership.role_changed',
  'membership.removed',
  'invitation.created',
  'invitation.withdrawn',
  'two_factor_rule.enabled',
  'two_factor_rule.disabled',
  'directory_token.created',
  'directory_token.revoked',
  'directory_user.role_changed',
  'store.added',
  'store.changed',
] as const satisfies readonly AuditAction[]

/** One of `STORE_ACTIONS`. */
export type StoreAction = (typeof STORE_ACTIONS)[number]

/** A change of a store, of one of its keys, or of the merchants who see it. */
export interface StoreEvent {
  readonly id: string
  readonly at: Date
  readonly action: AuditAction
  readonly actor: StoreActor
  /** The key of the change, with its name today; null if the change concerns no key or a deleted key. */
  readonly key: { readonly id: string; readonly name: string; readonly isReplacement: boolean } | null
  /**
   * Email address of the merchant whose access changed, or of an invitation; null otherwise, and after the account or
   * the invitation is deleted.
   */
  readonly merchantEmail: string | null
  /**
   * Whether the merchant whose access changed is the actor, who accepted an invitation, changed their own role, or left
   * the store. Null if no merchant's access changed.
   */
  readonly isOwnChange: boolean | null
  /** Why a key or a directory token was revoked automatically: `expired` or `leaked`; null otherwise. */
  readonly reason: string | null
  /** The role that a member got, or that an invitation gives; null for other changes. */
  readonly role: MemberRole | null
  /**
   * Address and kind of the public place where a leaked key or directory token was found; '' if the report doesn't say
   * them, and for other changes.
   */
  readonly foundAt: { readonly url: string; readonly source: string }
  /** Names of the changed columns of the store, or of the changed limits of a key; empty for other changes. */
  readonly changed: readonly string[]
}

/** The events to read. Null chooses all. */
export interface StoreEventFilter {
  readonly action: StoreAction | null
  /** The `by` of an actor. */
  readonly by: string | null
  /** Selects events at this time or later. */
  readonly since: Date | null
  /** Selects events before this time. */
  readonly until: Date | null
}

/** Maximum number of events of a page. */
export const EVENTS_PER_PAGE = 50

/**
 * Returns up to `limit` events of a store that match the filter, newest first, and the ID to pass as `before` for the
 * next page; null on the last page. With the ID of another store as `before`, returns no events. The IDs must be UUIDs.
 */
export async function readStoreEvents(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly filter: StoreEventFilter
  /** ID of the last event of the page before; null for the newest events. */
  readonly before: string | null
  readonly limit: number
}): Promise<{ readonly events: readonly StoreEvent[]; readonly before: string | null }> {
  const { database, storeId, filter, before, limit } = options
  const rows = await database.pool.query<EventRow>(sql`
    select e.id, e.at, e.action, ${ACTOR} as by, actor.email as "actorEmail", e.key_id as "keyId", k.name as "keyName",
      k.replaces is not null as "isReplacement", coalesce(m.email, i.email) as "merchantEmail",
      e.actor = 'merchant ' || e.merchant_id as "isOwnChange", e.details ->> 'reason' as reason, e.details ->> 'role' as role,
      coalesce(e.details ->> 'url', '') as url, coalesce(e.details ->> 'source', '') as source,
      coalesce(e.details -> 'changed', '[]')::text as changed
    from audit_events e
    left join api_keys k on k.id = e.key_id
    left join merchants m on m.id = e.merchant_id
    left join invitations i on i.id = (e.details ->> 'invitation')::uuid
    left join merchants actor on e.actor = 'merchant ' || actor.id
    where e.store_id = ${storeId}
      and e.action = coalesce(${filter.action}, e.action)
      and e.at >= coalesce(${filter.since?.toISOString() ?? null}::timestamptz, e.at)
      and e.at < coalesce(${filter.until?.toISOString() ?? null}::timestamptz, 'infinity')
      and (${filter.by}::text is null or ${ACTOR} = ${filter.by}::text)
      and (${before}::uuid is null or (e.at, e.id) < (
      select last.at, last.id from audit_events last where last.id = ${before}::uuid and last.store_id = ${storeId}))
    order by e.at desc, e.id desc limit ${limit + 1}::int`)
  const events = rows.slice(0, limit).map(eventOf)
  return { events, before: rows.length > limit ? (events.at(-1)?.id ?? null) : null }
}

/**
 * Returns the actors of all events of a store: accounts by email address, then the others in the order of
 * `OTHER_ACTORS`.
 */
export async function readStoreActors(database: ControlDatabase, storeId: string): Promise<StoreActor[]> {
  const rows = await database.pool.query<{ by: string; email: string | null }>(sql`
    select distinct ${ACTOR} as by, actor.email from audit_events e
    left join merchants actor on e.actor = 'merchant ' || actor.id
    where e.store_id = ${storeId} order by email`)
  const actors = rows.map(({ by, email }) => actorOf(by, email))
  const others = OTHER_ACTORS.flatMap((name) => actors.filter(({ by, email }) => email === null && by === name))
  return [...actors.filter(({ email }) => email !== null), ...others]
}

/** The `by` of an event `e`, whose merchant is `actor`. */
const ACTOR: SqlFragment = sql`
  coalesce(actor.id, case
    when e.actor like 'merchant %' then 'removed_account'
    when e.details ->> 'reason' = 'expired' then 'end_date'
    when e.actor = ${LEAK_REPORT} then 'leak_report'
    when e.actor = ${DIRECTORY_ACTOR} then 'directory'
    when starts_with(e.actor, ${COMMAND_LINE_SESSION}) then 'command_line'
    else 'platform' end)`

function actorOf(by: string, email: string | null): StoreActor {
  return email === null ? { by: by as OtherActor, email } : { by, email }
}

function eventOf({
  keyId,
  keyName,
  isReplacement,
  changed,
  url,
  source,
  by,
  actorEmail,
  ...event
}: EventRow): StoreEvent {
  return {
    ...event,
    actor: actorOf(by, actorEmail),
    key: keyId === null || keyName === null ? null : { id: keyId, name: keyName, isReplacement },
    foundAt: { url, source },
    changed: JSON.parse(changed) as string[],
  }
}

interface EventRow extends Omit<StoreEvent, 'actor' | 'key' | 'changed' | 'foundAt'> {
  readonly by: string
  readonly actorEmail: string | null
  readonly keyId: string | null
  readonly keyName: string | null
  readonly isReplacement: boolean
  readonly url: string
  readonly source: string
  /** A JSON array. */
  readonly changed: string
}
