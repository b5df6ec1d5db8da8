import { isIP } from 'node:net'

/**
 * Returns the IPv4 address, or the first 64 bits of the IPv6 address, as `2001:db8:1:2::/64`. One client has a whole IPv6
 * network, so the rate limit of sign-ins counts the network.
 */
export function clientNetwork(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
