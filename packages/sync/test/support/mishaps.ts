// What happens while a run goes on, each at a chosen request: writes, restarts, failures of the copy, an end by hand.
// Requests are where a run can be met without waiting: between two of them a page is written.

import { StoreExportClient } from '@store-export/client'
import { startFaultyProxy } from '../../../client/test/support/faulty-proxy.ts'
import type { Random } from './random.ts'
import type { RestartableService } from './restartable-service.ts'

/** What a run meets. */
export interface Road {
  readonly url: string
  readonly key: string
  readonly service: RestartableService
  /** Rows of a page at most. */
  readonly pageRows: number
  /** Happens before the request of that number, 0 the first of all, to that path. */
  readonly at: ReadonlyMap<number, (path: string) => Promise<unknown>>
  /** Numbers of requests during which the service is closed. */
  readonly closedDuring: ReadonlySet<number>
  /** The instant that the service says a later run has to ask from; null where it says nothing, as an older one. */
  readonly watermark: (() => string) | null
}

/** A quarter of the runs go a way on which answers are lost and cut; not those that meet a closed service. */
export async function wayOf(url: string, { at, closedDuring }: Partial<Road>, random: Random): Promise<string> {
  if ((at?.size ?? 0) > 0 || (closedDuring?.size ?? 0) > 0 || random.chance(0.5)) return url
  const kinds = ['none', 'none', 'none', 'disconnect', 'truncate'] as const
  const way = await startFaultyProxy(
    url,
    Array.from({ length: 20 }, () => ({ kind: random.pick(kinds) })),
  )
  return way.url
}

/** A client of the service; it waits for nothing. */
export function clientOn(road: Road): StoreExportClient {
  const { url, key, service, pageRows, at, closedDuring, watermark } = road
  let requests = 0
  return new StoreExportClient({
    url,
    key,
    async fetch(address, init) {
      const number = requests
      requests += 1
      await at.get(number)?.(new URL(String(address)).pathname)
      const answer = fetch(String(address).replace('limit=250', `limit=${pageRows}`), init)
      if (closedDuring.has(number)) await Promise.all([service.stop(), answer.catch(() => undefined)])
      return withWatermark(await answer, watermark?.() ?? null)
    },
    // the next attempt meets a service that is there, and a minute that has begun
    async sleep(_ms, signal) {
      signal?.throwIfAborted()
      await service.start()
      await service.nextMinute()
    },
  })
}

/** The answer, saying that a later run has to ask from there; null: saying nothing of it, as an older service. */
export function withWatermark(answer: Response, watermark: string | null): Response {
  const headers = new Headers(answer.headers)
  if (watermark === null) headers.delete('x-sync-watermark')
  else headers.set('x-sync-watermark', watermark)
  // its body is plain already
  headers.delete('content-encoding')
  return new Response(answer.body, { status: answer.status, headers })
}
