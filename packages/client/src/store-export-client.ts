// The entry point of the client, which checks its options before the first request.

import { Caller, type CallerOptions } from './caller.ts'
import { Endpoints } from './generated/endpoints.ts'

/** The service and the store that a client reads, and how it sends requests. */
export interface ClientOptions extends CallerOptions {
  /** Address of the service, such as `https://export.example.com`, with or without `/api/v1`. */
  readonly url: string
  /** API key of the store. Spaces and line breaks around it are removed. */
  readonly key: string
}

/**
 * A client for one store. It waits for the rate limit, and retries temporary failures for two minutes by default. Its
 * methods reject with `StoreExportError`, `ConnectionError`, or `IgnoredParameterError`, and with the reason of an
 * aborted signal. The constructor throws `Error` in a browser, `TypeError` for an invalid address or key, and
 * `RangeError` for a number outside its range.
 */
export class StoreExportClient extends Endpoints {
  constructor({ url, key, ...options }: ClientOptions) {
    rejectBrowser()
    super(new Caller(parseUrl(url), parseKey(key), checkedOptions(options)))
  }
}

/** Throws in a browser: every visitor of a web page with a key could read the whole store. */
function rejectBrowser(): void {
  const { window, document } = globalThis as { window?: unknown; document?: unknown }
  if (window !== undefined && document !== undefined)
    throw new Error(
      'this client does not run in a browser: every visitor of the page could read the key; call the service from your own server',
    )
}

/**
 * Returns the address without slashes at its end and without `/api/v1`, which the path of each endpoint contains. Also
 * removes a user name and a password, with which `fetch` would reject the address.
 */
function parseUrl(url: string): string {
  if (!URL.canParse(url)) throw new TypeError('url: must be an address such as https://export.example.com')
  const { protocol, origin, pathname, search, hash } = new URL(url)
  if (!['http:', 'https:'].includes(protocol) || search + hash !== '')
    throw new TypeError('url: must begin with https:// or http://, and must not have a query')
  return origin + pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
}

/**
 * Returns the key without spaces and line breaks around it. Throws if it is empty, or has characters that are not
 * printable ASCII, which a header could not carry.
 */
function parseKey(key: string): string {
  const trimmed = typeof key === 'string' ? key.trim() : ''
  if (!/^[\x21-\x7e]+$/.test(trimmed))
    throw new TypeError('key: must be an API key of the store; create one in the store dashboard under Settings, API')
  return trimmed
}

/** Longest delay of a timer in ms, almost 25 days. Node.js would use 1 ms instead of a longer delay. */
const TIMER_MS_MAX = 2_147_483_647

function checkedOptions(options: CallerOptions): CallerOptions {
  for (const name of ['retryForMs', 'retryRefusedForMs', 'attemptTimeoutMs', 'requestsPerMinute'] as const) {
    const value = options[name]
    const least = name === 'retryForMs' || name === 'retryRefusedForMs' ? 0 : 1
    // The negation rejects NaN, too.
    if (value !== undefined && !(value >= least && value <= TIMER_MS_MAX))
      throw new RangeError(`${name}: must be a number from ${least} to ${TIMER_MS_MAX}`)
  }
  return options
}
