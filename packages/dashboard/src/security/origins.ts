// Where the dashboard is: the only place from which its forms are taken. On a loopback address it has several names.

/** Addresses of the dashboard. */
export interface Origins {
  /** The one in links: `https://dashboard.example.com`. */
  readonly url: string
  readonly isSecure: boolean
  /** Whether a form that says it comes from `origin` may be taken. */
  readonly isOwnOrigin: (origin: string | null) => boolean
  /** Whether a request for this host is for us; a name that somebody points at this machine is not (DNS rebinding). */
  readonly isOwnHost: (host: string | null) => boolean
}

/** The address is not one that the dashboard can be served under. */
export class InvalidDashboardUrlError extends Error {
  override readonly name = 'InvalidDashboardUrlError'
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']

/** The origins of a dashboard at `url`; throws `InvalidDashboardUrlError`. */
export function originsOf(url: string): Origins {
  const { protocol, hostname, port, origin, pathname, search } = parse(url)
  const isSecure = protocol === 'https:'
  const isLoopback = LOOPBACK_NAMES.includes(hostname)
  if (!isSecure && (protocol !== 'http:' || !isLoopback))
    throw new InvalidDashboardUrlError(
      `must begin with https:// (http:// on a loopback address alone, where no password crosses a network); got ${JSON.stringify(url.slice(0, 80))}`,
    )
  if (pathname !== '/' || search !== '')
    throw new InvalidDashboardUrlError('must have no path: the dashboard needs an origin of its own')
  if (!isLoopback) return { url: origin, isSecure, isOwnOrigin: (given) => given === origin, isOwnHost: () => true }
  const names = LOOPBACK_NAMES.map((name) => new URL(`${protocol}//${name}${port === '' ? '' : `:${port}`}`))
  return {
    url: origin,
    isSecure,
    isOwnOrigin: (given) => names.some((name) => name.origin === given),
    isOwnHost: (host) => names.some((name) => name.host === host),
  }
}

function parse(url: string): URL {
  try {
    return new URL(url)
  } catch {
    throw new InvalidDashboardUrlError(
      `must be an address such as https://dashboard.example.com; got ${JSON.stringify(url.slice(0, 80))}`,
    )
  }
}
