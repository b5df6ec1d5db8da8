// Tests the messages and the state of `store-sync run --to singer`.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { COMPILE_CACHE } from '../../../test/support/compile-cache.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { type ExitResult, runProgram } from './support/run-program.ts'

const COMMAND = path.resolve(import.meta.dirname, '..', 'src', 'main.ts')

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

interface Message {
  readonly type: string
  readonly stream?: string
  readonly record?: Readonly<Record<string, unknown>>
  readonly value?: object
  readonly schema?: { readonly properties: Readonly<Record<string, object>> }
}

function command(store: TestStore, ...args: readonly string[]): Promise<ExitResult> {
  const all = [COMMAND, 'run', '--url', platform.service.url, '--to', 'singer', '--overlap', '0s', ...args]
  return runProgram(process.execPath, all, { env: { ...COMPILE_CACHE, STORE_EXPORT_KEY: store.key } })
}

/** Runs the command and returns its messages. Throws if standard output has anything else. */
async function messagesOf(store: TestStore, ...args: readonly string[]): Promise<Message[]> {
  const { code, stdout, stderr } = await command(store, ...args)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function records(messages: readonly Message[], stream: string): Readonly<Record<string, unknown>>[] {
  return messages.flatMap((each) => (each.type === 'RECORD' && each.stream === stream ? [each.record ?? {}] : []))
}

/** Writes the last state to a file, as a target does, and returns its path. */
async function saveState(messages: readonly Message[]): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'state.json')
  await writeFile(file, JSON.stringify(messages.findLast(({ type }) => type === 'STATE')?.value))
  return file
}

async function provisionOrders(count: number): Promise<TestStore> {
  const store = await platform.provision()
  await store.sql`
    insert into orders (id, email, total, created_at, updated_at)
    select gen_random_uuid(), 'buyer@example.com', 10.50, '2026-01-01', '2026-01-01'
    from generate_series(1, ${count}) n`
  await store.sql`
    insert into order_items (id, order_id, product_id, name, price)
    select gen_random_uuid(), id, gen_random_uuid(), 'Cup', 10.50 from orders`
  // The items have changed the timestamps of their orders, so that the next run would return the orders again.
  await store.sql`update orders set updated_at = '2026-01-02'`
  return store
}

test('with --to singer, standard output contains only Singer messages, with decimal and date-time formats and order items in a separate stream', async () => {
  const store = await provisionOrders(2)
  const messages = await messagesOf(store)
  expect(new Set(messages.map(({ type }) => type))).toEqual(new Set(['SCHEMA', 'RECORD', 'STATE']))
  expect(messages.at(-1)?.type).toBe('STATE')
  const schema = messages.find(({ type, stream }) => type === 'SCHEMA' && stream === 'orders')?.schema?.properties
  expect(schema).toMatchObject({
    total: { type: ['string', 'null'], format: 'x-singer.decimal', precision: 38, scale: 2 },
    created_at: { type: ['string', 'null'], format: 'date-time' },
  })
  expect(records(messages, 'orders')).toHaveLength(2)
  expect(records(messages, 'orders')[0]).toMatchObject({ total: '10.50', synced_at: expect.any(String) })
  expect(records(messages, 'orders')[0]).not.toHaveProperty('items')
  expect(records(messages, 'order_items')).toHaveLength(2)
})

test('if --state names the state file of a previous Singer run, the run returns only changed rows and their embedded rows', async () => {
  const store = await provisionOrders(3)
  const state = await saveState(await messagesOf(store))
  await store.sql`update orders set status = 'paid' where id = (select id from orders limit 1)`
  const later = await messagesOf(store, '--state', state)
  expect(records(later, 'orders')).toMatchObject([{ status: 'paid' }])
  expect(records(later, 'order_items')).toHaveLength(1)
})

test('if --state names the state that a Singer run wrote after its first page, the next run returns the remaining rows', async () => {
  const store = await provisionOrders(600)
  const messages = await messagesOf(store)
  const at = messages.findIndex(({ type, value }) => type === 'STATE' && JSON.stringify(value).includes('"cursor":"'))
  const before = messages.slice(0, at + 1)
  const after = await messagesOf(store, '--state', await saveState(before))
  const ids = [before, after].map((each) => records(each, 'orders').map(({ id }) => id))
  expect(ids[0]).toHaveLength(250)
  expect(new Set(ids.flat()).size).toBe(600)
  // The run also returns what changed since the first page.
  expect(ids[1]?.length).toBeLessThan(600)
  expect(records(after, 'listed_tables').find(({ table_name: name }) => name === 'orders')?.listed_at).toBe(
    records(before, 'orders')[0]?.synced_at,
  )
})

test("if an order was deleted, a Singer run with --prune omits the order's ID from listed_ids and returns a listed_at after the order's synced_at", async () => {
  const store = await provisionOrders(3)
  const first = await messagesOf(store)
  const [deleted] = await store.sql<
    { id: string }[]
  >`delete from orders where id = (select id from orders limit 1) returning id`
  const later = await messagesOf(store, '--prune', '--state', await saveState(first))
  const listing = records(later, 'listed_tables').find(({ table_name: name }) => name === 'orders')
  const listed = records(later, 'listed_ids').filter(({ table_name: name }) => name === 'orders')
  expect(listed.map(({ id }) => id)).not.toContain(deleted?.id)
  expect(listed).toHaveLength(2)
  for (const each of listed) expect(String(each.synced_at) >= String(listing?.listed_at)).toBe(true)
  const row = records(first, 'orders').find(({ id }) => id === deleted?.id)
  expect(String(row?.synced_at) < String(listing?.listed_at)).toBe(true)
})

test.each([
  [['--json'], '--json: cannot be combined with --to singer'],
  [['--every', '1m'], '--every: cannot be combined with --to singer'],
  [['--state', '/nowhere'], '--state: must be a file with the last state'],
])(
  'if store-sync run --to singer also gets %j, the command exits with code 2 and the message %j',
  async (args, message) => {
    const store = await platform.provision()
    const { code, stdout, stderr } = await command(store, ...args)
    expect(code).toBe(2)
    expect(stdout + stderr).toContain(message)
  },
)
