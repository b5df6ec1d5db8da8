// Tests two and three nodes behind nginx and HAProxy with default settings. Clients that know only the load balancer
// get the same guarantees.

import { StoreExportClient } from '@store-export/client'
import { describe, expect, test } from 'vitest'
import {
  type FleetStore,
  startFleet,
  type TestFleet,
  type TestNode,
} from '../../packages/operator/test/support/fleet.ts'
import {
  expectCursorsOnAnyNode,
  expectExactly120,
  expectImmediateRevocation,
} from '../../packages/operator/test/support/fleet-guarantees.ts'
import { type ProxyProgram, startHaproxy, startNginx } from '../support/programs.ts'
import { roundsOf } from '../support/rounds.ts'

const ROUNDS = roundsOf({ quick: 2, long: 50 })
const LIMIT_MS = 90_000 + ROUNDS * 10_000

/** Each function starts a balancer for the nodes at these addresses. */
const BALANCERS: Readonly<Record<string, (nodes: readonly string[]) => Promise<ProxyProgram>>> = {
  nginx: (nodes) =>
    startNginx(
      ({ port }) => `upstream nodes { ${nodes.map((url) => `server ${new URL(url).host};`).join(' ')} }
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://nodes; } }`,
    ),
  haproxy: (nodes) => startHaproxy(nodes),
  'haproxy with health checks': (nodes) => startHaproxy(nodes, 'check inter 100 rise 1 fall 1'),
}

const SCENES = [
  { name: 'nginx', count: 2 },
  { name: 'haproxy', count: 3 },
  { name: 'haproxy with health checks', count: 2 },
]

async function startBehind(
  { name, count }: (typeof SCENES)[number],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ fleet: TestFleet; store: FleetStore; nodes: TestNode[]; address: string }> {
  const fleet = await startFleet()
  const store = await fleet.addStore()
  const nodes = await Promise.all(Array.from({ length: count }, () => fleet.startNode(settings)))
  const balancer = await BALANCERS[name]?.(nodes.map(({ url }) => url))
  return { fleet, store, nodes, address: balancer?.url ?? '' }
}

describe.each(SCENES)('$count nodes behind $name', (scene) => {
  test(
    `[LIM-1, R8] if a key may send 120 requests per minute, the nodes behind a load balancer together accept exactly 120 (rounds: ${ROUNDS})`,
    async () => {
      const { fleet, store, address } = await startBehind(scene, { REQUESTS_PER_MINUTE: '120' })
      for (let round = 0; round < ROUNDS; round += 1) await expectExactly120(fleet, store, [address])
    },
    LIMIT_MS,
  )

  test(
    `[AUTH-5, PAG-4] all nodes behind a load balancer reject a revoked key (rounds: ${ROUNDS}), and a full sync completes while the nodes restart`,
    async () => {
      const { fleet, store, nodes, address } = await startBehind(scene)
      for (let round = 0; round < ROUNDS; round += 1) await expectImmediateRevocation(fleet, store, [address])
      await expectCursorsOnAnyNode(store, [address])
      const client = new StoreExportClient({ url: address, key: store.key })
      const found: string[] = []
      const left = [...nodes]
      const starting: Promise<void>[] = []
      for await (const { rows } of client.orders.list({ limit: 20 }).pages()) {
        found.push(...rows.map(({ id }) => id))
        const node = left.pop()
        if (node === undefined) continue
        expect((await node.process().end('SIGTERM')).code).toBe(0)
        // The next node is stopped before this one is back and before the balancer notices. For a while, no node may be
        // up.
        starting.push(node.start())
      }
      await Promise.all(starting)
      expect(found).toHaveLength(400)
      expect(new Set(found).size).toBe(400)
    },
    LIMIT_MS,
  )
})
