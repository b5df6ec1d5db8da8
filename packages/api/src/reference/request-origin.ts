// Finds the address at which a client reached the service, because some documents contain this address.

/** A DNS name, an IPv4 address, or an IPv6 address in brackets, with an optional port. */
const HOST =
  /^(?=.{1,255}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/i

/** Headers of a request. Names are in lower case. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Returns the origin from the headers of a request, such as `https://export.example:8443`; null if the host is missing
 * or invalid. Only the sender of the headers gets the document with this origin, so forged headers harm no other
 * client.
 */
export function requestOrigin(headers: Headers): string | null {
  const { host } = headers
  if (typeof host !== 'string' || !HOST.test(host)) return null
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  return `${scheme}://${host.toLowerCase()}`
}
