// Whose guesses at the sign-in these are. Behind proxies the connection's address is the proxy's: each proxy that we run
// appends what it saw to X-Forwarded-For, and what stands further left came from the client, who may write anything.

import { isIP } from 'node:net'

/** The client's address as `proxies` of ours saw it; that of the connection where they say none. */
export function clientAddress(connection: string, forwardedFor: string | null, proxies: number): string {
  const seen = (forwardedFor ?? '').split(',').map((each) => each.trim())
  const told = proxies === 0 ? undefined : seen.at(-proxies)
  return network(told !== undefined && isIP(told) !== 0 ? told : connection)
}

/** A client has a whole network of IPv6 addresses: the first 64 bits stand for it. */
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
