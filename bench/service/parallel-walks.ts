// Many clients who copy the store at once, and what the service's process takes in memory meanwhile.

import { LIMITS } from '@store-export/contract'
import { type ApiClient, pagePath } from '../lib/api-client.ts'

/** Walks that go on at once. */
export const PARALLEL_WALKS = 32

/** What came of them. */
export interface Walked {
  readonly pages: number
  readonly failed: number
  readonly pagesPerSecond: number
}

/** Walks the orders with pages of 250, for so many seconds; a walk that is through begins again. */
export async function walkInParallel(client: ApiClient, seconds: number): Promise<Walked> {
  const startedAt = performance.now()
  const until = startedAt + seconds * 1000
  const counts = { pages: 0, failed: 0 }
  const walk = async () => {
    let cursor: string | null = null
    while (performance.now() < until) {
      const { status, nextCursor } = await client.ask(pagePath('orders', LIMITS.pageRowsMax, cursor))
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
