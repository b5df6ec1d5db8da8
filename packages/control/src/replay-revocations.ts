// Prevents a key that was revoked or turned off from working again after a restore of the control database. It repeats
// the revocations and removals that happened after the backup, from the audit events in the nodes' logs.

import { sql } from '@store-export/postgres'
import { revokeDirectoryToken } from './access/directory-tokens.ts'
import { revokeKey } from './access/keys.ts'
import { switchKey } from './access/switch-key.ts'
import { revokeAdminToken } from './admin-tokens.ts'
import type { AuditRecorded } from './control-event.ts'
import type { ControlDatabase } from './database.ts'
import { blockClaim } from './directory-accounts.ts'
import { reduceInvitation, withdrawInvitation } from './invitations.ts'
import { findMemberRole, type MemberRole, reduceMemberRole } from './member-roles.ts'
import { removeMembership, removeMerchant, removePasskey } from './merchants.ts'
import { isUuid } from './random.ts'
import { getStore, removeStore } from './stores.ts'
import { setTwoFactorRule } from './two-factor-rule.ts'

/** The members of an audit event that a replay needs. */
export type RevocationEvent = Pick<AuditRecorded, 'action' | 'at' | 'storeId' | 'keyId' | 'merchantId' | 'details'>

/** Numbers of replayed events, by their effect. */
export interface Replay {
  /** Number of replayed events, without duplicates, superseded events, and events that only give access. */
  readonly events: number
  readonly keysRevoked: number
  readonly keysTurnedOff: number
  readonly storesRemoved: number
  readonly merchantsRemoved: number
  readonly membershipsRemoved: number
  /** Number of members who got a role with fewer rights. */
  readonly rolesReduced: number
  readonly invitationsWithdrawn: number
  /** Number of invitations that got a role with fewer rights. */
  readonly invitationsReduced: number
  readonly passkeysRemoved: number
  /** Number of stores that require a second factor again. */
  readonly twoFactorRulesEnabled: number
  /** IDs of active keys whose permissions changed after the backup. The events don't say what the permissions were. */
  readonly keysToCompare: readonly string[]
  readonly adminTokensRevoked: number
  readonly directoryTokensRevoked: number
  /** Number of events without effect, such as those about IDs that the backup doesn't have. */
  readonly unchanged: number
}

/**
 * Revokes, turns off, and removes what these events revoked, turned off, and removed. Only the last event about an
 * object counts. The objects are in the order of their first events. A repetition changes nothing. A merchant who lost
 * access to a store and got it again still sees the store. A member or an invitation gets its last role if that has
 * fewer rights than in the backup, even the last admin. A key that was turned on again stays as the backup has it.
 * Rejects like `Pool.query`; the events before the error have then taken effect.
 */
export async function replayRevocations(
  database: ControlDatabase,
  events: readonly RevocationEvent[],
): Promise<Replay> {
  const last = new Map<string, RevocationEvent>()
  const invitations = new Map<string, string>()
  for (const event of events.toSorted(compareTimes)) {
    const { action, storeId, keyId, merchantId, details } = event
    const kind = action.split('.')[0]
    const invitationId = idIn(event, 'invitation')
    if (action === 'membership.added' && invitationId !== '') invitations.set(memberOf(event), invitationId)
    if (kind === 'membership') last.set([kind, memberOf(event)].join(' '), event)
    else if (action === 'key.revoked' || action === 'store.removed' || action === 'merchant.removed')
      last.set([kind, keyId ?? storeId ?? merchantId].join(' '), event)
    else if (kind === 'two_factor_rule') last.set([kind, storeId].join(' '), event)
    else if (action === 'key.turned_off' || action === 'key.turned_on') last.set(['switch', keyId].join(' '), event)
    else if (kind === 'invitation') last.set([kind, invitationId].join(' '), event)
    else if (DETAILED.includes(action)) last.set([kind, details].join(' '), event)
  }
  const revocations = [...last.values()].filter((event) => !givesAccess(event))
  const done: Record<string, number> = {}
  for (const event of revocations) {
    const hasEnded = await endInvitation(database, event, invitations.get(memberOf(event)) ?? '')
    if ((await replay(database, event)) || hasEnded) done[event.action] = (done[event.action] ?? 0) + 1
  }
  const count = (action: RevocationEvent['action']) => done[action] ?? 0
  return {
    events: revocations.length,
    keysRevoked: count('key.revoked'),
    keysTurnedOff: count('key.turned_off'),
    storesRemoved: count('store.removed'),
    merchantsRemoved: count('merchant.removed'),
    membershipsRemoved: count('membership.removed'),
    rolesReduced: count('membership.added') + count('membership.role_changed'),
    invitationsWithdrawn: count('invitation.withdrawn'),
    invitationsReduced: count('invitation.created'),
    passkeysRemoved: count('passkey.removed'),
    twoFactorRulesEnabled: count('two_factor_rule.enabled'),
    keysToCompare: await keysToCompare(database, events),
    adminTokensRevoked: count('admin_token.revoked'),
    directoryTokensRevoked: count('directory_token.revoked'),
    unchanged: revocations.length - Object.values(done).reduce((sum, each) => sum + each, 0),
  }
}

/** Returns the active keys with changes of their permissions that the database doesn't know. */
async function keysToCompare({ pool }: ControlDatabase, events: readonly RevocationEvent[]): Promise<string[]> {
  const changes = events.filter(({ action, keyId }) => action === 'key.permissions_changed' && isUuid(keyId ?? ''))
  const keys = await pool.query<{ id: string }>(sql`
    select distinct k.id
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c ("keyId" uuid, at timestamptz)
    join api_keys k on k.id = c."keyId" and k.revoked_at is null
    where not exists (
      select from audit_events a where a.key_id = k.id and a.at = c.at and a.action = 'key.permissions_changed')
    order by k.id`)
  return keys.map(({ id }) => id)
}

/** Actions whose object is an ID in the details. */
const DETAILED: readonly string[] = ['passkey.removed', 'admin_token.revoked', 'directory_token.revoked']
const ROLE_ACTIONS: readonly string[] = ['membership.added', 'membership.role_changed', 'invitation.created']

/**
 * Whether the event can only give rights. An event with the role of a developer or viewer can take rights from an
 * admin.
 */
function givesAccess({ action, details }: RevocationEvent): boolean {
  if (action === 'key.turned_on' || action === 'two_factor_rule.disabled') return true
  return ROLE_ACTIONS.includes(action) && roleIn(details) === 'admin'
}

/** Returns the role in the details of an event; `admin` for events from before there were roles. */
function roleIn(details: string): MemberRole {
  return findMemberRole(/"role": ?"(\w+)"/.exec(details)?.[1] ?? '') ?? 'admin'
}

/** Returns the name of a member, for maps: the IDs of the merchant and the store. */
function memberOf({ merchantId, storeId }: RevocationEvent): string {
  return [merchantId, storeId].join(' ')
}

/**
 * Repeats the event of a member for the invitation that the member accepted. In a backup from before the acceptance,
 * the invitation is pending, and its link would work again. Returns whether the invitation changed.
 */
async function endInvitation(
  database: ControlDatabase,
  { action, storeId, details }: RevocationEvent,
  invitationId: string,
): Promise<boolean> {
  if (invitationId === '') return false
  if (action === 'membership.removed') return withdrawInvitation({ database, storeId: storeId ?? '', invitationId })
  if (!action.startsWith('membership.')) return false
  return reduceInvitation(database, { storeId, invitationId }, roleIn(details))
}

/** Compares times as text within a millisecond, because `Date` has no microseconds. */
function compareTimes({ at: one }: RevocationEvent, { at: other }: RevocationEvent): number {
  const text = one < other ? -1 : Number(one > other)
  return Date.parse(one) - Date.parse(other) || text
}

/** Repeats an event. Returns whether it had an effect. */
async function replay(database: ControlDatabase, { action, ...of }: RevocationEvent): Promise<boolean> {
  if (action === 'key.revoked') return (await revokeKey({ database, keyId: of.keyId ?? '' })) === 'revoked'
  if (action === 'key.turned_off')
    return (await switchKey({ database, keyId: of.keyId ?? '', to: 'off' })) === 'switched'
  if (action === 'store.removed') {
    // This must be an ID. The external ID of a removed store can belong to another store today.
    const store = await getStore(database, of.storeId ?? '')
    return store !== null && store.id === of.storeId && (await removeStore(database, store.id)).removed
  }
  const invitationId = idIn(of, 'invitation')
  if (action === 'invitation.withdrawn')
    return withdrawInvitation({ database, storeId: of.storeId ?? '', invitationId })
  const role = roleIn(of.details)
  if (action === 'invitation.created') return reduceInvitation(database, { storeId: of.storeId, invitationId }, role)
  if (action === 'membership.added' || action === 'membership.role_changed') return reduceMemberRole(database, of, role)
  if (action === 'admin_token.revoked') return (await revokeAdminToken(database, idIn(of, 'token'))) === 'revoked'
  if (action === 'passkey.removed') return removePasskey(database, idIn(of, 'passkey'))
  if (action === 'directory_token.revoked')
    return (await revokeDirectoryToken({ database, tokenId: idIn(of, 'token') })) === 'revoked'
  if (action === 'two_factor_rule.enabled') return enableTwoFactorRule(database, of.storeId)
  const email = await emailOf(database, of.merchantId ?? '')
  if (email === null) return false
  if (action === 'membership.removed') {
    const { storeId, merchantId } = of
    if (storeId === null || merchantId === null || !isUuid(storeId)) return false
    const { removed } = await removeMembership(database, email, storeId)
    const isByDirectory = idIn(of, 'token') !== ''
    if (isByDirectory) await database.pool.use((connection) => blockClaim(connection, { storeId, email }))
    return removed
  }
  // The remaining action is `merchant.removed`.
  await removeMerchant(database, email)
  return true
}

async function enableTwoFactorRule(database: ControlDatabase, storeId: string | null): Promise<boolean> {
  if (storeId === null || !isUuid(storeId)) return false
  return (await setTwoFactorRule({ database, storeId, isRequired: true, changedBy: null })) === 'changed'
}

/** Returns an ID in the details; '' without it. */
function idIn({ details }: Pick<RevocationEvent, 'details'>, name: 'invitation' | 'passkey' | 'token'): string {
  return new RegExp(`"${name}": ?"([0-9a-f-]{36})"`).exec(details)?.[1] ?? ''
}

async function emailOf({ pool }: ControlDatabase, merchantId: string): Promise<string | null> {
  const [merchant] = await pool.query<{ email: string }>(sql`select email from merchants where id = ${merchantId}`)
  return merchant?.email ?? null
}
