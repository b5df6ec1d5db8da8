import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import { createKey } from './access/create-key.ts'
import { readFleetStatus, sumByServer } from './fleet.ts'
import { announceNode, type NodeServer } from './nodes.ts'
import { removeStore } from './stores.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

const USE: NodeServer = { server: 'db-1:5432', limit: 20, open: 12, inUse: 5, waiting: 0, failure: null }

async function announce(name: string, servers: readonly NodeServer[]) {
  const { database, keys, random } = control
  const node = await announceNode({
    database,
    keys,
    name,
    random,
    version: '1.2.3',
    servers: () => servers,
    emit: () => undefined,
  })
  onTestFinished(() => node.close())
  return node
}

async function keyOf(storeId: string): Promise<string> {
  const { database, random } = control
  return (await createKey({ database, random, storeId, name: 'Bookkeeping', createdBy: null })).id
}

interface Line {
  readonly keyId: string
  readonly status: number
  readonly code: string
  readonly requests: number
  readonly durationMs: number
  readonly minutesAgo: number
}

async function log({ keyId, status, code, requests, durationMs, minutesAgo }: Line): Promise<void> {
  await control.sql`
    insert into request_log (key_id, minute, endpoint, status, code, requests, rows, duration_ms, last_at)
    select ${keyId}, date_trunc('minute', at), '/api/v1/orders', ${status}, ${code}, ${requests}, 0, ${durationMs}, at
    from (select now() - ${minutesAgo}::int * interval '1 minute' as at) as t`
}

test("if a node was last seen a minute ago, the fleet status shows the node's version and marks the node as not alive", async () => {
  await announce('web-1', [])
  await announce('web-2', [])
  await control.sql`update nodes set seen_at = now() - interval '1 minute' where name = 'web-2'`
  const { nodes } = await readFleetStatus(control.database, 5)
  expect(nodes.map(({ name, version, isAlive }) => [name, version, isAlive])).toEqual([
    ['web-2', '1.2.3', false],
    ['web-1', '1.2.3', true],
  ])
})

test('the fleet status shows a node that ended without a shutdown for an hour, and a node that shut down not at all', async () => {
  await announce('killed-before', [])
  await announce('killed', [])
  await control.sql`update nodes set seen_at = now() - case name when 'killed' then 59 else 61 end * interval '1 minute'`
  await (await announce('stopped', [])).close()
  await announce('running', [])
  const { nodes } = await readFleetStatus(control.database, 5)
  expect(nodes.map(({ name }) => name)).toEqual(['killed', 'running'])
})

test('if a node reaches the control database again after its row was deleted, the fleet status shows when it started', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  await announce('cut-off', [])
  const before = (await readFleetStatus(control.database, 5)).nodes
  await control.sql`delete from nodes`
  await vi.advanceTimersByTimeAsync(10_000)
  await expect
    .poll(async () => (await readFleetStatus(control.database, 5)).nodes)
    .toEqual([{ ...before[0], seenAt: expect.any(Date) }])
})

test('for each database server, the fleet status adds up the connections of all live nodes, and ignores nodes last seen a minute ago', async () => {
  await announce('web-1', [USE, { ...USE, server: 'db-2:5432', inUse: 1 }])
  await announce('web-2', [{ ...USE, inUse: 20, waiting: 3 }])
  await announce('web-3', [{ ...USE, inUse: 20, waiting: 100 }])
  await control.sql`update nodes set seen_at = now() - interval '1 minute' where name = 'web-3'`
  const { servers } = await readFleetStatus(control.database, 5)
  expect(servers).toEqual([
    { server: 'db-1:5432', nodes: 2, limit: 40, open: 24, inUse: 25, waiting: 3, failure: null, saturation: 1 },
    { server: 'db-2:5432', nodes: 1, limit: 20, open: 12, inUse: 1, waiting: 0, failure: null, saturation: 0.05 },
  ])
})

test('if a node uses more than 50 servers, it announces only 50: first those with failures, then those with the most connections in use', async () => {
  const servers = Array.from({ length: 200 }, (_, n) => ({ ...USE, limit: 1000, server: `db-${n}:5432`, inUse: n }))
  await announce('web-1', [...servers, { ...USE, server: 'down:5432', inUse: 0, failure: 'unreachable' }])
  const named = (await readFleetStatus(control.database, 1000)).servers.map(({ server }) => server)
  expect(named).toHaveLength(50)
  expect(named.slice(0, 3)).toEqual(['down:5432', 'db-199:5432', 'db-198:5432'])
  const [row] = await control.sql`select octet_length(servers::text) as bytes from nodes where name = 'web-1'`
  expect(row?.bytes).toBeLessThan(6000)
})

test('if one node cannot reach a server that another node reports as full, the fleet status lists the server first, as unreachable', () => {
  const servers = sumByServer([
    { ...USE, server: 'a', inUse: 20 },
    { ...USE, server: 'b', failure: 'full' },
    { ...USE, server: 'b', failure: 'unreachable' },
  ])
  expect(servers.map(({ server, failure }) => [server, failure])).toEqual([
    ['b', 'unreachable'],
    ['a', null],
  ])
})

test('the fleet status sorts servers with the same saturation by waiting requests, and then by name', () => {
  const order = sumByServer([
    { ...USE, server: 'c' },
    { ...USE, server: 'b' },
    { ...USE, server: 'a', waiting: 1 },
  ]).map(({ server }) => server)
  expect(order).toEqual(['a', 'b', 'c'])
})

test('the fleet status lists recently slow stores, failing stores, and rate-limited keys, but nothing of a removed store', async () => {
  const [slow, failing, limited, removed] = [
    await control.store('Slow'),
    await control.store('Failing'),
    await control.store('Limited'),
    await control.store('Removed'),
  ]
  const [slowKey, failingKey, limitedKey, removedKey] = [
    await keyOf(slow.id),
    await keyOf(failing.id),
    await keyOf(limited.id),
    await keyOf(removed.id),
  ]
  const served = { status: 200, code: '', requests: 4, durationMs: 7, minutesAgo: 1 }
  const failed = { status: 502, code: 'STORE_DB_ERROR', requests: 2, durationMs: 9000, minutesAgo: 1 }
  await log({ ...served, keyId: slowKey, durationMs: 4800, minutesAgo: 30 })
  await log({ ...served, keyId: slowKey, durationMs: 9999, minutesAgo: 70 })
  await log({ ...failed, keyId: failingKey })
  await log({ ...failed, keyId: failingKey, minutesAgo: 3 })
  await log({ ...failed, keyId: slowKey, minutesAgo: 20 })
  await log({ ...served, keyId: limitedKey, status: 429, code: 'RATE_LIMITED', requests: 31 })
  await log({ ...served, keyId: removedKey, durationMs: 5000 })
  await log({ ...failed, keyId: removedKey })
  await removeStore(control.database, removed.id)
  const fleet = await readFleetStatus(control.database, 5)
  expect(fleet.slowestStores).toEqual([
    expect.objectContaining({ name: 'Slow', slowestMs: 4800, endpoint: '/api/v1/orders', requests: 6 }),
    expect.objectContaining({ name: 'Limited', slowestMs: 7, requests: 31 }),
  ])
  expect(fleet.failingStores).toEqual([
    expect.objectContaining({ id: failing.id, errors: 4, server: '127.0.0.1:5432' }),
  ])
  expect(fleet.limitedKeys).toEqual([
    expect.objectContaining({ id: limitedKey, name: 'Bookkeeping', storeName: 'Limited', rejected: 31 }),
  ])
  expect(fleet.stores).toEqual([{ origin: 'generated', state: 'ready', count: 3 }])
  expect((await readFleetStatus(control.database, 1)).slowestStores.map(({ name }) => name)).toEqual(['Slow'])
})

test('if the request log cannot be read, the fleet status has nodes, stores, and servers, and the error', async () => {
  await announce('web-1', [USE])
  await control.store('Shop')
  await control.sql`alter table request_log rename to request_log_lost`
  onTestFinished(async () => void (await control.sql`alter table request_log_lost rename to request_log`))
  const fleet = await readFleetStatus(control.database, 5)
  expect(fleet).toMatchObject({ slowestStores: [], failingStores: [], limitedKeys: [] })
  expect([fleet.nodes.length, fleet.servers.length, fleet.stores.length]).toEqual([1, 1, 1])
  expect(fleet.requestLogError).toMatchObject({ code: '42P01' })
})
