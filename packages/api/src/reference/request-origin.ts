// Where a client reached the service, from its own request: for documents that name the address of the service.

/** A DNS name or an IPv4 address, or an IPv6 address in brackets, and a port. */
const HOST =
  /^(?=.{1,255}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/i

/** Headers of a request, names in lower case. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * The origin that a request names in its headers, such as `https://export.example:8443`; null if it names none or no
 * valid one. Only the sender reads the document, so forged headers harm no one else.
 */
export function requestOrigin(headers: Headers): string | null {
  const { host } = headers
  if (typeof host !== 'string' || !HOST.test(host)) return null
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  return `${scheme}://${host.toLowerCase()}`
}
