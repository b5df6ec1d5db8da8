// Stores which emails about keys and directory tokens were sent, so that several nodes send each email once. Also
// stores which merchants want no emails about a key. In a round, one node looks for problems and sends the emails.

import { sql } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'
import type { MemberRole } from './member-roles.ts'

/** A problem of a key that merchants get an email about. */
export interface KeyAlert {
  readonly keyId: string
  /** The kind of the problem, such as `silent`. A key has at most one email of a kind a day. */
  readonly kind: string
  /** What distinguishes this problem from an earlier one of the same kind, such as the time of the last request. */
  readonly occurrence: string
}

/** A recipient of the emails about a key. */
export interface AlertRecipient {
  readonly merchantId: string
  readonly email: string
  /** Primary language tag; null if the merchant chose none. */
  readonly language: string | null
  /** The role in the store of the key. */
  readonly role: MemberRole
}

/** Minimum time between the starts of two rounds, whichever nodes run them. */
const ROUND_SECONDS = 240
/** After a longer time without a round, the service was down or sent no emails. */
const GAP_SECONDS = 1800

/**
 * Claims a round for this node; null if a round started less than four minutes ago. Returns the start of the current
 * series of rounds, which has no gap of more than half an hour. The caller needs it because a key must not count as
 * silent for a time in which the service was down.
 */
export async function claimAlertRound({ pool }: ControlDatabase): Promise<Date | null> {
  const [round] = await pool.query<{ steadySince: Date }>(sql`
    insert into alert_rounds as r (id, begun_at, steady_since) values (true, clock_timestamp(), clock_timestamp())
    on conflict (id) do update set begun_at = excluded.begun_at, steady_since =
      case when r.begun_at < clock_timestamp() - make_interval(secs => ${GAP_SECONDS}::int) then excluded.steady_since
        else r.steady_since end
    where r.begun_at < clock_timestamp() - make_interval(secs => ${ROUND_SECONDS}::int)
    returning steady_since as "steadySince"`)
  return round?.steadySince ?? null
}

/**
 * Returns up to `limit` IDs of stores to check, in order: ready, generated stores with a member and a key that isn't
 * revoked. Starts after the ID `after`; null starts with the first ID.
 */
export async function readStoresWithKeys(
  { pool }: ControlDatabase,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<string[]> {
  const rows = await pool.query<{ id: string }>(sql`
    select s.id from stores s
    where s.removed_at is null and s.state = 'ready' and s.origin = 'generated'
      and (${after}::uuid is null or s.id > ${after}::uuid)
      and exists (select from memberships m where m.store_id = s.id)
      and exists (select from api_keys k where k.store_id = s.id and k.revoked_at is null)
    order by s.id limit ${limit}::int`)
  return rows.map(({ id }) => id)
}

/**
 * A condition for the members `b` that get emails. A directory can add any address. So a member that a directory added
 * gets no email before the person has opened the store.
 */
const HAS_AGREED = sql`(not b.from_directory or b.opened_at is not null)`

/** Returns the members who get emails about a key (`HAS_AGREED`) and did not mute them, ordered by email address. */
export async function readAlertRecipients({ pool }: ControlDatabase, keyId: string): Promise<AlertRecipient[]> {
  return pool.query<AlertRecipient>(sql`
    select m.id as "merchantId", m.email, m.language, b.role
    from api_keys k join memberships b on b.store_id = k.store_id join merchants m on m.id = b.merchant_id
    where k.id = ${keyId} and ${HAS_AGREED}
      and not exists (select from alert_mutes u where u.key_id = k.id and u.merchant_id = m.id)
    order by m.email`)
}

/** A revoked secret, and where it was found if it leaked. */
export interface Leak {
  /** First characters of the secret, as lists show them. */
  readonly prefix: string
  readonly lastFour: string
  readonly storeId: string
  readonly storeName: string
  /** Address of the public place; '' if the report doesn't say it. */
  readonly url: string
  /** Kind of the place, such as `commit`; '' if the report doesn't say it. */
  readonly source: string
}

/** A leaked key. */
export interface LeakedKeyAlert extends Leak {
  readonly keyId: string
  readonly name: string
}

/** A revoked token of a directory. `url` and `source` are empty unless it leaked. */
export interface RevokedTokenAlert extends Leak {
  readonly tokenId: string
  /** Whether the token leaked. If not, it was the last active token of a directory that has sent requests. */
  readonly isLeaked: boolean
}

/** The kind of an alert about a leaked key. */
export const LEAKED = 'leaked'
/**
 * Number of days in which nodes try to send the email about a leaked key, or a revoked token. If it were longer than
 * the retention of the records of sent emails, an email could be sent twice.
 */
const LEAK_DAYS = 7
/** Maximum number of alerts that a call returns. A later round sends the rest. */
const LEAKS_AT_ONCE = 500

/**
 * Returns up to 500 keys whose leaks were reported in the last seven days, and about which no email was sent yet,
 * oldest first. Leaves out keys of stores without members.
 */
export async function readLeakedKeys({ pool }: ControlDatabase): Promise<LeakedKeyAlert[]> {
  return pool.query<LeakedKeyAlert>(sql`
    select k.id as "keyId", k.name, k.prefix, k.last_four as "lastFour", s.id as "storeId", s.name as "storeName",
      coalesce(e.details ->> 'url', '') as url, coalesce(e.details ->> 'source', '') as source
    from audit_events e join api_keys k on k.id = e.key_id join stores s on s.id = k.store_id and s.removed_at is null
    where e.action = 'key.revoked' and e.details ->> 'reason' = 'leaked'
      and e.at > clock_timestamp() - make_interval(days => ${LEAK_DAYS}::int)
      and exists (select from memberships m where m.store_id = s.id)
      and not exists (select from alerts a where a.key_id = k.id and a.kind = ${LEAKED})
    order by e.at limit ${LEAKS_AT_ONCE}::int`)
}

/**
 * Returns the members of the store of a key who get emails (`HAS_AGREED`), ordered by email address. An email about a
 * leak ignores mutes.
 */
export async function readLeakRecipients({ pool }: ControlDatabase, keyId: string): Promise<AlertRecipient[]> {
  return pool.query<AlertRecipient>(sql`
    select m.id as "merchantId", m.email, m.language, b.role
    from api_keys k join memberships b on b.store_id = k.store_id join merchants m on m.id = b.merchant_id
    where k.id = ${keyId} and ${HAS_AGREED} order by m.email`)
}

/**
 * Returns up to 500 directory tokens that were revoked in the last seven days, and about which no email was sent yet,
 * oldest first: leaked tokens, and the last token of a directory that has sent requests.
 */
export async function readRevokedTokens({ pool }: ControlDatabase): Promise<RevokedTokenAlert[]> {
  const isLeaked = sql`coalesce(e.details ->> 'reason' = 'leaked', false)`
  return pool.query<RevokedTokenAlert>(sql`
    select t.id as "tokenId", t.prefix, t.last_four as "lastFour", s.id as "storeId", s.name as "storeName",
      coalesce(e.details ->> 'url', '') as url, coalesce(e.details ->> 'source', '') as source, ${isLeaked} as "isLeaked"
    from audit_events e join directory_tokens t on t.id::text = e.details ->> 'token'
    join stores s on s.id = t.store_id and s.removed_at is null
    where e.action = 'directory_token.revoked' and t.revocation_emailed_at is null
      and e.at > clock_timestamp() - make_interval(days => ${LEAK_DAYS}::int)
      and (${isLeaked} or (
        not exists (select from directory_tokens o where o.store_id = t.store_id
          and (o.revoked_at is null or (o.revoked_at, o.id) > (t.revoked_at, t.id)))
        and exists (select from directory_tokens o where o.store_id = t.store_id and o.last_used_at is not null)))
    order by e.at limit ${LEAKS_AT_ONCE}::int`)
}

/** Returns the admins of a store who get emails (`HAS_AGREED`), ordered by email address. */
export async function readAdminRecipients({ pool }: ControlDatabase, storeId: string): Promise<AlertRecipient[]> {
  return pool.query<AlertRecipient>(sql`
    select m.id as "merchantId", m.email, m.language, b.role
    from memberships b join merchants m on m.id = b.merchant_id
    where b.store_id = ${storeId} and b.role = 'admin' and ${HAS_AGREED} order by m.email`)
}

/** Records the email about a revoked token as sent, before it is sent. Returns false if another call recorded it. */
export async function claimTokenAlert({ pool }: ControlDatabase, tokenId: string): Promise<boolean> {
  const claimed = await pool.execute(sql`
    update directory_tokens set revocation_emailed_at = clock_timestamp()
    where id = ${tokenId} and revocation_emailed_at is null`)
  return claimed > 0
}

/** Undoes `claimTokenAlert` after the email could not be sent, so that the next round sends it. */
export async function releaseTokenAlert({ pool }: ControlDatabase, tokenId: string): Promise<void> {
  await pool.execute(sql`update directory_tokens set revocation_emailed_at = null where id = ${tokenId}`)
}

/**
 * Records an email as sent, before it is sent. Returns false if another call recorded it, or if the key had an email of
 * this kind today (UTC).
 */
export async function claimAlert({ pool }: ControlDatabase, { keyId, kind, occurrence }: KeyAlert): Promise<boolean> {
  const claimed = await pool.execute(sql`
    insert into alerts (key_id, kind, occurrence, day)
    values (${keyId}, ${kind}, ${occurrence}, (clock_timestamp() at time zone 'UTC')::date)
    on conflict do nothing`)
  return claimed > 0
}

/** Undoes `claimAlert` after the email could not be sent, so that the next round sends it. */
export async function releaseAlert({ pool }: ControlDatabase, { keyId, kind, occurrence }: KeyAlert): Promise<void> {
  await pool.execute(sql`
    delete from alerts where key_id = ${keyId} and kind = ${kind} and occurrence = ${occurrence}`)
}

/** Whether the merchant has stopped the emails about the key. */
export async function hasMutedKey(
  { pool }: ControlDatabase,
  { merchantId, keyId }: { readonly merchantId: string; readonly keyId: string },
): Promise<boolean> {
  const rows = await pool.query(sql`
    select from alert_mutes where key_id = ${keyId} and merchant_id = ${merchantId}`)
  return rows.length > 0
}

/** Stops or resumes the emails about a key for a merchant. Ignores keys and merchants that do not exist. */
export async function setKeyMuted(
  { pool }: ControlDatabase,
  { merchantId, keyId, isMuted }: { readonly merchantId: string; readonly keyId: string; readonly isMuted: boolean },
): Promise<void> {
  if (isMuted)
    await pool.execute(sql`
      insert into alert_mutes (key_id, merchant_id)
      select k.id, m.id from api_keys k, merchants m where k.id = ${keyId} and m.id = ${merchantId}
      on conflict do nothing`)
  else await pool.execute(sql`delete from alert_mutes where key_id = ${keyId} and merchant_id = ${merchantId}`)
}
