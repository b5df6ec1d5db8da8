// How long a client waits for the store that asks for it again and again, over several ages of its counts: those that wait
// would be few, and no median would tell.

import { setTimeout as sleep } from 'node:timers/promises'
import { SETTINGS } from '../../packages/operator/src/settings.ts'
import type { ApiClient } from '../lib/api-client.ts'

/** How often it asks. */
const EVERY_MS = 250
const AGES = 4

/** What a client met that polled the store. */
export interface StorePolls {
  /** How long it waited for the answer it waited for longest, in ms. */
  readonly longestMs: number
}

/** Polls the store, after a first call, for four ages of its counts. */
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
