// Declares tests with random histories of writes to the store and runs, for one kind of destination.
// STORE_SYNC_HISTORIES multiplies their number. STORE_SYNC_SEED runs only the history with that seed. The title of a
// failed test contains its seed.

import { afterAll, beforeAll, describe, test } from 'vitest'
import type { HistoryDestinations } from './destinations.ts'
import { runHistory } from './history.ts'
import { HistoryPlatform } from './history-platform.ts'

const HISTORY_MS_MAX = 60_000

/** Declares `count` histories times STORE_SYNC_HISTORIES, rounded up; only one if STORE_SYNC_SEED is set. */
export function describeHistories(name: string, count: number, open: () => Promise<HistoryDestinations>): void {
  describe(name, () => {
    let platform: HistoryPlatform
    let destinations: HistoryDestinations
    beforeAll(async () => {
      platform = await HistoryPlatform.start()
      destinations = await open()
    })
    afterAll(async () => {
      await destinations.close()
      await platform.close()
    })
    const title =
      '[SYNC-2, SYNC-3] after a random history of writes and runs, one more run makes the copy equal to the store: STORE_SYNC_SEED=%i'
    test.each(seeds(count))(title, { timeout: HISTORY_MS_MAX }, async (seed) => {
      await runHistory(seed, platform, await destinations.next())
    })
  })
}

/** The factor without STORE_SYNC_HISTORIES. It is small, because `npm test` must take only minutes. */
const DEFAULT_FACTOR = '0.1'

export function historyFactor(): number {
  return Number(process.env.STORE_SYNC_HISTORIES ?? DEFAULT_FACTOR)
}

function seeds(count: number): number[] {
  const { STORE_SYNC_SEED: seed } = process.env
  if (seed !== undefined) return [Number(seed)]
  return Array.from({ length: Math.ceil(count * historyFactor()) }, (_, index) => index)
}
