// Finds the address of a client for allow lists and for the rate limit of sign-ins. Each trusted proxy appends the address
// of its peer to X-Forwarded-For. The client can forge the entries before these addresses.

import { isIP } from 'node:net'

/**
 * Returns the address of the client: the entry of X-Forwarded-For that the first of `proxies` trusted proxies appended.
 * Without a valid entry, returns the address of the connection. An IPv4 address in IPv6 notation becomes IPv4, and the
 * zone of an IPv6 address is removed.
 */
export function clientAddress(connection: string, forwardedFor: string | null, proxies: number): string {
  const entries = (forwardedFor ?? '').split(',').map((each) => each.trim())
  const entry = proxies === 0 ? undefined : entries.at(-proxies)
  const address = entry !== undefined && isIP(entry) !== 0 ? entry : connection
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}
