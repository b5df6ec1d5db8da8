// Measures how long a client that polls `/store` waits, over several ages of the counts. At most one poll in each age
// waits for new counts, so a median would not show this wait.

import { setTimeout as sleep } from 'node:timers/promises'
import { SETTINGS } from '../../packages/operator/src/settings.ts'
import type { ApiClient } from '../lib/api-client.ts'

/** Interval of the polls, in ms. */
const EVERY_MS = 250
const AGES = 4

export interface StorePolls {
  readonly longestMs: number
}

/** Polls the store for four ages of its counts, after a first request. */
export async function pollStore(client: ApiClient): Promise<StorePolls> {
  await client.get('/store')
  const until = performance.now() + SETTINGS.countsMaxAgeSeconds.default * 1000 * AGES
  let longestMs = 0
  while (performance.now() < until) {
    await sleep(EVERY_MS)
    const askedAt = performance.now()
    await client.get('/store')
    longestMs = Math.max(longestMs, performance.now() - askedAt)
  }
  return { longestMs }
}
