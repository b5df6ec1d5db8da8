// Defines the origins from which the dashboard accepts forms and passkeys. On a loopback address, the dashboard has
// several names.

import { isIP } from 'node:net'

/** The public URL of the dashboard, and checks of the Origin and Host headers. */
export interface Origins {
  /** The URL without a slash at the end: `https://dashboard.example.com`. */
  readonly url: string
  /** Whether the URL is HTTPS, so that cookies can require TLS. */
  readonly isSecure: boolean
  /** Whether the dashboard accepts a form with this Origin header. */
  readonly isOwnOrigin: (origin: string | null) => boolean
  /** Whether the dashboard serves this Host header. On a loopback address, it rejects other names (DNS rebinding). */
  readonly isOwnHost: (host: string | null) => boolean
  /** The only origin whose pages can use passkeys; null if browsers allow none. */
  readonly passkeyOrigin: string | null
  /** Whether the pages of this Host header can use passkeys. */
  readonly isPasskeyHost: (host: string | null) => boolean
}

/** Thrown for a URL under which the dashboard can't be served. */
export class InvalidDashboardUrlError extends Error {
  override readonly name = 'InvalidDashboardUrlError'
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Returns the origins of a dashboard at `url`. Throws `InvalidDashboardUrlError` for text that is no URL, an insecure
 * URL, or one with a path or a query.
 */
export function originsOf(url: string): Origins {
  const { protocol, hostname, port, origin, pathname, search } = parse(url)
  const isSecure = protocol === 'https:'
  const isLoopback = LOOPBACK_NAMES.includes(hostname)
  if (!isSecure && (protocol !== 'http:' || !isLoopback))
    throw new InvalidDashboardUrlError(
      `must begin with https:// (http:// only on a loopback address, because passwords must not cross a network unencrypted); got ${JSON.stringify(url.slice(0, 80))}`,
    )
  if (pathname !== '/' || search !== '')
    throw new InvalidDashboardUrlError(
      'must have no path, because cookies and the security policy apply to a whole origin',
    )
  const passkeyOrigin = passkeyOriginOf(url)
  if (!isLoopback)
    return {
      url: origin,
      isSecure,
      isOwnOrigin: (given) => given === origin,
      isOwnHost: () => true,
      passkeyOrigin,
      // A proxy can replace the Host header.
      isPasskeyHost: () => passkeyOrigin !== null,
    }
  const names = LOOPBACK_NAMES.map((name) => new URL(`${protocol}//${name}${port === '' ? '' : `:${port}`}`))
  return {
    url: origin,
    isSecure,
    isOwnOrigin: (given) => names.some((name) => name.origin === given),
    isOwnHost: (host) => names.some((name) => name.host === host),
    passkeyOrigin,
    isPasskeyHost: (host) => passkeyOrigin !== null && new URL(passkeyOrigin).host === host,
  }
}

/**
 * Returns the origin whose pages can use passkeys, for a dashboard at `url`; null for an IP address. Browsers bind
 * passkeys to a host name, and allow none for an IP address. On a loopback address, the host name is `localhost`.
 */
export function passkeyOriginOf(url: string): string | null {
  const { protocol, hostname, port, origin } = new URL(url)
  if (LOOPBACK_NAMES.includes(hostname)) return new URL(`${protocol}//localhost:${port}`).origin
  return isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 ? origin : null
}

function parse(url: string): URL {
  try {
    return new URL(url)
  } catch {
    throw new InvalidDashboardUrlError(
      `must be a URL such as https://dashboard.example.com; got ${JSON.stringify(url.slice(0, 80))}`,
    )
  }
}
