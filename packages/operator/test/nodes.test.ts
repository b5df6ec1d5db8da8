// Tests three nodes on one control database. test/fleet/balancers.test.ts tests nodes behind load balancers.

import { expect, test, vi } from 'vitest'
import { roundsOf } from '../../../test/support/rounds.ts'
import { SLOW_TEST_TIMEOUTS } from './support/command-process.ts'
import { startFleet } from './support/fleet.ts'
import { expectCursorsOnAnyNode, expectExactly120, expectImmediateRevocation } from './support/fleet-guarantees.ts'

const ROUNDS = roundsOf({ quick: 3, long: 100 })
vi.setConfig({ ...SLOW_TEST_TIMEOUTS, testTimeout: SLOW_TEST_TIMEOUTS.testTimeout + ROUNDS * 10_000 })

async function startThree(settings: Readonly<Record<string, string>> = {}) {
  const fleet = await startFleet()
  const store = await fleet.addStore()
  const nodes = await Promise.all([1, 2, 3].map(() => fleet.startNode(settings)))
  return { fleet, store, nodes, addresses: nodes.map(({ url }) => url) }
}

test(`[LIM-1, R8] if a client sends a burst with one key to three nodes, the nodes together accept 120 requests (rounds: ${ROUNDS})`, async () => {
  const { fleet, store, addresses } = await startThree({ REQUESTS_PER_MINUTE: '120' })
  for (let round = 0; round < ROUNDS; round += 1) await expectExactly120(fleet, store, addresses)
})

test(`[AUTH-5] after a key is revoked, each of three nodes rejects the next request with this key (rounds: ${ROUNDS})`, async () => {
  const { fleet, store, addresses } = await startThree()
  for (let round = 0; round < ROUNDS; round += 1) await expectImmediateRevocation(fleet, store, addresses)
})

test('[PAG-4] if nodes are killed and restarted, every node still accepts the cursors of other nodes', async () => {
  const { store, nodes, addresses } = await startThree()
  await expectCursorsOnAnyNode(store, addresses, async (page) => {
    const node = nodes[page % nodes.length]
    if (page >= nodes.length || node === undefined) return
    expect(await node.process().end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' })
    await node.start()
  })
})
