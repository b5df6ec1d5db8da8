// Tests `store-export status` with nodes, requests, and 10,000 registered stores.

import { expect, test, vi } from 'vitest'
import { openClientForTest, runCommand, SLOW_TEST_TIMEOUTS, startCommand } from './support/command-process.ts'
import { waitUntil } from './support/embedded-server.ts'
import { requestJson, startFleet, type TestFleet } from './support/fleet.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const SIZE = { orders: 5, customers: 2, products: 2, locations: 1, groups: 1 }
const STORES = 10_000
/** Longest time of the command on a busy machine. It takes about half a second on an idle one. */
const STATUS_MS_MAX = 5000

async function statusOf({ settings }: TestFleet) {
  const { code, stderr, json } = await runCommand(['status', '--json'], { settings })
  expect([code, stderr]).toEqual([0, ''])
  return json
}

test('after requests to a reachable and an unreachable store, status lists nodes, servers, failing stores, and keys over their limit', async () => {
  const fleet = await startFleet()
  const [store, lost] = [
    await fleet.addStore({ size: SIZE }),
    await fleet.addStore({ size: SIZE, through: unreachable }),
  ]
  const node = await fleet.startNode({ REQUESTS_PER_MINUTE: '3', USAGE_FLUSH_MS: '50' })
  const killed = await fleet.startNode()
  await killed.process().end('SIGKILL')
  const statuses = []
  for (let request = 0; request < 8; request++)
    statuses.push((await requestJson(`${node.url}/api/v1/orders`, store)).status)
  expect(statuses).toContain(429)
  expect((await requestJson(`${node.url}/api/v1/orders`, lost)).status).toBe(502)
  // The node announces its servers every 10 s.
  await waitUntil(async () => (await statusOf(fleet)).servers.length === 2)
  const status = await statusOf(fleet)
  expect(status.nodes).toHaveLength(2)
  expect(status.nodes[0]).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/), alive: true })
  expect(status.stores).toEqual([{ origin: 'generated', state: 'ready', count: 2 }])
  expect(status.servers).toEqual([
    expect.objectContaining({ server: '127.0.0.1:1', state: 'unreachable', in_use: 0, limit: 20, nodes: 1 }),
    expect.objectContaining({ state: 'ok', open: 1, limit: 20 }),
  ])
  expect(status.failing_stores).toEqual([expect.objectContaining({ id: lost.id, errors: 1, server: '127.0.0.1:1' })])
  expect(status.keys_over_limit).toEqual([expect.objectContaining({ store_id: store.id })])
  expect(status.slowest_stores).toEqual([expect.objectContaining({ id: store.id })])
})

test('if 10,000 stores were used in the last hour, status prints fewer than 40 lines within 5 s', async () => {
  const fleet = await startFleet()
  await fillWithStores(fleet)
  const since = performance.now()
  const { code, stdout } = await runCommand(['status'], { settings: fleet.settings })
  expect(performance.now() - since).toBeLessThan(STATUS_MS_MAX)
  expect(code).toBe(0)
  expect(stdout).toContain('10,000 stores (10,000 ready)')
  expect(stdout.split('\n').length).toBeLessThan(40)
})

test('if the control database fails, status --watch prints the error and continues, and on Ctrl-C it exits with code 0', async () => {
  const fleet = await startFleet()
  const watching = startCommand(['status', '--watch', '--json'], { settings: fleet.settings })
  await watching.waitForOutput(/"stores":\[\]\}?/)
  const admin = openClientForTest(fleet.controlUrl)
  await admin`alter table nodes rename to nodes_gone`
  await watching.waitForOutput(/\{"error":"/)
  await admin`alter table nodes_gone rename to nodes`
  await watching.waitForOutput(/"error"[^\n]*\n\{"at"/)
  expect(await watching.end('SIGINT')).toEqual({ code: 0, signal: null })
  expect(watching.output().stderr).toBe('')
})

test('if the control database cannot be reached, status exits with code 75 (temporary failure)', async () => {
  const fleet = await startFleet()
  const settings = { ...fleet.settings, DATABASE_URL: unreachable(fleet.controlUrl) }
  const { code, stderr } = await runCommand(['status', '--json'], { settings })
  expect(code).toBe(75)
  expect(JSON.parse(stderr).error.code).toBe('database_unreachable')
})

function unreachable(url: string): string {
  return Object.assign(new URL(url), { hostname: '127.0.0.1', port: '1' }).href
}

/** Registers 10,000 stores with a key each, and 48 lines of the request log of each key in the last hour. */
async function fillWithStores({ controlUrl }: TestFleet): Promise<void> {
  const sql = openClientForTest(controlUrl)
  await sql`
    insert into stores (id, name, origin, state, database_url)
    select gen_random_uuid(), 'Shop ' || n, 'generated', 'ready', 'postgres://r@db-' || n % 20 || '/shop_' || n
    from generate_series(1, ${STORES}) as n`
  await sql`
    insert into api_keys (id, store_id, slot, name, prefix, last_four, key_hash)
    select gen_random_uuid(), id, 1, 'k', 'sdx_abcdefgh', 'abcd', sha256(id::text::bytea) from stores`
  await sql`
    insert into request_log (key_id, minute, endpoint, status, code, requests, rows, duration_ms, last_at)
    select id, date_trunc('minute', now()) - n * interval '1 minute', '/api/v1/orders', 200, '', 10, 2500,
      (random() * 300)::int, now() - n * interval '1 minute'
    from api_keys, generate_series(0, 47) as n`
  await sql`analyze`
}
