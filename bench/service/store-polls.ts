// Measures how long a client that polls `/store` waits. The service counts the rows again when the counts have reached
// their maximum age. At most one poll per age waits for that, so a median would not show this wait.

import { setTimeout as sleep } from 'node:timers/promises'
import { SETTINGS } from '../../packages/operator/src/settings.ts'
import type { ApiClient } from '../lib/api-client.ts'

/** Interval of the polls, in ms. */
const EVERY_MS = 250
/** Duration of the polls, in maximum ages of the counts. */
const AGES = 4

/** Result of the polls. */
export interface StorePolls {
  /** Longest time of a poll, in ms. */
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
