// Finds the address of a client for allow lists and for the rate limit of sign-ins. Each trusted proxy appends the
// address of its peer to X-Forwarded-For. The client can forge the entries before these addresses.

import { isIP } from 'node:net'

/**
 * Returns the address of the client: the entry of X-Forwarded-For that the first of `proxies` trusted proxies appended,
 * without a port. Null without a valid entry: the connection then only has the address of the proxy, which all clients
 * share. Without a proxy, returns the address of the connection. An IPv4 address in IPv6 notation becomes IPv4, and the
 * zone of an IPv6 address is removed.
 */
export function clientAddress(connection: string, forwardedFor: string | null, proxies: number): string | null {
  const entry = proxies === 0 ? connection : ((forwardedFor ?? '').split(',').at(-proxies) ?? '')
  const address = entry.trim().replace(WITH_PORT, '$1$2')
  return isIP(address) === 0 ? null : address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

/** An IPv4 address with a port, or an IPv6 address in brackets. Some proxies write these. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/
