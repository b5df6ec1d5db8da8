// Disturbs a run at chosen requests: writes to the store, restarts, failures of the copy, interruptions. A page is
// written between two requests, so a test reaches every moment of a run without waiting.

import { StoreExportClient } from '@store-export/client'
import { startFaultyProxy } from '../../../client/test/support/faulty-proxy.ts'
import type { Random } from './random.ts'
import type { RestartableService } from './restartable-service.ts'

/** A connection to the service, and its disturbances. */
export interface ConnectionPlan {
  readonly url: string
  readonly key: string
  readonly service: RestartableService
  readonly pageRows: number
  /** Called with the path before the request of that number. The first request is 0. */
  readonly at: ReadonlyMap<number, (path: string) => Promise<unknown>>
  /** Numbers of requests during which the service stops. */
  readonly closedDuring: ReadonlySet<number>
  /** Returns the watermark of a response; null for an older service without watermarks. */
  readonly watermark: (() => string) | null
}

/**
 * Returns the URL of a proxy that loses or truncates responses, for half of the runs without other disturbances.
 * Returns `url` for the other runs.
 */
export async function pickUrl(
  url: string,
  { at, closedDuring }: Partial<ConnectionPlan>,
  random: Random,
): Promise<string> {
  if ((at?.size ?? 0) > 0 || (closedDuring?.size ?? 0) > 0 || random.chance(0.5)) return url
  const kinds = ['none', 'none', 'none', 'disconnect', 'truncate'] as const
  const proxy = await startFaultyProxy(
    url,
    Array.from({ length: 20 }, () => ({ kind: random.pick(kinds) })),
  )
  return proxy.url
}

/** Creates a client that does not wait between attempts. */
export function createClient(plan: ConnectionPlan): StoreExportClient {
  const { url, key, service, pageRows, at, closedDuring, watermark } = plan
  let requests = 0
  return new StoreExportClient({
    url,
    key,
    async fetch(address, init) {
      const number = requests
      requests += 1
      await at.get(number)?.(new URL(String(address)).pathname)
      const response = fetch(String(address).replace('limit=250', `limit=${pageRows}`), init)
      if (closedDuring.has(number)) await Promise.all([service.stop(), response.catch(() => undefined)])
      return withWatermark(await response, watermark?.() ?? null)
    },
    // Before the next attempt, the service runs again and the rate limit is reset.
    async sleep(_ms, signal) {
      signal?.throwIfAborted()
      await service.start()
      await service.nextMinute()
    },
  })
}

/** Returns the response with this watermark, or without one for null, like an older service. */
export function withWatermark(response: Response, watermark: string | null): Response {
  if (watermark === null) return withoutHeader(response, 'x-sync-watermark')
  const headers = new Headers(response.headers)
  headers.set('x-sync-watermark', watermark)
  return withHeaders(response, headers)
}

export function withoutHeader(response: Response, name: string): Response {
  const headers = new Headers(response.headers)
  headers.delete(name)
  return withHeaders(response, headers)
}

function withHeaders(response: Response, headers: Headers): Response {
  // fetch has already decompressed the body.
  headers.delete('content-encoding')
  return new Response(response.body, { status: response.status, headers })
}
