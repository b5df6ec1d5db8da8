// Proves that generated clients work, and not only that they are generated: builds each one, and lets it read all
// orders of the demo.

import { availableParallelism } from 'node:os'
import { type DemoService, startDemoService } from './demo-service.ts'
import type { GeneratorTest, OrdersRead } from './generator-test.ts'
import { missingPrograms } from './missing-programs.ts'
import { Semaphore } from './semaphore.ts'
import { type Command, type DocumentName, type TestFolders, Workspace } from './workspace.ts'

/** The result of one test, as a row of the table. */
export interface Row {
  readonly name: string
  readonly version: string
  readonly result: 'passed' | 'failed' | 'not run'
  readonly seconds: number
  readonly note: string
}

/** Rate limit of the demo's keys. A client needs fewer requests to read all orders, so it waits for one window only. */
const REQUESTS_PER_MINUTE = 60
/**
 * Latest second of a window at which the test uses up the window. The rest of the window is the time for the client's
 * start.
 */
const START_SECOND_MAX = 40
/** Maximum number of clients at the same time. A store has five keys, and one belongs to the demo. */
const CLIENTS_MAX = 4
const DOCUMENTS: readonly DocumentName[] = ['openapi.json', 'openapi-3.0.json', 'swagger-2.0.json']

/**
 * Starts a demo, runs the tests against it, and returns their rows. A client runs while others are built, because it
 * mostly waits.
 */
export async function runClients(tests: readonly GeneratorTest[], folders: TestFolders): Promise<Row[]> {
  const demo = await startDemoService(folders.work, REQUESTS_PER_MINUTE)
  try {
    const scene = { demo, folders, documents: await readDocuments(demo), expected: await readOrders(demo) }
    const builds = new Semaphore(availableParallelism())
    const clients = new Semaphore(CLIENTS_MAX)
    return await Promise.all(tests.map((test) => runTest(test, { ...scene, builds, clients })))
  } finally {
    await demo.stop()
  }
}

interface Scene {
  readonly demo: DemoService
  readonly folders: TestFolders
  readonly documents: Readonly<Record<DocumentName, string>>
  readonly expected: OrdersRead
  readonly builds: Semaphore
  readonly clients: Semaphore
}

async function runTest(
  test: GeneratorTest,
  { demo, folders, documents, expected, builds, clients }: Scene,
): Promise<Row> {
  const missing = missingPrograms(test.needs)
  if (missing.length > 0) {
    const note = `needs ${missing.join(', ')}, which this machine does not have`
    return { ...labels(test), result: 'not run', seconds: 0, note }
  }
  const workspace = new Workspace(test.name, folders, documents)
  return builds
    .run(() => {
      console.log(`${test.name} ${test.version}`)
      const context = { test, demo, expected, startedAt: performance.now() }
      return test.build(workspace).then(
        (command) => ({ context, command }),
        (error: unknown) => failure(context, workspace, error),
      )
    })
    .then((built) =>
      'command' in built ? clients.run(() => runClient(built.context, workspace, built.command)) : built,
    )
}

interface ClientContext {
  readonly test: GeneratorTest
  readonly demo: DemoService
  readonly expected: OrdersRead
  readonly startedAt: number
}

async function runClient(context: ClientContext, workspace: Workspace, command: Command): Promise<Row> {
  const { test, demo, expected } = context
  try {
    const key = await demo.createKey(test.name)
    try {
      await useUpWindow(demo.url, key.key)
      const firstWindow = currentWindow()
      const env = { ...command.env, BASE_URL: demo.url, STORE_EXPORT_KEY: key.key }
      const output = await workspace.run({ ...command, env })
      const read = JSON.parse(output.trim().split('\n').at(-1) ?? '') as OrdersRead
      const problem = problemOf(read, expected)
      if (problem !== null) throw new Error(problem)
      // A client that did not wait has read all orders in the first window. Some clients also count their waits.
      if (currentWindow() === firstWindow || read.waits === 0) throw new Error('did not wait after a 429')
      return { ...labels(test), result: 'passed', seconds: secondsSince(context), note: `${read.orders} orders` }
    } finally {
      await demo.revokeKey(key)
    }
  } catch (error) {
    return failure(context, workspace, error)
  }
}

function problemOf(read: OrdersRead, expected: OrdersRead): string | null {
  if (read.orders !== expected.orders) return `read ${read.orders} of ${expected.orders} orders`
  if (read.guests !== expected.guests) return `found ${read.guests} of ${expected.guests} orders without a customer`
  return null
}

function failure(context: ClientContext, workspace: Workspace, error: unknown): Row {
  const message = error instanceof Error ? error.message : String(error)
  console.error(`\n${context.test.name}: ${message}\nLog: ${workspace.log}\n`)
  const note = message.split('\n')[0] ?? ''
  return { ...labels(context.test), result: 'failed', seconds: secondsSince(context), note }
}

function labels({ name, version }: GeneratorTest): Pick<Row, 'name' | 'version'> {
  return { name, version }
}

function secondsSince({ startedAt }: ClientContext): number {
  return Math.round((performance.now() - startedAt) / 1000)
}

async function readDocuments({ url }: DemoService): Promise<Record<DocumentName, string>> {
  const texts = await Promise.all(DOCUMENTS.map(async (name) => (await fetch(`${url}/${name}`)).text()))
  return Object.fromEntries(DOCUMENTS.map((name, index) => [name, texts[index] ?? ''])) as Record<DocumentName, string>
}

/** Reads the orders without a generated client. */
async function readOrders({ url, key }: DemoService): Promise<OrdersRead> {
  const ids = new Set<string>()
  let guests = 0
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? 'limit=250' : `limit=250&cursor=${cursor}`
    const response = await fetch(`${url}/api/v1/orders?${query}`, { headers: { 'x-api-key': key } })
    if (!response.ok) throw new Error(`GET /api/v1/orders returned ${response.status}`)
    const page = (await response.json()) as OrdersPage
    for (const order of page.data) {
      ids.add(order.id)
      if (order.customer_id === null) guests++
    }
    cursor = page.meta.next_cursor
  } while (cursor !== null)
  return { orders: ids.size, guests }
}

interface OrdersPage {
  readonly data: readonly { readonly id: string; readonly customer_id: string | null }[]
  readonly meta: { readonly next_cursor: string | null }
}

function currentWindow(): number {
  return Math.floor(Date.now() / 60_000)
}

/** Sends as many requests as a window permits, early in a window. The client's first request then gets a 429. */
async function useUpWindow(url: string, key: string): Promise<void> {
  const second = (Date.now() / 1000) % 60
  if (second > START_SECOND_MAX) await new Promise((resolve) => setTimeout(resolve, (60.5 - second) * 1000))
  for (let sent = 0; sent < REQUESTS_PER_MINUTE; sent++) {
    const response = await fetch(`${url}/api/v1/store`, { headers: { 'x-api-key': key } })
    await response.arrayBuffer()
  }
}
