// Tests failovers by Patroni, with the configuration of deploy/patroni.yaml, while clients and a program that writes
// use the store.

import { StoreExportClient } from '@store-export/client'
import { expect, test } from 'vitest'
import { FLEET_SIZE, type FleetStore, startFleet, type TestNode } from '../../packages/operator/test/support/fleet.ts'
import { openClient } from '../support/client.ts'
import { type PatroniCluster, startPatroni } from '../support/patroni.ts'

const OUTAGE_MS_MAX = 10_000
/** Patroni waits for its `ttl` of 20 s before it replaces a lost machine. */
const LOST_MACHINE_MS_MAX = 35_000
const CLIENTS = 4
/** Time of requests before the failover, and after the first success. */
const MARGIN_MS = 2000

test.each([
  { name: 'the operator switches the primary', act: 'switchover', outageMsMax: OUTAGE_MS_MAX },
  { name: 'the PostgreSQL of the primary is killed', act: 'crashPrimary', outageMsMax: OUTAGE_MS_MAX },
  { name: 'the machine of the primary is lost', act: 'loseMachineOfPrimary', outageMsMax: LOST_MACHINE_MS_MAX },
] as const)(
  '[ERR-3, PAG-4] if $name in a Patroni cluster, only its store gets 502 (at most $outageMsMax ms), and a full sync returns each order once',
  async ({ name, act, outageMsMax }) => {
    const cluster = await startPatroni()
    const fleet = await startFleet()
    const store = await fleet.addStore({ adminUrl: cluster.url, through: (url) => throughBoth(url, cluster) })
    const other = await fleet.addStore()
    const node = await fleet.startNode()
    const stop = new AbortController()
    const writes = write(throughBoth(store.ownerUrl, cluster), stop.signal)
    const loads = [store, other].map((of) =>
      Promise.all(Array.from({ length: CLIENTS }, () => request(node, of, stop.signal))),
    )
    const synced = readOrders(node, store, stop.signal)
    await pause(MARGIN_MS)
    await cluster[act]()
    await pause(MARGIN_MS)
    await untilSuccess(node, store)
    await pause(MARGIN_MS)
    stop.abort()
    const [ofStore = [], ofOther = []] = (await Promise.all(loads)).map((clients) => clients.flat())
    const failed = ofStore.filter(({ status }) => status !== 200)
    const times = failed.map(({ at }) => at)
    const outageMs = failed.length === 0 ? 0 : Math.max(...times) - Math.min(...times)
    console.log(
      `measured: ${name}: 502 for ${(outageMs / 1000).toFixed(1)} s; ${failed.length} of ${ofStore.length} requests failed; ${ofOther.length} requests to the other store; ${await writes} commits`,
    )
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(failed.length === 0 ? [] : [502]))
    expect(failed.filter(({ retryAfter }) => retryAfter === null)).toEqual([])
    expect(outageMs).toBeLessThanOrEqual(outageMsMax)
    expect(ofOther.filter(({ status }) => status !== 200)).toEqual([])
    const ids = await synced
    expect(ids).toHaveLength(FLEET_SIZE.orders)
    expect(new Set(ids).size).toBe(FLEET_SIZE.orders)
  },
  180_000,
)

interface Result {
  /** Time of the end, on the clock of `performance.now()`. */
  readonly at: number
  readonly status: number
  readonly retryAfter: string | null
}

/** Requests pages one after another until the signal. Never retries. */
async function request(node: TestNode, { key }: FleetStore, signal: AbortSignal): Promise<Result[]> {
  const results: Result[] = []
  while (!signal.aborted) {
    const response = await fetch(`${node.url}/api/v1/orders?limit=20`, { headers: { 'x-api-key': key } })
    await response.arrayBuffer()
    const retryAfter = response.headers.get('retry-after')
    results.push({ at: performance.now(), status: response.status, retryAfter })
    await pause(20)
  }
  return results
}

/** Reads all orders in small pages, again and again, until a list ends after the signal. Returns its IDs. */
async function readOrders(node: TestNode, { key }: FleetStore, signal: AbortSignal): Promise<string[]> {
  const client = new StoreExportClient({ url: node.url, key })
  for (;;) {
    const ids: string[] = []
    for await (const { id } of client.orders.list({ limit: 10 })) {
      ids.push(id)
      await pause(5)
    }
    if (signal.aborted) return ids
  }
}

/** Changes orders until the signal. Returns the number of commits. */
async function write(url: string, signal: AbortSignal): Promise<number> {
  const sql = openClient(url)
  let commits = 0
  while (!signal.aborted) {
    const done = sql`update orders set updated_at = now() where id = (select id from orders order by random() limit 1)`
    await done.then(
      () => commits++,
      () => pause(50),
    )
    await pause(5)
  }
  await sql.end({ timeout: 1 })
  return commits
}

async function untilSuccess(node: TestNode, { key }: FleetStore): Promise<void> {
  for (let successes = 0; successes < 10; ) {
    const { status } = await fetch(`${node.url}/api/v1/orders?limit=1`, { headers: { 'x-api-key': key } })
    successes = status === 200 ? successes + 1 : 0
    await pause(50)
  }
}

/** Returns the URL with the addresses of both servers. */
function throughBoth(url: string, { hosts }: PatroniCluster): string {
  const { username, password, pathname } = new URL(url.replace(/@[^/]+/, '@host'))
  return `postgres://${username}:${password}@${hosts.join(',')}${pathname}?target_session_attrs=primary`
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
