// Finds the client address for the rate limit of sign-ins. Each trusted proxy appends the address of its peer to
// X-Forwarded-For. The entries further left come from the client and can be forged.

import { isIP } from 'node:net'

/**
 * Returns the entry that the first of `proxies` trusted proxies appended; the address of the connection without a valid
 * entry. An IPv6 address is reduced to its /64 network.
 */
export function clientAddress(connection: string, forwardedFor: string | null, proxies: number): string {
  const entries = (forwardedFor ?? '').split(',').map((each) => each.trim())
  const entry = proxies === 0 ? undefined : entries.at(-proxies)
  return network(entry !== undefined && isIP(entry) !== 0 ? entry : connection)
}

/** One client has a whole IPv6 network, so its first 64 bits identify the client. */
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
