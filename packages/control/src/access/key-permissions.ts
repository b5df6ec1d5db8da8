// Describes and checks what a key may do: the resources that it may read, whether it gets personal data, when it ends,
// and the addresses that it works from. Admission returns or enforces each of these with every request.

import { BlockList, isIP } from 'node:net'
import { SCOPES, type Scope } from '@store-export/contract'
import { type SqlFragment, sql } from '@store-export/postgres'

/** The permissions of a key. */
export interface KeyPermissions {
  /** The resources that the key may read; null for all. */
  readonly scopes: readonly Scope[] | null
  /** Whether responses replace personal data with nulls and pseudonyms (R40 in docs/spec/readings.md). */
  readonly withoutPersonalData: boolean
  /** Time from which the service rejects the key; null for no end. */
  readonly expiresAt: Date | null
  /** Addresses and networks in CIDR notation; null for every address. */
  readonly allowedAddresses: readonly string[] | null
}

/** Permissions of a key without limits: every resource, with personal data, from every address, without an end. */
export const ALL_PERMISSIONS: KeyPermissions = {
  scopes: null,
  withoutPersonalData: false,
  expiresAt: null,
  allowedAddresses: null,
}

/** Thrown for permissions that are not accepted. The message contains the rule. */
export class InvalidKeyPermissionError extends Error {
  override readonly name = 'InvalidKeyPermissionError'
}

/** Maximum number of addresses and networks of a key. */
export const ADDRESSES_MAX = 50

/** The latest time with a year of four digits. `Date` writes later years in a form that PostgreSQL doesn't read. */
export const LATEST_END = new Date('9999-12-31T23:59:59.999Z')

/**
 * Returns the permissions without repetitions, with the scopes in the order of `SCOPES`. Throws
 * `InvalidKeyPermissionError` for an unknown scope, an invalid address, an empty list, and more than 50 addresses. Also
 * throws for an end that isn't after `now`, or is after `LATEST_END`.
 */
export function checkPermissions(permissions: KeyPermissions, now: Date): KeyPermissions {
  const { scopes, expiresAt, allowedAddresses } = permissions
  const unknown = scopes?.find((scope) => !SCOPES.includes(scope))
  if (unknown !== undefined)
    throw new InvalidKeyPermissionError(
      `scope: must be one of ${SCOPES.join(', ')}; got ${JSON.stringify(unknown.slice(0, 40))}`,
    )
  if (scopes?.length === 0) throw new InvalidKeyPermissionError('scope: must name at least one resource')
  if (expiresAt !== null && !(expiresAt > now && expiresAt <= LATEST_END))
    throw new InvalidKeyPermissionError(
      `expires: must be in the future, at most ${LATEST_END.toISOString()}; got ${JSON.stringify(expiresAt)}`,
    )
  return {
    ...permissions,
    scopes: scopes === null ? null : SCOPES.filter((scope) => scopes.includes(scope)),
    allowedAddresses: allowedAddresses === null ? null : checkAddresses(allowedAddresses),
  }
}

function checkAddresses(addresses: readonly string[]): string[] {
  if (addresses.length < 1 || addresses.length > ADDRESSES_MAX)
    throw new InvalidKeyPermissionError(`allow: must have 1 to ${ADDRESSES_MAX} addresses; got ${addresses.length}`)
  const wrong = addresses.find((address) => !isNetwork(address))
  if (wrong === undefined) return [...new Set(addresses)]
  throw new InvalidKeyPermissionError(
    `allow: must be an address or a network, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32; got ${JSON.stringify(wrong.slice(0, 60))}`,
  )
}

const IPV4_IN_IPV6 = new BlockList()
IPV4_IN_IPV6.addSubnet('::ffff:0:0', 96, 'ipv6')

/** Whether the text is an address or a network that PostgreSQL reads and that admission can match. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6]
  if (bits < 0 || address.includes('%') || rest.length > 0) return false
  // Admission compares an IPv4 address in IPv6 notation as IPv4, so such a network would match nothing.
  if (bits === 128 && IPV4_IN_IPV6.check(address, 'ipv6')) return false
  return prefix === undefined || (/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bits)
}

/**
 * The columns of `KeyPermissions`, for a select list. Arrays are JSON, because the PostgreSQL client doesn't parse
 * arrays.
 */
export const PERMISSION_COLUMNS = sql`to_jsonb(scopes) as scopes, without_personal_data as "withoutPersonalData",
  expires_at as "expiresAt", to_jsonb(allowed_addresses) as "allowedAddresses"`

/**
 * Returns a select of the permissions as values of the columns in which the control database stores them. Sets the bits
 * after the prefix of a network to zero.
 */
export function permissionsRow({
  scopes,
  withoutPersonalData,
  expiresAt,
  allowedAddresses,
}: KeyPermissions): SqlFragment {
  return sql`select ${scopes}::text[] as scopes, ${withoutPersonalData}::boolean as without_personal_data,
    ${expiresAt}::timestamptz as expires_at,
    (select array_agg(network(address::inet)) from unnest(${allowedAddresses}::text[]) address) as allowed_addresses`
}
