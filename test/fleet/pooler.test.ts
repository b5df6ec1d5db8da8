// Tests PgBouncer in transaction mode between the service and its databases. Responses are the same as without it.

import { StoreExportClient } from '@store-export/client'
import { LATEST_REVISION, LIMITS } from '@store-export/contract'
import { expect, test } from 'vitest'
import { openClientForTest, runCommand } from '../../packages/operator/test/support/command-process.ts'
import {
  type FleetStore,
  nonEphemeralPort,
  ownerOf,
  requestJson,
  startFleet,
  type TestFleet,
  type TestNode,
} from '../../packages/operator/test/support/fleet.ts'
import { expectExactly120, expectImmediateRevocation } from '../../packages/operator/test/support/fleet-guarantees.ts'
import { type ProxyProgram, startPgbouncer } from '../support/programs.ts'
import { roundsOf } from '../support/rounds.ts'

const ROUNDS = roundsOf({ quick: 3, long: 50 })
const LIMIT_MS = 90_000 + ROUNDS * 10_000
/** The operator's settings for a pooler that rejects unknown startup parameters. */
const POOLED = { STORE_SESSION_SETTINGS: 'off' }
/** The service prepares statements only for pages with a usual limit. */
const UNUSUAL_LIMIT = 37
const LISTS = ['orders', 'customers', 'products', 'categories', 'customer-groups', 'locations', 'customer-addresses']

interface Scene {
  readonly fleet: TestFleet
  /** Reached through the pooler. */
  readonly pooled: FleetStore
  /** Has the same rows, and is reached directly. */
  readonly direct: FleetStore
  readonly pooler: ProxyProgram
}

async function startScene(settings = ''): Promise<Scene> {
  const fleet = await startFleet()
  const port = await nonEphemeralPort()
  const pooled = await fleet.addStore({ through: (url) => urlAtPort(url, port) })
  const direct = await fleet.addStore()
  const pooler = await startPgbouncer({ port, urls: [pooled.readerUrl], settings })
  return { fleet, pooled, direct, pooler }
}

function urlAtPort(url: string, port: number): string {
  const pooled = new URL(url)
  pooled.port = String(port)
  return pooled.href
}

/**
 * Rounds with an unchanged number of prepared statements. Each round sends 300 requests at once, and a service that
 * prepares statements would prepare more in each round.
 */
const STEADY_ROUNDS = 4
const ROUNDS_MAX = 12

/** Returns all rows of a list in the order of the API. */
async function rowsOf(
  node: TestNode,
  list: string,
  { store, limit = UNUSUAL_LIMIT }: { store: FleetStore; limit?: number },
): Promise<unknown[]> {
  const rows: unknown[] = []
  for (let query = `?limit=${limit}`; ; ) {
    const { status, json } = await requestJson(`${node.url}/api/v1/${list}${query}`, store)
    expect([list, status]).toEqual([list, 200])
    rows.push(...json.data)
    if (!json.meta.has_more) return rows
    query = `?limit=${limit}&cursor=${json.meta.next_cursor}`
  }
}

async function expectSame(node: TestNode, { pooled, direct }: Scene): Promise<void> {
  for (const list of LISTS) {
    const rows = await rowsOf(node, list, { store: pooled })
    expect(rows).toEqual(await rowsOf(node, list, { store: direct }))
    expect(rows).toEqual(await rowsOf(node, list, { store: pooled, limit: LIMITS.pageRowsDefault }))
    expect(rows.length, list).toBeGreaterThan(2)
  }
  expect((await requestJson(`${node.url}/api/v1/store`, pooled)).json.data.counts).toEqual(
    (await requestJson(`${node.url}/api/v1/store`, direct)).json.data.counts,
  )
}

test('if PgBouncer shares two server connections among many requests, the responses are the same as without PgBouncer', async () => {
  const scene = await startScene('default_pool_size = 2')
  const node = await scene.fleet.startNode({ ...POOLED, STORE_POOL_SIZE: '12' })
  await expectSame(node, scene)
  const orders = (await rowsOf(node, 'orders', { store: scene.direct })) as { id: string }[]
  const page = [200, orders.slice(0, LIMITS.pageRowsDefault)]
  const requestAll = async () => {
    // More requests at once can overload a node on a busy machine, which rejects some of them.
    for (let first = 0; first < 192; first += 24) {
      const expected = orders.slice(first, first + 24)
      const objects = expected.map(({ id }) => requestJson(`${node.url}/api/v1/orders/${id}`, scene.pooled))
      // Rows by ID share statements, so they may need only one connection. Pages use all connections.
      const pages = Array.from({ length: 12 }, () => requestJson(`${node.url}/api/v1/orders`, scene.pooled))
      for (const [index, { status, json }] of (await Promise.all(objects)).entries())
        expect([status, json.data]).toEqual([200, expected[index]])
      for (const { status, json } of await Promise.all(pages)) expect([status, json.data]).toEqual(page)
    }
  }
  // The service prepares statements until the pooler mixes them up, which happens after a random time.
  const sessions = [1, 2].map(() => openClientForTest(urlAtPort(scene.pooled.readerUrl, scene.pooler.port)))
  const prepared = async () => {
    // Each open transaction holds a server connection, so these two sessions are on both connections of the pooler.
    await Promise.all(sessions.map((session) => session.unsafe('begin')))
    const counted = sessions.map((session) =>
      session.unsafe<[{ count: number }]>('select count(*)::int as count from pg_prepared_statements'),
    )
    const sums = (await Promise.all(counted)).map(([{ count }]) => count)
    await Promise.all(sessions.map((session) => session.unsafe('commit')))
    return sums.reduce((sum, count) => sum + count, 0)
  }
  const counts: number[] = []
  const isSteady = () => counts.length > STEADY_ROUNDS && new Set(counts.slice(-STEADY_ROUNDS)).size === 1
  while (!isSteady() && counts.length < ROUNDS_MAX) {
    await requestAll()
    counts.push(await prepared())
  }
  expect(isSteady(), counts.join()).toBe(true)
})

test("if PgBouncer rejects the service's session settings, requests for stores behind PgBouncer get 502", async () => {
  const rejecting = await startScene()
  const node = await rejecting.fleet.startNode({ STORE_SESSION_SETTINGS: 'on' })
  expect((await requestJson(`${node.url}/api/v1/orders`, rejecting.pooled)).status).toBe(502)
  expect((await requestJson(`${node.url}/api/v1/orders`, rejecting.direct)).status).toBe(200)
  expect(node.process().output().stdout).toMatch(/"event":"store.query_failed".*unsupported startup parameter/)
})

test("if PgBouncer ignores the service's session settings, responses are the same as without PgBouncer", async () => {
  const ignoring = await startScene(
    'ignore_startup_parameters = statement_timeout,default_transaction_isolation,default_transaction_read_only,jit,plan_cache_mode,timezone',
  )
  await expectSame(await ignoring.fleet.startNode({ STORE_SESSION_SETTINGS: 'on' }), ignoring)
})

test("if PgBouncer rejects the service's session settings, doctor says to set STORE_EXPORT_STORE_SESSION_SETTINGS to off", async () => {
  const { fleet, pooled } = await startScene()
  const node = await fleet.startNode({ STORE_SESSION_SETTINGS: 'on' })
  expect((await requestJson(`${node.url}/api/v1/orders`, pooled)).status).toBe(502)
  const examine = async (settings: Record<string, string>) => {
    const { code, json } = await runCommand(['doctor', '--store', pooled.id, '--json'], {
      settings: { ...fleet.settings, ...settings },
    })
    return { code, ...json.stores[0] }
  }
  const refused = await examine({ STORE_SESSION_SETTINGS: 'on' })
  // The report also contains the other results.
  expect(refused).toMatchObject({ code: 1, ok: false, revision: LATEST_REVISION })
  expect(refused.findings[0]).toMatchObject({ severity: 'error', code: 'startup_parameter_refused' })
  expect(refused.findings[0].message).toContain('unsupported startup parameter')
  expect(refused.findings[0].fix).toMatch(/^export STORE_EXPORT_STORE_SESSION_SETTINGS=off /)
  expect(await examine(POOLED)).toMatchObject({ code: 0, ok: true, revision: LATEST_REVISION })
})

test('[ERR-3] if a query through PgBouncer exceeds its time limit, the response is 502, and the query is canceled', async () => {
  const scene = await startScene()
  const node = await scene.fleet.startNode(POOLED)
  const owner = ownerOf(scene.pooled)
  await owner`begin`
  await owner`lock table orders in access exclusive mode`
  const startedAt = performance.now()
  const hanging = Array.from({ length: 20 }, () => requestJson(`${node.url}/api/v1/orders`, scene.pooled))
  for (const { status } of await Promise.all(hanging)) expect(status).toBe(502)
  expect(performance.now() - startedAt).toBeLessThan(6000)
  const waiting = async () => {
    const [row] = await owner`select count(*)::int from pg_locks where relation = 'orders'::regclass and not granted`
    return row?.count
  }
  await expect.poll(waiting).toBe(0)
  await owner`rollback`
  await expect.poll(async () => (await requestJson(`${node.url}/api/v1/orders`, scene.pooled)).status).toBe(200)
})

test('if columns are dropped and added between pages, a full sync through PgBouncer loses no row', async () => {
  const scene = await startScene('default_pool_size = 2')
  const node = await scene.fleet.startNode(POOLED)
  const owner = ownerOf(scene.pooled)
  const client = new StoreExportClient({ url: node.url, key: scene.pooled.key })
  const ids: string[] = []
  let page = 0
  for await (const { rows } of client.orders.list({ limit: 20 }).pages()) {
    ids.push(...rows.map(({ id }) => id))
    if (page % 2 === 0) await owner`alter table orders drop column locale`
    else await owner`alter table orders add column locale text`
    page += 1
  }
  expect([ids.length, new Set(ids).size]).toEqual([400, 400])
})

test(
  `if PgBouncer is killed and restarted during a full sync, the sync loses no row (full syncs: ${ROUNDS})`,
  async () => {
    const scene = await startScene()
    const node = await scene.fleet.startNode(POOLED)
    const client = new StoreExportClient({ url: node.url, key: scene.pooled.key })
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids: string[] = []
      for await (const { rows } of client.orders.list({ limit: 50 }).pages()) {
        ids.push(...rows.map(({ id }) => id))
        if (ids.length !== 200) continue
        await scene.pooler.end('SIGKILL')
        expect((await requestJson(`${node.url}/api/v1/orders`, scene.pooled)).status).toBe(502)
        await scene.pooler.start()
      }
      expect([ids.length, new Set(ids).size]).toEqual([400, 400])
    }
  },
  LIMIT_MS,
)

test(
  `[LIM-1, AUTH-5] if the control database is behind PgBouncer, rate limits are exact and revocations immediate (rounds: ${ROUNDS})`,
  async () => {
    const fleet = await startFleet()
    const store = await fleet.addStore()
    const port = await nonEphemeralPort()
    await startPgbouncer({ port, urls: [fleet.controlUrl] })
    const settings = { DATABASE_URL: urlAtPort(fleet.controlUrl, port), PREPARED_STATEMENTS: 'off' }
    const limited = await Promise.all([1, 2].map(() => fleet.startNode({ ...settings, REQUESTS_PER_MINUTE: '120' })))
    const free = await Promise.all([1, 2].map(() => fleet.startNode(settings)))
    for (let round = 0; round < ROUNDS; round += 1) {
      await expectExactly120(
        fleet,
        store,
        limited.map(({ url }) => url),
      )
      await expectImmediateRevocation(
        fleet,
        store,
        free.map(({ url }) => url),
      )
    }
  },
  LIMIT_MS,
)
