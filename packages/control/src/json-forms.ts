// Returns stores and keys as JSON. The command line and the admin API print the same members.

import type { KeyPermissions } from './access/key-permissions.ts'
import { endOfKey, type KeySummary } from './access/keys.ts'
import type { RegisteredStore } from './stores.ts'

/** Returns a store for JSON output. The URL has no password. */
export function storeJson(store: RegisteredStore) {
  const { id, externalId, name, origin, state, databaseUrl, schemaName, requiresTwoFactor, createdAt } = store
  const location = { database_url: databaseUrl, schema: schemaName }
  const rule = { two_factor_required: requiresTwoFactor }
  return { id, external_id: externalId, name, origin, state, ...location, ...rule, created_at: createdAt.toISOString() }
}

/** Returns what a key may do, for JSON output. */
export function permissionsJson({ scopes, withoutPersonalData, expiresAt, allowedAddresses }: KeyPermissions) {
  return {
    scopes: scopes === null ? null : [...scopes],
    without_personal_data: withoutPersonalData,
    expires_at: expiresAt?.toISOString() ?? null,
    allowed_addresses: allowedAddresses === null ? null : [...allowedAddresses],
  }
}

/** Returns a key for JSON output, without the secret itself. */
export function keyJson(key: KeySummary) {
  return {
    id: key.id,
    store_id: key.storeId,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    created_by: key.createdBy,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    turned_off_at: key.turnedOffAt?.toISOString() ?? null,
    state: keyState(key),
    retires_at: key.retiresAt?.toISOString() ?? null,
    ...permissionsJson(key),
  }
}

/**
 * Returns whether a key works, and if not, why. A key that has ended counts as `active` or `off` until it is marked as
 * revoked.
 */
export function keyState(key: KeySummary): 'active' | 'off' | 'expired' | 'revoked' {
  const { revokedAt, turnedOffAt } = key
  if (revokedAt === null) return turnedOffAt === null ? 'active' : 'off'
  return endOfKey(key)?.getTime() === revokedAt.getTime() ? 'expired' : 'revoked'
}
