// Runs many full syncs at the same time.

import { LIMITS } from '@store-export/contract'
import { type ApiClient, pagePath } from '../lib/api-client.ts'

/** Number of full syncs that run at the same time. */
export const PARALLEL_WALKS = 32

/** What the full syncs read together. */
export interface Walked {
  /** Number of responses with status 200. */
  readonly pages: number
  /** Number of responses with another status. */
  readonly failed: number
  readonly pagesPerSecond: number
}

/**
 * Reads the orders in pages of 250 for a number of seconds. A finished sync starts again, and a failed page is
 * requested again. Rejects if a connection fails.
 */
export async function walkInParallel(client: ApiClient, seconds: number): Promise<Walked> {
  const startedAt = performance.now()
  const until = startedAt + seconds * 1000
  const counts = { pages: 0, failed: 0 }
  const walk = async () => {
    let cursor: string | null = null
    while (performance.now() < until) {
      const { status, nextCursor } = await client.request(pagePath('orders', LIMITS.pageRowsMax, cursor))
      if (status !== 200) counts.failed++
      else {
        counts.pages++
        cursor = nextCursor
      }
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_WALKS }, walk))
  return { ...counts, pagesPerSecond: counts.pages / ((performance.now() - startedAt) / 1000) }
}
