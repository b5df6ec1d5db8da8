// Finds the client address for the rate limit of sign-ins. Each trusted proxy appends the address of its peer to
// X-Forwarded-For. The client can forge the entries before these addresses.

import { isIP } from 'node:net'

/**
 * Returns the entry that the first of `proxies` trusted proxies appended; the address of the connection if there is no
 * valid entry. Returns the /64 network of an IPv6 address.
 */
export function clientAddress(connection: string, forwardedFor: string | null, proxies: number): string {
  const entries = (forwardedFor ?? '').split(',').map((each) => each.trim())
  const entry = proxies === 0 ? undefined : entries.at(-proxies)
  return network(entry !== undefined && isIP(entry) !== 0 ? entry : connection)
}

/** Returns an IPv4 address, or the first 64 bits of an IPv6 address, because one client has a whole IPv6 network. */
function network(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) !== 6) return plain
  const [head = '', tail] = plain.split('%', 1)[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
