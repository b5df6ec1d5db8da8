import { isIP } from 'node:net'
import { clientAddress } from '@store-export/control'

/**
 * Returns the IPv4 address of the client, or the first 64 bits of its IPv6 address, as `2001:db8:1:2::/64`. One client
 * can use a whole IPv6 network, so the rate limits of sign-ins and of wrong SCIM tokens count the network. If the
 * proxies name no valid address, returns that of the connection; if that is no address either, `connection` itself.
 */
export function clientNetwork(connection: string, forwardedFor: string | null, proxies: number): string {
  const address = clientAddress(connection, forwardedFor, proxies) ?? clientAddress(connection, null, 0) ?? connection
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
