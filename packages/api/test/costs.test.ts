// What a request costs in things that can be counted. A slow machine does not turn these red; a statement too many does.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { type CountedWay, countedWay, type Passed } from './support/counted-way.ts'
import { filledStore } from './support/demo.ts'
import { NO_ID } from './support/endpoints.ts'
import { startNode } from './support/nodes.ts'

const SIZE = { orders: 600, customers: 200, products: 100, locations: 2, groups: 2 }
const AT_ONCE = 64

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, 'v1.6', SIZE)
})
afterAll(() => platform.close())

interface Counted {
  readonly control: CountedWay
  readonly stores: CountedWay
  get(path: string): Promise<string>
}

/** A node whose ways to both databases are counted; it knows the store, and has answered twice what is asked for. */
async function countedNode(...known: string[]): Promise<Counted> {
  const [control, stores] = [await countedWay(platform.controlUrl), await countedWay(store.readerUrl)]
  const [row] = await platform.service.control.sql<[{ url: string }]>`
    select database_url as url from stores where id = ${store.id}`
  await platform.service.control.sql`update stores set database_url = ${stores.url(row.url)} where id = ${store.id}`
  // what it does by itself must not be counted
  const node = await startNode({ ...platform, controlUrl: control.url(platform.controlUrl) })
  onTestFinished(() => node.close())
  const get = async (path: string) => {
    const answer = await fetch(`${node.url}/api/v1${path}`, { headers: { 'x-api-key': store.key } })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${answer.status} for ${path}: ${text}`)
    return text
  }
  for (const path of [...known, ...known]) await get(path)
  control.take()
  stores.take()
  return { control, stores, get }
}

type Cost = { readonly [Database in 'control' | 'stores']: Passed }

/** What asking for these paths costs, all at once. */
async function costOf({ control, stores, get }: Counted, paths: readonly string[]): Promise<Cost & { bytes: number }> {
  const texts = await Promise.all(paths.map(get))
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return { control: control.take(), stores: stores.take(), bytes }
}

async function idsOf(count: number): Promise<string[]> {
  const rows = await store.sql<{ id: string }[]>`select id from orders order by id limit ${count}`
  return rows.map(({ id }) => id)
}

/** Statements and parses in each database; connections are open already. */
const spent = ({ control, stores }: Cost) => ({
  control: [control.statements, control.parsed, control.connections],
  store: [stores.statements, stores.parsed, stores.connections],
})

test('a row by id costs one statement in each database, and nothing is parsed again', async () => {
  const [one = NO_ID, other = NO_ID] = await idsOf(2)
  const node = await countedNode(`/orders/${one}`)
  const cost = await costOf(node, [`/orders/${other}`])
  expect(spent(cost)).toEqual({ control: [1, 0, 0], store: [1, 0, 0] })
})

test('rows asked for at once share statements in both databases', async () => {
  const ids = await idsOf(AT_ONCE)
  const paths = ids.map((id) => `/orders/${id}`)
  const node = await countedNode(...paths.slice(0, 1))
  await costOf(node, paths)
  const { control, stores } = await costOf(node, paths)
  for (const { statements } of [control, stores]) {
    expect(statements).toBeGreaterThan(0)
    expect(statements).toBeLessThan(AT_ONCE / 2)
  }
})

test('a page costs one statement in each database, a first page one more, for its watermark', async () => {
  const node = await countedNode()
  const first = JSON.parse(await node.get('/orders?limit=250'))
  const next = `/orders?limit=250&cursor=${first.meta.next_cursor}`
  for (const path of [next, '/orders?limit=250', next]) await node.get(path)
  node.control.take()
  node.stores.take()
  expect(spent(await costOf(node, [next]))).toEqual({ control: [1, 0, 0], store: [1, 0, 0] })
  expect(spent(await costOf(node, ['/orders?limit=250']))).toEqual({ control: [1, 0, 0], store: [2, 0, 0] })
})

test.each(['/orders', '/products', '/customers'])('a page of %s takes fewer bytes than it gives', async (list) => {
  const node = await countedNode()
  const path = `${list}?limit=250`
  for (let times = 0; times < 3; times++) await node.get(path)
  node.stores.take()
  const { stores, bytes } = await costOf(node, [path])
  expect(stores.bytes).toBeGreaterThan(bytes / 4)
  expect(stores.bytes).toBeLessThan(bytes)
})
