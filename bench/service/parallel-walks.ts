// Runs many full syncs at the same time.

import { LIMITS } from '@store-export/contract'
import { type ApiClient, pagePath } from '../lib/api-client.ts'

export const PARALLEL_WALKS = 32

/** What the full syncs read together. */
export interface Walked {
  readonly pages: number
  readonly failed: number
  readonly pagesPerSecond: number
}

/** Reads the orders in pages of 250 for a number of seconds. A finished sync starts again. */
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
