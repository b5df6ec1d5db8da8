// Checks guarantees of several nodes on one control database, directly or through a load balancer.

import { revokeKey } from '@store-export/control'
import { sql } from '@store-export/postgres'
import { expect } from 'vitest'
import { waitUntil } from './embedded-server.ts'
import { type FleetStore, requestJson, type TestFleet } from './fleet.ts'

/** Addresses that are used in turn: those of all nodes, or that of a load balancer. */
export type Addresses = readonly string[]

/** Checks [LIM-1]: of 150 concurrent requests in a one-minute window, exactly 120 succeed and 30 get 429. */
export async function expectExactly120(fleet: TestFleet, store: FleetStore, addresses: Addresses): Promise<void> {
  for (;;) {
    const before = await minuteOf(fleet)
    const created = await fleet.createKey(store.id)
    const urls = Array.from({ length: 150 }, (_, index) => at(addresses, index))
    const statuses = (await Promise.all(urls.map((url) => requestJson(`${url}/api/v1/locations`, created)))).map(
      ({ status }) => status,
    )
    await revokeKey({ database: fleet.control, keyId: created.id })
    // A new minute started during the burst, so the check tries again.
    if (before !== (await minuteOf(fleet))) continue
    expect(statuses.filter((status) => status === 200)).toHaveLength(120)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
    return
  }
}

/** Checks [AUTH-5]: with 50 requests in flight, each request after the revocation gets 401. */
export async function expectImmediateRevocation(
  fleet: TestFleet,
  store: FleetStore,
  addresses: Addresses,
): Promise<void> {
  const created = await fleet.createKey(store.id)
  let revokedAt = Number.POSITIVE_INFINITY
  let answered = 0
  const worker = async (first: number) => {
    // The number of requests after the revocation equals the number of nodes, so that every node gets one.
    for (let index = first, after = 0; after < NODES_MAX; index += 1) {
      const startedAt = performance.now()
      const { status } = await requestJson(`${at(addresses, index)}/api/v1/store`, created)
      if (startedAt > revokedAt) {
        expect(status, 'after the revocation').toBe(401)
        after += 1
      } else {
        expect([200, 401]).toContain(status)
        if (status === 200) answered += 1
      }
    }
  }
  const workers = Promise.all(Array.from({ length: 50 }, (_, index) => worker(index)))
  await Promise.race([workers, waitUntil(() => answered > 200)])
  await revokeKey({ database: fleet.control, keyId: created.id })
  revokedAt = performance.now()
  await workers
}

const NODES_MAX = 3

/** Checks [PAG-4]: if each page is requested from another node, the list returns each row once, in order. */
export async function expectCursorsOnAnyNode(
  store: FleetStore,
  addresses: Addresses,
  betweenPages: (page: number) => Promise<void> = async () => undefined,
): Promise<void> {
  const whole = await walk(store, addresses.slice(0, 1))
  expect(await walk(store, addresses, betweenPages)).toEqual(whole)
  expect(whole.length).toBeGreaterThan(300)
  expect(new Set(whole).size).toBe(whole.length)
}

async function walk(
  store: FleetStore,
  addresses: Addresses,
  betweenPages: (page: number) => Promise<void> = async () => undefined,
): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  for (let page = 0; page === 0 || cursor !== null; page += 1) {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`
    const { status, json } = await requestJson(`${at(addresses, page)}/api/v1/orders?limit=29${query}`, store)
    expect(status).toBe(200)
    ids.push(...json.data.map(({ id }: { id: string }) => id))
    cursor = json.meta.next_cursor
    await betweenPages(page)
  }
  return ids
}

async function minuteOf({ control }: TestFleet): Promise<unknown> {
  const [row] = await control.pool.query<{ minute: string }>(
    sql`select date_trunc('minute', clock_timestamp())::text as minute`,
  )
  return row?.minute
}

function at(addresses: Addresses, index: number): string {
  return addresses[index % addresses.length] ?? ''
}
