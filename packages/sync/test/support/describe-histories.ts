// Histories of one kind of destination, each a test. STORE_SYNC_HISTORIES multiplies how many there are, and
// STORE_SYNC_SEED runs the one of that seed alone, as the name of a test that failed says.

import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Destinations } from './destinations.ts'
import { runHistory } from './history.ts'
import { HistoryPlatform } from './history-platform.ts'

/** A history that takes longer hangs. */
const LONGEST_MS = 60_000

/** Declares `count` histories, or as many as the environment says. */
export function describeHistories(name: string, count: number, open: () => Promise<Destinations>): void {
  describe(name, () => {
    let platform: HistoryPlatform
    let destinations: Destinations
    beforeAll(async () => {
      platform = await HistoryPlatform.start()
      destinations = await open()
    })
    afterAll(async () => {
      await destinations.close()
      await platform.close()
    })
    const title = '[SYNC-2, SYNC-3] after quiet and one more run the copy is the store: STORE_SYNC_SEED=%i'
    test.each(seedsOf(count))(title, { timeout: LONGEST_MS }, async (seed) => {
      await runHistory(seed, platform, await destinations.next())
    })
  })
}

/** In `npm test`, which is to take minutes. */
const SHORT = '0.1'

/** By how much the number of histories is multiplied. */
export function times(): number {
  return Number(process.env.STORE_SYNC_HISTORIES ?? SHORT)
}

function seedsOf(count: number): number[] {
  const { STORE_SYNC_SEED: seed } = process.env
  if (seed !== undefined) return [Number(seed)]
  return Array.from({ length: Math.ceil(count * times()) }, (_, index) => index)
}
