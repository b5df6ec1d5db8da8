// Defines the origins from which the dashboard accepts forms and passkeys. On a loopback address, the dashboard has
// three names: 127.0.0.1, localhost, and [::1].

import { isIP } from 'node:net'
import { isSecureUrl } from './is-secure-url.ts'

/** The public URL of the dashboard, and checks of the Origin and Host headers. */
export interface Origins {
  /** The URL without a slash at the end: `https://dashboard.example.com`. */
  readonly url: string
  /** Whether the URL is HTTPS, so that cookies can require TLS. */
  readonly isSecure: boolean
  /** The origins whose pages may show the dashboard in a frame; empty for none. */
  readonly frameAncestors: readonly string[]
  /** Whether the dashboard accepts a form with this Origin header. */
  readonly isOwnOrigin: (origin: string | null) => boolean
  /** Whether the dashboard serves this Host header. On a loopback address, it rejects other names (DNS rebinding). */
  readonly isOwnHost: (host: string | null) => boolean
  /** The only origin whose pages can use passkeys; null if browsers allow none. */
  readonly passkeyOrigin: string | null
  /** Whether the pages of this Host header can use passkeys. */
  readonly isPasskeyHost: (host: string | null) => boolean
}

/** Thrown for an origin that can't frame the dashboard. */
export class InvalidFrameAncestorError extends Error {
  override readonly name = 'InvalidFrameAncestorError'
}

/** Thrown for a URL under which the dashboard can't be served. */
export class InvalidDashboardUrlError extends Error {
  override readonly name = 'InvalidDashboardUrlError'
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Returns the origins of a dashboard at `url`, which pages of `frameAncestors` may show in a frame. Throws
 * `InvalidDashboardUrlError` for text that is no URL, an insecure URL, or one with a path or a query.
 */
export function originsOf(url: string, frameAncestors: readonly string[] = []): Origins {
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
      frameAncestors,
      isOwnOrigin: (given) => given === origin,
      isOwnHost: () => true,
      passkeyOrigin,
      // A proxy can replace the Host header, so the header doesn't tell the host name in the browser.
      isPasskeyHost: () => passkeyOrigin !== null,
    }
  const names = LOOPBACK_NAMES.map((name) => new URL(`${protocol}//${name}${port === '' ? '' : `:${port}`}`))
  return {
    url: origin,
    isSecure,
    frameAncestors,
    isOwnOrigin: (given) => names.some((name) => name.origin === given),
    isOwnHost: (host) => names.some((name) => name.host === host),
    passkeyOrigin,
    isPasskeyHost: (host) => passkeyOrigin !== null && new URL(passkeyOrigin).host === host,
  }
}

/**
 * Returns the origins of a list that is separated by commas or spaces; none for an empty list. Throws
 * `InvalidFrameAncestorError` for an entry that is no secure origin. Also throws it for a wildcard: with one, any site
 * below a domain could frame the dashboard, and trick merchants into clicks.
 */
export function parseFrameAncestors(list: string): string[] {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(parseAncestor)
}

/**
 * A name, an IPv4 address, or an IPv6 address. Names in URLs can contain `;` and `*`, which have a meaning in a content
 * security policy.
 */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/

function parseAncestor(entry: string): string {
  const origin = URL.canParse(entry) ? new URL(entry).origin : ''
  if (origin !== entry.replace(/\/$/, '').toLowerCase() || !isSecureUrl(origin) || !HOST.test(new URL(origin).hostname))
    throw new InvalidFrameAncestorError(
      `must be a list of origins such as https://admin.example.com, without paths and wildcards; got ${JSON.stringify(entry.slice(0, 80))}`,
    )
  return origin
}

/**
 * Returns the origin whose pages can use passkeys, for a dashboard at `url`; null for an IP address. Browsers bind
 * passkeys to a host name, and allow none for an IP address. On a loopback address, the host name is `localhost`.
 * Throws `TypeError` if `url` is no URL.
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
