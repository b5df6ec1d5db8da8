// The client: an address, a key, and a method for each endpoint.

import { Caller, type CallerOptions } from './caller.ts'
import { Endpoints } from './generated/endpoints.ts'

/** What a client is made with. */
export interface ClientOptions extends CallerOptions {
  /** Address of the service, such as `https://export.example.com`, with or without `/api/v1`. */
  readonly url: string
  /** A key of the store, as the dashboard has shown it once. */
  readonly key: string
}

/**
 * Reads one store. Waits for the limit, tries again what passes by itself, and throws `StoreExportError` or
 * `ConnectionError` for the rest. Throws at once where address or key cannot be ones, and in a browser.
 */
export class StoreExportClient extends Endpoints {
  constructor({ url, key, ...settings }: ClientOptions) {
    refuseBrowser()
    super(new Caller(parseUrl(url), parseKey(key), checkedOptions(settings)))
  }
}

/** A key reads a whole store: whoever opens a page with it in has the store. */
function refuseBrowser(): void {
  const { window, document } = globalThis as { window?: unknown; document?: unknown }
  if (window !== undefined && document !== undefined)
    throw new Error(
      'this client is for servers: a key in a page can be read by everybody who opens it; call the service from your own server',
    )
}

function parseUrl(url: string): string {
  if (!URL.canParse(url)) throw new TypeError('url: must be an address such as https://export.example.com')
  const { protocol, origin, pathname, search, hash } = new URL(url)
  if (!['http:', 'https:'].includes(protocol) || search + hash !== '')
    throw new TypeError('url: must begin with https:// or http://, and have no query')
  return origin + pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
}

function parseKey(key: string): string {
  const trimmed = typeof key === 'string' ? key.trim() : ''
  if (!/^[\x21-\x7e]+$/.test(trimmed))
    throw new TypeError('key: must be a key of the store; create one in its dashboard under Settings, API')
  return trimmed
}

/** Timers know no more, in ms: 24 days. */
const TIMER_MS_MAX = 2_147_483_647

function checkedOptions(settings: CallerOptions): CallerOptions {
  for (const name of ['retryForMs', 'retryRefusedForMs', 'attemptTimeoutMs', 'requestsPerMinute'] as const) {
    const value = settings[name]
    const least = name === 'retryForMs' || name === 'retryRefusedForMs' ? 0 : 1
    if (value !== undefined && !(value >= least && value <= TIMER_MS_MAX))
      throw new RangeError(`${name}: must be a number from ${least} to ${TIMER_MS_MAX}`)
  }
  return settings
}
