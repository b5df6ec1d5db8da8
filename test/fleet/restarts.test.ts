// Tests nodes that are restarted or killed one after another behind the shipped load balancer configurations. Clients
// that never retry lose no request.

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  nonEphemeralPort,
  startFleet,
  type TestFleet,
  type TestNode,
} from '../../packages/operator/test/support/fleet.ts'
import { keepAliveReader, type Reader } from '../support/fleet-readers.ts'
import { accepts, startHaproxyOn, startNginxOn } from '../support/programs.ts'
import { roundsOf } from '../support/rounds.ts'
import {
  type NodeAddresses,
  nginxByKey,
  shippedHaproxy,
  shippedNginx,
  withAddresses,
} from '../support/shipped-files.ts'

const ROUNDS = roundsOf({ quick: 1, long: 20 })
const LIMIT_MS = 60_000 + ROUNDS * 60_000
/** Number of clients. Each node has some of them, even if each key stays on one node. */
const CLIENTS = 8
const PAUSE_MS = 5
/** The default of the setting, which other tests set to 0. */
const LAME_DUCK_DEFAULT = '5'
/** The orders fit on one page, because a cursor would differ in each response. */
const SMALL = { orders: 20, customers: 10, products: 10, locations: 1, groups: 1 }
const PATH = '/api/v1/orders?limit=20'

interface Node extends TestNode, NodeAddresses {}

/**
 * Starts a balancer for the API, and for the dashboard if its configuration has one. Returns its address for the API.
 */
type StartBalancer = (nodes: readonly Node[], dashboardPort: number) => Promise<string>

const SHIPPED: Readonly<Record<string, StartBalancer>> = {
  'deploy/nginx.conf': async (nodes, dashboard) => {
    const text = await shippedNginx()
    return (await startNginxOn(({ port }) => withAddresses(text, nodes, { api: port, dashboard }))).url
  },
  'deploy/nginx.conf by key': async (nodes, dashboard) => {
    const text = await nginxByKey()
    return (await startNginxOn(({ port }) => withAddresses(text, nodes, { api: port, dashboard }))).url
  },
  'deploy/haproxy.cfg': async (nodes, dashboard) => {
    const text = await shippedHaproxy()
    return (await startHaproxyOn(({ port }) => withAddresses(text, nodes, { api: port, dashboard }))).url
  },
}

/** Starts two nodes, a balancer, and clients that read until `end`. `end` returns each failure with its count. */
async function startScene(startBalancer: StartBalancer, settings: Readonly<Record<string, string>> = {}) {
  const fleet = await startFleet()
  const dashboardPort = await nonEphemeralPort()
  const dashboardUrl = `http://127.0.0.1:${dashboardPort}`
  const all = { LAME_DUCK_SECONDS: LAME_DUCK_DEFAULT, DASHBOARD_URL: dashboardUrl, ...settings }
  const nodes = [await startNode(fleet, all), await startNode(fleet, all)]
  const url = await startBalancer(nodes, dashboardPort)
  const reader = keepAliveReader()
  onTestFinished(() => reader.close())
  const clients: ReturnType<typeof startClient>[] = []
  for (let index = 0; index < CLIENTS; index += 1) {
    const { key } = await fleet.addStore({ size: SMALL })
    const expected = (await reader(`${nodes[0]?.url}${PATH}`, key)).text
    clients.push(startClient(reader, { url: url + PATH, key, expected }))
  }
  if (await accepts(dashboardPort)) clients.push(startClient(reader, { url: `${dashboardUrl}/sign-in`, key: '' }))
  const end = async () => {
    const failures = (await Promise.all(clients.map((client) => client.end()))).flat()
    return Object.fromEntries(failures.map((failure) => [failure, failures.filter((each) => each === failure).length]))
  }
  /** Waits until every client has received five more good responses. */
  const waitForResponses = async () => {
    const before = clients.map(({ good }) => good())
    const stuck = () =>
      clients.filter(({ good }, index) => good() < (before[index] ?? 0) + 5).map(({ failures }) => failures.at(-1))
    await expect.poll(stuck, { timeout: 20_000 }).toEqual([])
  }
  await waitForResponses()
  return { nodes, waitForResponses, end }
}

async function startNode(fleet: TestFleet, settings: Readonly<Record<string, string>>): Promise<Node> {
  const dashboardPort = String(await nonEphemeralPort())
  const node = await fleet.startNode({ DASHBOARD_PORT: dashboardPort, ...settings })
  const addresses = { api: new URL(node.url).host, dashboard: `127.0.0.1:${dashboardPort}` }
  return Object.assign(node, addresses, { operationsPort: new URL(node.operationsUrl).port })
}

/** Waits until the balancer sends requests for both listeners to a node that has just started. */
async function waitForRequests({ operationsUrl }: Node): Promise<void> {
  const metrics = () => fetch(`${operationsUrl}/metrics`).then((response) => response.text())
  for (const counted of [/_total\{[^}]*orders[^}]*\} [1-9]/, /_total\{[^}]*sign-in[^}]*\} [1-9]/])
    await expect.poll(metrics, { timeout: 20_000 }).toMatch(counted)
}

/** Reads one page repeatedly, without retries. */
function startClient(read: Reader, { url, key, expected }: { url: string; key: string; expected?: string }) {
  let isOver = false
  let good = 0
  const failures: string[] = []
  const readPages = async () => {
    while (!isOver) {
      const { status, text } = await read(url, key).catch((error) => ({ status: 0, text: String(error) }))
      if (status === 200 && text === (expected ?? text)) good += 1
      else failures.push(`${new URL(url).pathname} ${status} ${JSON.stringify(text.slice(0, 60))}`)
      await pause(PAUSE_MS)
    }
  }
  const reading = readPages()
  onTestFinished(() => {
    isOver = true
    return reading
  })
  return {
    good: () => good,
    failures,
    end: async () => {
      isOver = true
      await reading
      return failures
    },
  }
}

describe.each(Object.entries(SHIPPED))('two nodes behind %s', (_name, startBalancer) => {
  test(
    `if two nodes restart one after another, every request succeeds without a retry by the client (rounds: ${ROUNDS})`,
    async () => {
      const { nodes, waitForResponses, end } = await startScene(startBalancer)
      for (let round = 0; round < ROUNDS; round += 1)
        for (const node of nodes) {
          expect((await node.process().end('SIGTERM')).code).toBe(0)
          await node.start()
        }
      await waitForResponses()
      expect(await end()).toEqual({})
    },
    LIMIT_MS,
  )

  test(
    `if one of two nodes is killed, every request succeeds without a retry by the client (rounds: ${ROUNDS})`,
    async () => {
      const { nodes, waitForResponses, end } = await startScene(startBalancer)
      // The test kills only this node. A balancer with health checks notices late that a node is back, so both could be
      // away.
      const [node] = nodes
      if (node === undefined) throw new Error('there is no node')
      for (let round = 0; round < ROUNDS; round += 1) {
        await node.process().end('SIGKILL')
        await waitForResponses()
        await node.start()
        await waitForRequests(node)
      }
      expect(await end()).toEqual({})
    },
    LIMIT_MS,
  )
})

test('if a load balancer has health checks but no retries, the default LAME_DUCK_SECONDS prevents failed requests while a node stops', async () => {
  expect(await lossesBehindHealthChecks(LAME_DUCK_DEFAULT)).toEqual({})
  // This proves that the test can fail.
  expect(await lossesBehindHealthChecks('0')).not.toEqual({})
}, 60_000)

/**
 * Stops one node of two behind HAProxy with a health check each second and no retries. Returns each failure with its
 * count.
 */
async function lossesBehindHealthChecks(lameDuckSeconds: string): Promise<Record<string, number>> {
  const startBalancer: StartBalancer = async (all) => {
    const servers = all.map(
      ({ api, operationsPort }, index) => `server node${index} ${api} check port ${operationsPort}`,
    )
    return (await startHaproxyOn(({ port }) => healthChecks(port, servers))).url
  }
  const { nodes, waitForResponses, end } = await startScene(startBalancer, { LAME_DUCK_SECONDS: lameDuckSeconds })
  expect((await nodes[0]?.process().end('SIGTERM'))?.code).toBe(0)
  await waitForResponses()
  return end()
}

function healthChecks(port: number, servers: readonly string[]): string {
  return `defaults
  mode http
  timeout connect 5s
  timeout client 50s
  timeout server 50s
  retries 0
listen api
  bind 127.0.0.1:${port}
  option httpchk GET /readyz
  default-server inter 1s fall 2
  ${servers.join('\n  ')}
`
}
