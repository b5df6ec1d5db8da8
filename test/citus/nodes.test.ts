// Tests three nodes of the service with a control database that Citus distributes over its workers. `npm run
// test:server` runs this file.

import { randomBytes } from 'node:crypto'
import { createKey, readWorkers, revokeKey } from '@store-export/control'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startNode } from '../../packages/api/test/support/start-node.ts'
import type { RunningService } from '../../packages/operator/src/service.ts'
import { allowConnections } from '../support/citus.ts'
import { get, startPlatform, type TestPlatform, type TestStore } from '../support/platform.ts'

const LIMIT = 120
let platform: TestPlatform
let stores: TestStore[]
let nodes: RunningService[]
beforeAll(async () => {
  const settings = { REQUESTS_PER_MINUTE: String(LIMIT) }
  platform = await startPlatform(settings)
  stores = [await platform.provision(), await platform.provision()]
  const atWorker = (url: string) => {
    const keyCheckUrl = Object.assign(new URL(url), { pathname: new URL(platform.controlUrl).pathname }).href
    return startNode(platform, { ...settings, KEY_CHECK_URL: keyCheckUrl })
  }
  const workers = inject('citusWorkers') ?? []
  nodes = [platform.service, await startNode(platform, settings), await atWorker(workers.at(-1) ?? '')]
})
afterAll(async () => {
  for (const node of nodes.slice(1)) await node.close()
  await platform.close()
})

const statusAt = async ({ url }: RunningService, key: string) => (await get(`${url}/api/v1/store`, key)).status
const statusesOf = (key: string) => Promise.all(nodes.map((node) => statusAt(node, key)))

async function minuteNow(): Promise<string> {
  const [row] = await platform.controlSql`select date_trunc('minute', clock_timestamp())::text as minute`
  return String(row?.minute)
}

test('[LIM-1] if a key sends 210 requests to three nodes within one minute, exactly 120 get 200 and 90 get 429', async () => {
  for (;;) {
    const { id, key } = await platform.newKey(stores[0]?.id ?? '')
    const minute = await minuteNow()
    const sent = Array.from({ length: 210 }, (_, index) => statusAt(nodes[index % 3] as RunningService, key))
    const found = await Promise.all(sent)
    const isOneMinute = minute === (await minuteNow())
    await revokeKey({ database: platform.service.control, keyId: id })
    if (!isOneMinute) continue
    expect([...new Set(found)].toSorted()).toEqual([200, 429])
    expect(found.filter((status) => status === 200)).toHaveLength(LIMIT)
    return
  }
})

test("[AUTH-5] after a key is revoked, each of three nodes rejects the key's next request", async () => {
  for (let round = 0; round < 10; round++) {
    const { id, key } = await platform.newKey(stores[round % 2]?.id ?? '')
    expect(await statusesOf(key)).toEqual([200, 200, 200])
    await revokeKey({ database: platform.service.control, keyId: id })
    expect(await statusesOf(key)).toEqual([401, 401, 401])
  }
})

test('[ERR-3] while a Citus worker is lost, only keys on this worker get 502, and readWorkers names it; after it is back, all keys get 200', async () => {
  const worker = inject('citusWorkers')?.[0] ?? ''
  const keys = await Promise.all(stores.flatMap(({ id }) => [1, 2, 3].map(() => platform.newKey(id))))
  const isOnWorker = await Promise.all(keys.map(({ id }) => hasShardOn(worker, id)))
  const expected = (lost: number) => isOnWorker.map((isLost) => (isLost ? lost : 200))
  const found = () => Promise.all(keys.map(({ key }) => statusAt(nodes[1] as RunningService, key)))
  // With six keys, the chance that a worker has none of them is 1 in 64.
  expect(await found()).toEqual(expected(200))
  await allowConnections(worker, platform.controlUrl, false)
  try {
    expect(await found()).toEqual(expected(502))
    expect((await readWorkers(platform.service.control)).map(({ failure }) => failure)).toEqual(['unreachable', null])
    expect((await readWorkers(platform.service.control))[0]?.server).toBe(new URL(worker).host)
    await expect(createManyKeys()).rejects.toThrow()
  } finally {
    await allowConnections(worker, platform.controlUrl, true)
  }
  expect(await found()).toEqual(expected(200))
  for (const { id, key } of keys) {
    await revokeKey({ database: platform.service.control, keyId: id })
    expect(await statusesOf(key)).toEqual([401, 401, 401])
  }
})

/** Creates keys until one is on the lost worker. */
async function createManyKeys(): Promise<void> {
  const { control: database } = platform.service
  for (let made = 0; made < 20; made++) {
    const { id: storeId } = stores[0] as TestStore
    const { id } = await createKey({ database, storeId, name: 'k', createdBy: null, random: randomBytes })
    await revokeKey({ database, keyId: id })
  }
}

async function hasShardOn(worker: string, keyId: string): Promise<boolean> {
  const [row] = await platform.controlSql`
    select nodeport as port from api_keys k join pg_dist_shard_placement p
      on p.shardid = get_shard_id_for_distribution_column('admissions', k.key_hash)
    where k.id = ${keyId}`
  return String(row?.port) === new URL(worker).port
}
