// Twenty stores whose rows have equal ids, asked in turn over the same connections. Behind a proxy that caches:
// test/fleet/caches.test.ts.

import { expect, test, vi } from 'vitest'
import { roundsOf } from '../../../test/support/rounds.ts'
import { startFleet } from './support/fleet.ts'
import { addTaggedStores, readShuffled } from './support/nodes-rows.ts'
import { PATIENCE } from './support/program.ts'

const REQUESTS = roundsOf({ quick: 1000, long: 200_000 })
vi.setConfig({ ...PATIENCE, testTimeout: PATIENCE.testTimeout + REQUESTS * 20 })

test(`[GEN-2] ${REQUESTS} requests with keys of 20 stores over 64 connections: no foreign row`, async () => {
  const fleet = await startFleet()
  const stores = await addTaggedStores(fleet)
  const node = await fleet.node()
  expect(await readShuffled(node.url, stores, REQUESTS)).toBeGreaterThan(REQUESTS)
  // fewer connections than the stores want: pools are closed and opened all the time
  const narrow = await fleet.node({ STORE_CONNECTIONS_MAX: '24' })
  expect(await readShuffled(narrow.url, stores, REQUESTS / 20)).toBeGreaterThan(REQUESTS / 20)
})
