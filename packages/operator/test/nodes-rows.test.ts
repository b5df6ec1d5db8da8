// Tests twenty stores whose rows have equal IDs, read over the same connections. test/fleet/caches.test.ts reads them
// through a caching proxy.

import { expect, test, vi } from 'vitest'
import { roundsOf } from '../../../test/support/rounds.ts'
import { SLOW_TEST_TIMEOUTS } from './support/command-process.ts'
import { startFleet } from './support/fleet.ts'
import { addTaggedStores, readShuffled } from './support/tagged-stores.ts'

const REQUESTS = roundsOf({ quick: 1000, long: 200_000 })
vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: SLOW_TEST_TIMEOUTS.testTimeout + REQUESTS * 20 })

test(`[GEN-2] if ${REQUESTS} requests with keys of 20 stores share connections, each response has only rows of its own store`, async () => {
  const fleet = await startFleet()
  const stores = await addTaggedStores(fleet)
  const node = await fleet.startNode()
  expect(await readShuffled(node.url, stores, REQUESTS)).toBeGreaterThan(REQUESTS)
  // There are too few connections for all stores, so the node opens and closes pools all the time.
  const narrow = await fleet.startNode({ STORE_CONNECTIONS_MAX: '24' })
  expect(await readShuffled(narrow.url, stores, REQUESTS / 20)).toBeGreaterThan(REQUESTS / 20)
})
