// Tests costs of a request that can be counted, such as statement groups. They do not depend on the speed of the
// machine. A group ends with a Sync message. Several groups can share a round trip (first-page.test.ts).

import { customer, LATEST_REVISION, order, product, type Resource } from '@store-export/contract'
import { StoreColumns, sessionSettings } from '@store-export/engine'
import { type Connection, connect, parseConnectionUrl, queryRows, readRows, sql } from '@store-export/postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { PageWriter } from '../../engine/src/encode/page-writer.ts'
import { changedCountStatement } from '../../engine/src/query/changed-count.ts'
import { embeddedFields } from '../../engine/src/query/embedded-fields.ts'
import { statementOf } from '../../engine/src/query/sql.ts'
import { newCell } from '../../postgres/src/cell.ts'
import { type CountingProxy, type MessageCounts, startCountingProxy } from './support/counting-proxy.ts'
import { filledStore } from './support/filled-store.ts'
import { administrate } from './support/rows.ts'
import { UNKNOWN_ID } from './support/spec-endpoints.ts'
import { startNode } from './support/start-node.ts'

const SIZE = { orders: 600, customers: 200, products: 100, locations: 2, groups: 2 }
const AT_ONCE = 64

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, LATEST_REVISION, SIZE)
})
afterAll(() => platform.close())

interface Counted {
  readonly control: CountingProxy
  readonly stores: CountingProxy
  get(path: string): Promise<string>
}

/**
 * Starts a node with a counting proxy in front of each database. The node has already served each path in `known`
 * twice.
 */
async function countedNode(...known: string[]): Promise<Counted> {
  const [control, stores] = [await startCountingProxy(platform.controlUrl), await startCountingProxy(store.readerUrl)]
  const [row] = await platform.controlSql<[{ url: string }]>`
    select database_url as url from stores where id = ${store.id}`
  await platform.controlSql`update stores set database_url = ${stores.url(row.url)} where id = ${store.id}`
  const node = await startNode({ ...platform, controlUrl: control.url(platform.controlUrl) })
  onTestFinished(() => node.close())
  const get = async (path: string) => {
    const response = await fetch(`${node.url}/api/v1${path}`, { headers: { 'x-api-key': store.key } })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status} for ${path}: ${text}`)
    return text
  }
  for (const path of [...known, ...known]) await get(path)
  control.takeCounts()
  stores.takeCounts()
  return { control, stores, get }
}

type Cost = { readonly [Database in 'control' | 'stores']: MessageCounts }

/** Returns the costs of simultaneous requests for these paths. */
async function costOf({ control, stores, get }: Counted, paths: readonly string[]): Promise<Cost & { bytes: number }> {
  const texts = await Promise.all(paths.map(get))
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return { control: control.takeCounts(), stores: stores.takeCounts(), bytes }
}

async function idsOf(count: number): Promise<string[]> {
  const rows = await store.sql<{ id: string }[]>`select id from orders order by id limit ${count}`
  return rows.map(({ id }) => id)
}

/** Returns the statement groups, parsed statements, and opened connections for each database. */
const spent = ({ control, stores }: Cost) => ({
  control: [control.statementGroups, control.parsed, control.connections],
  store: [stores.statementGroups, stores.parsed, stores.connections],
})

test('after two requests for an order, a request for another order needs one batch of statements per database, and PostgreSQL parses no statement', async () => {
  const [one = UNKNOWN_ID, other = UNKNOWN_ID] = await idsOf(2)
  const node = await countedNode(`/orders/${one}`)
  const cost = await costOf(node, [`/orders/${other}`])
  expect(spent(cost)).toEqual({ control: [1, 0, 0], store: [1, 0, 0] })
})

test('if 64 orders are requested at once with one key, the service sends fewer than 32 batches of statements to the control database', async () => {
  const ids = await idsOf(AT_ONCE)
  const paths = ids.map((id) => `/orders/${id}`)
  const node = await countedNode(...paths.slice(0, 1))
  await costOf(node, paths)
  const { control, stores } = await costOf(node, paths)
  expect(control.statementGroups).toBeGreaterThan(0)
  expect(control.statementGroups).toBeLessThan(AT_ONCE / 2)
  expect(stores.statementGroups).toBe(AT_ONCE)
})

test('a first page takes two batches of statements in the store database, and a later page takes one', async () => {
  const node = await countedNode()
  const first = JSON.parse(await node.get('/orders?limit=250'))
  const next = `/orders?limit=250&cursor=${first.meta.next_cursor}`
  for (const path of [next, '/orders?limit=250', next]) await node.get(path)
  node.control.takeCounts()
  node.stores.takeCounts()
  expect(spent(await costOf(node, [next]))).toEqual({ control: [1, 0, 0], store: [1, 0, 0] })
  expect(spent(await costOf(node, ['/orders?limit=250']))).toEqual({ control: [1, 0, 0], store: [2, 0, 0] })
})

test('[R37] if updated_until=now is sent, a first page takes two batches of statements in the store database, and a later page takes one', async () => {
  const node = await countedNode()
  const path = '/orders?limit=250&updated_until=now'
  const next = `${path}&cursor=${JSON.parse(await node.get(path)).meta.next_cursor}`
  for (const each of [next, path, next]) await node.get(each)
  node.control.takeCounts()
  node.stores.takeCounts()
  expect(spent(await costOf(node, [next]))).toEqual({ control: [1, 0, 0], store: [1, 0, 0] })
  expect(spent(await costOf(node, [path]))).toEqual({ control: [1, 0, 0], store: [2, 0, 0] })
})

test.each([
  { what: 'no row', since: '9999-01-01T00:00:00Z', statementGroups: 2 },
  { what: 'every row', since: '0001-01-01T00:00:00Z', statementGroups: 3 },
])(
  '[Q-UPDATED] if $what changed since updated_since, the first page takes $statementGroups batches of statements in the store database',
  async (each) => {
    const path = `/orders?limit=250&updated_since=${each.since}`
    const node = await countedNode(path)
    node.control.takeCounts()
    node.stores.takeCounts()
    const { stores } = await costOf(node, [path])
    expect([stores.statementGroups, stores.connections]).toEqual([each.statementGroups, 0])
  },
)

test.each(['/orders', '/products', '/customers'])(
  'if 250 rows of %s are requested, the store database sends fewer bytes than the API returns',
  async (list) => {
    const node = await countedNode()
    const path = `${list}?limit=250`
    for (let times = 0; times < 3; times++) await node.get(path)
    node.stores.takeCounts()
    const { stores, bytes } = await costOf(node, [path])
    expect(stores.bytes).toBeGreaterThan(bytes / 4)
    expect(stores.bytes).toBeLessThan(bytes)
  },
)

/** Returns a connection to the store, and the store's columns. */
async function opened({ id, ownerUrl }: TestStore = store) {
  const connection = await connect(parseConnectionUrl(ownerUrl), { applicationName: 'test' })
  onTestFinished(() => connection.close())
  const columns = new StoreColumns({ refreshSeconds: 60, now: Date.now, emit: () => undefined })
  const address = { storeId: id, databaseUrl: ownerUrl, schemaName: 'public', encryptedPassword: null }
  return { connection, present: await columns.of(address, connection) }
}

/** Returns the first thousand rows of a resource as DataRow messages. */
async function messagesOf(resource: Resource): Promise<Buffer[]> {
  const { connection, present } = await opened()
  const plan = { kind: 'page', resource, limit: 1000, after: null, filters: [] } as const
  const messages: Buffer[] = []
  await readRows(connection, statementOf(plan, present, { prepares: false }), ({ bytes, start, length }) => {
    messages.push(Buffer.from(bytes.subarray(start, start + length)))
  })
  return messages
}

const SINCE = 820_000_000_000_000n
const POSITION = { createdAt: SINCE, id: UNKNOWN_ID }

test('[Q-STATUS] if orders are filtered by status, PostgreSQL reads first and later pages from an index range of that status', async () => {
  const { connection, present } = await opened()
  // The server scans a small table completely, which would hide the plan of a large one.
  await connection.script('analyze; set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off')
  const filters = [{ parameter: 'status', field: 'status', operator: '=', value: 'paid' }] as const
  for (const after of [null, POSITION]) {
    const plan = { kind: 'page', resource: order, limit: 250, after, filters } as const
    const { text } = statementOf(plan, present, { prepares: false })
    expect(await explain(connection, text)).toMatch(/Index Cond: \(.*status = 'paid'::text/)
  }
})

test.each([order, product])(
  'with enable_seqscan and enable_sort off, PostgreSQL reads the rows embedded in a page ($name) from an index without a sort',
  async (resource) => {
    const { connection, present } = await opened()
    // The server scans and sorts a table of a few pages if it may.
    await connection.script('analyze; set enable_seqscan = off; set enable_sort = off')
    const plan = { kind: 'page', resource, limit: 250, after: null, filters: [] } as const
    for (const { statement } of embeddedFields(plan, present, false)) {
      const lines = await explain(connection, statement?.text ?? '')
      expect(lines).toContain('Nested Loop')
      expect(lines).not.toMatch(/Sort|Bitmap/)
    }
  },
)

test.each([{ end: 'without an end time' }, { end: 'with updated_until', before: SINCE }])(
  'if a connection reads ten pages of orders $end, PostgreSQL makes no custom plan and reuses the generic plan',
  async ({ before }) => {
    const { present } = await opened()
    const target = parseConnectionUrl(store.readerUrl)
    const settings = sessionSettings({ storeSessionSettings: true, storeTimeoutMs: 5000 })
    const connection = await connect({ ...target, startup: settings }, { applicationName: 'test' })
    onTestFinished(() => connection.close())
    const window = before === undefined ? [] : [{ parameter: 'updated_until', field: 'updated_at', before } as const]
    for (const id of await idsOf(10)) {
      const after = { createdAt: SINCE, id }
      const plan = { kind: 'page', resource: order, limit: 250, after, filters: [], window } as const
      await queryRows(connection, statementOf(plan, present, { prepares: true }))
    }
    // PostgreSQL 14 added custom_plans.
    const statements = await queryRows<{ customPlans: bigint | null }>(
      connection,
      sql`select (to_jsonb(p) -> 'custom_plans')::int8 as "customPlans" from pg_prepared_statements p
        where statement like '%orders%'`,
    )
    expect(statements.map(({ customPlans }) => customPlans ?? 0n)).toEqual([0n])
  },
)

test('if a store database has Citus, every LIMIT in the SQL of a page is a number and not a parameter', async () => {
  const extended = await filledStore(platform, LATEST_REVISION, { ...SIZE, orders: 1, customers: 1, products: 1 })
  await administrate(extended, 'set allow_system_table_mods = on; create table pg_catalog.pg_dist_partition ()')
  const { present } = await opened(extended)
  for (const resource of [order, product, customer]) {
    const plan = { kind: 'page', resource, limit: 250, after: null, filters: [] } as const
    const statements = [statementOf(plan, present, { prepares: false }), changedCountStatement(plan, present, false)]
    for (const { statement } of embeddedFields(plan, present, false)) if (statement !== null) statements.push(statement)
    for (const { text } of statements) expect(text).not.toMatch(/limit(?! \d)/)
  }
})

/** Returns the server's plan of a statement. */
async function explain(connection: Connection, statement: string): Promise<string> {
  const lines = await queryRows<{ 'QUERY PLAN': string }>(connection, { text: `explain ${statement}`, values: [] })
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}

/**
 * Maximum bytes that the encoder may allocate for a row with its embedded rows. When this was measured, a customer used
 * 44, an order 70, and a product 122.
 */
const ALLOCATED_MOST = 160
const WARM_ROWS = 60_000

test.each([order, product, customer])(
  `if a row of the resource $name is encoded as JSON, the encoder allocates less than ${ALLOCATED_MOST} bytes`,
  async (resource) => {
    const cells = (await messagesOf(resource)).map((message) => newCell(message))
    expect(cells.length).toBeGreaterThan(50)
    const bounds = { rowsMax: Number.MAX_SAFE_INTEGER, bytesMax: Number.MAX_SAFE_INTEGER }
    const write = () => {
      const page = new PageWriter(resource, bounds, '[')
      for (const cell of cells) page.take(cell)
      page.release()
    }
    for (let rows = 0; rows < WARM_ROWS; rows += cells.length) write()
    const allocated = Array.from({ length: 15 }, () => {
      const before = process.memoryUsage().heapUsed
      write()
      return (process.memoryUsage().heapUsed - before) / cells.length
    })
    // A garbage collection during the measurement makes one value too low.
    expect(allocated.toSorted((one, other) => one - other)[7]).toBeLessThan(ALLOCATED_MOST)
  },
)
