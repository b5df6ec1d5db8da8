// Rows by id that are asked for at once share statements: what a client gets must not show it.

import { setTimeout as after } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { connectOnce, startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/demo.ts'
import { NO_ID } from './support/endpoints.ts'
import { connect } from './support/http.ts'

const SIZE = { orders: 60, customers: 30, products: 30, locations: 1, groups: 1 }

let platform: TestPlatform
let stores: TestStore[]
beforeAll(async () => {
  platform = await startPlatform()
  stores = [await filledStore(platform, 'v1.6', SIZE), await filledStore(platform, 'launch', SIZE)]
})
afterAll(() => platform.close())

async function pathsOf({ key }: TestStore): Promise<string[]> {
  const lists = ['orders', 'customers', 'products']
  const answers = await Promise.all(lists.map((list) => platform.get(`/api/v1/${list}?limit=250`, key)))
  const paths = answers.flatMap(({ json }, index) =>
    json.data.map(({ id }: { id: string }) => `/api/v1/${lists[index]}/${id}`),
  )
  const wrong = lists.flatMap((list) => [`/api/v1/${list}/${NO_ID}`, `/api/v1/${list}/7`])
  return [...paths, ...paths.filter((_, index) => index % 3 === 0), ...wrong]
}

async function firstOrder({ sql }: TestStore): Promise<string> {
  const [row] = await sql<[{ id: string }]>`select id from orders order by id limit 1`
  return row.id
}

test('[EP-ORDER, EP-ID-MISSING] rows asked for at once, of two stores, are what they are alone', async () => {
  const asked = (await Promise.all(stores.map(async (store) => ({ store, paths: await pathsOf(store) })))).flatMap(
    ({ store: { key }, paths }) => paths.map((path) => ({ path, key })),
  )
  const alone: [number, string][] = []
  for (const { path, key } of asked) {
    const { status, text } = await platform.get(path, key)
    alone.push([status, text])
  }
  const together = await Promise.all(
    asked.map(async ({ path, key }) => {
      const { status, text } = await platform.get(path, key)
      return [status, text]
    }),
  )
  expect(together).toEqual(alone)
  expect(new Set(alone.map(([status]) => status))).toEqual(new Set([200, 400, 404]))
})

test('[ERR-3] a row that cannot be read costs nobody else theirs', async () => {
  const store = await filledStore(platform, 'v1.6', SIZE)
  const bad = await firstOrder(store)
  await store.sql.unsafe(`
    alter table orders rename to orders_behind;
    create view orders as select o.* from orders_behind o where case when id = '${bad}' then 1 / (random() * 0)::int = 1 else true end;
    grant select on orders to public`)
  const ids = await store.sql<{ id: string }[]>`select id from orders_behind`
  const answers = await Promise.all(
    ids.map(async ({ id }) => ({ id, ...(await platform.get(`/api/v1/orders/${id}`, store.key)) })),
  )
  expect(answers.filter(({ status }) => status !== 200).map(({ id, status }) => [id, status])).toEqual([[bad, 502]])
  for (const { id, json } of answers) if (id !== bad) expect(json.data.id).toBe(id)
})

test('[ERR-3] a row that is slow costs nobody else theirs', async () => {
  const store = await filledStore(platform, 'v1.6', SIZE)
  const slow = await firstOrder(store)
  await store.sql.unsafe(`
    alter table orders rename to orders_behind;
    create view orders as select o.* from orders_behind o where case when id = '${slow}' then pg_sleep(20) is not null else true end;
    grant select on orders to public`)
  const ids = await store.sql<{ id: string }[]>`select id from orders_behind order by id limit 20`
  const startedAt = performance.now()
  const answers = await Promise.all(
    ids.map(async ({ id }) => {
      const { status } = await platform.get(`/api/v1/orders/${id}`, store.key)
      return { id, status, ms: performance.now() - startedAt }
    }),
  )
  for (const { id, status, ms } of answers) {
    expect([id, status]).toEqual([id, id === slow ? 502 : 200])
    expect(ms).toBeLessThan(id === slow ? 6000 : 3000)
  }
})

test('[ERR-3] rows that are too large for one page come all the same', async () => {
  const narrow = await startPlatform({ PAGE_BYTES_MAX: '1000000' })
  onTestFinished(() => narrow.close())
  const store = await filledStore(narrow, 'v1.6', SIZE)
  await store.sql`update products set description = repeat('x', 400000)`
  const ids = await store.sql<{ id: string }[]>`select id from products`
  const answers = await Promise.all(ids.map(({ id }) => narrow.get(`/api/v1/products/${id}`, store.key)))
  for (const { status, json } of answers) expect([status, json.data.description.length]).toEqual([200, 400_000])
})

test('[ERR-3] clients that leave take nothing from those who stay; when all have left, the statement ends', async () => {
  const [store] = stores
  if (store === undefined) throw new Error('no store')
  const id = await firstOrder(store)
  const admin = connectOnce(inject('postgresUrl'))
  onTestFinished(() => admin.end())
  const working = async () => {
    const [row] = await admin<[{ count: number }]>`select count(*)::int as count from pg_stat_activity
      where usename = ${new URL(store.readerUrl).username} and state <> 'idle'`
    return row.count
  }
  await store.sql.unsafe('begin; lock table orders in access exclusive mode')
  const leaving = Array.from({ length: 10 }, () => {
    const socket = connect(platform.service.url)
    socket.on('error', () => undefined)
    socket.write(`GET /api/v1/orders/${id} HTTP/1.1\r\nhost: test\r\nx-api-key: ${store.key}\r\n\r\n`)
    return socket
  })
  const staying = platform.get(`/api/v1/orders/${id}`, store.key)
  await after(200)
  expect(await working()).toBeGreaterThan(0)
  for (const socket of leaving) socket.resetAndDestroy()
  await after(100)
  await store.sql.unsafe('commit')
  expect((await staying).json.data.id).toBe(id)

  await store.sql.unsafe('begin; lock table orders in access exclusive mode')
  const gone = connect(platform.service.url)
  gone.write(`GET /api/v1/orders/${id} HTTP/1.1\r\nhost: test\r\nx-api-key: ${store.key}\r\n\r\n`)
  await expect.poll(working).toBeGreaterThan(0)
  gone.resetAndDestroy()
  await expect.poll(working, { timeout: 2000 }).toBe(0)
  await store.sql.unsafe('rollback')
  expect((await platform.get(`/api/v1/orders/${id}`, store.key)).status).toBe(200)
})
