// What the tests of several nodes share: a control database, filled stores with keys, and `store-export serve` processes
// on it, which can be killed and started again under the same address.

import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { LATEST_REVISION, type RevisionId } from '@store-export/contract'
import {
  addStore,
  type ControlDatabase,
  createKey,
  migrate,
  openControlDatabase,
  SealingKey,
} from '@store-export/control'
import { inject, onTestFinished } from 'vitest'
import { connectOnce, withConnection } from '../../../../test/support/client.ts'
import { createMigratedDatabase } from '../../../../test/support/databases.ts'
import { DEMO_STORES } from '../../src/demo/demo-stores.ts'
import { generateStore, type StoreSize } from '../../src/demo/generate-store.ts'
import { loadStore } from '../../src/demo/load-store.ts'
import { provisionStore } from '../../src/store-schema/provision-store.ts'
import { dropAfterTest, openClientForTest, type RunningCommand, startCommand } from './command-process.ts'
import { waitUntil } from './embedded-server.ts'

/** A key of a store, and how the registry calls it. */
export interface FleetKey {
  readonly id: string
  readonly key: string
}

/** A store of the fleet, filled with demo rows, and its first key. */
export interface FleetStore {
  readonly id: string
  readonly key: string
  /** The owner's URL, with its password. */
  readonly ownerUrl: string
  /** The reader's URL, with its password. */
  readonly readerUrl: string
}

/** Which store to make. */
export interface StoreOptions {
  readonly size?: StoreSize
  readonly revision?: RevisionId
  /** What the service gets in place of the reader's URL, for a way through something. */
  readonly through?: (readerUrl: string) => string
}

/** A `store-export serve` process with addresses that stay. */
export interface TestNode {
  readonly url: string
  /** Where `/readyz` is. */
  readonly operationsUrl: string
  /** The process of now. */
  process(): RunningCommand
  /** Starts it, again after an end; resolves when it serves. */
  start(): Promise<void>
}

type Variables = Readonly<Record<string, string>>

/** A platform whose nodes are processes. */
export interface TestFleet {
  readonly control: ControlDatabase
  readonly controlUrl: string
  /** What a command needs beside the nodes: control database and secret. */
  readonly settings: Variables
  addStore(options?: StoreOptions): Promise<FleetStore>
  createKey(storeId: string): Promise<FleetKey>
  /** A node that runs; `settings` without their prefix, `environment` as it is. */
  startNode(settings?: Variables, environment?: Variables): Promise<TestNode>
}

/** Rows enough for several pages, quickly loaded. */
export const FLEET_SIZE: StoreSize = { orders: 400, customers: 60, products: 40, locations: 3, groups: 4 }

/** Above what any test asks. */
const UNLIMITED = '1000000000'

/** A platform for one test; `controlUrl` names a control database of the test's own, else one is made. */
export async function startFleet(controlUrl?: string): Promise<TestFleet> {
  const url = controlUrl ?? (await ownControlDatabase())
  if (controlUrl !== undefined) await migrate({ url, random: randomBytes })
  const control = openControlDatabase(url, { poolSize: 4, preparedStatements: true })
  onTestFinished(() => control.close())
  const secret = randomBytes(32)
  const keys = { current: new SealingKey(secret), previous: null }
  const newStoreKey = async (storeId: string) => {
    const { id, key } = await createKey({ database: control, random: randomBytes, storeId, name: 'k', createdBy: null })
    return { id, key: key.reveal() }
  }
  const settings = { DATABASE_URL: url, SECRET: secret.toString('base64') }
  return {
    control,
    controlUrl: url,
    settings,
    createKey: newStoreKey,
    async addStore(options = {}) {
      const { id, databaseUrl, readerUrl } = await fill(options)
      const served = options.through?.(readerUrl) ?? readerUrl
      const registered = { id, name: id, origin: 'generated', state: 'ready', databaseUrl: served } as const
      await addStore({ database: control, keys, random: randomBytes }, registered)
      return { id, key: (await newStoreKey(id)).key, ownerUrl: databaseUrl, readerUrl }
    },
    startNode: (own = {}, environment = {}) => startNode({ ...settings, ...own }, environment),
  }
}

/** An answer, read as JSON. */
export interface JsonResponse {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers as a client without types does
  readonly json: any
}

/** Asks once with the key of a store, or with another one. */
export async function requestJson(url: string, { key }: Pick<FleetKey, 'key'>): Promise<JsonResponse> {
  const response = await fetch(url, { headers: { 'x-api-key': key } })
  return { status: response.status, json: await response.json() }
}

/** Runs statements as the owner of a store; one connection, closed after the test. */
export function ownerOf(store: FleetStore) {
  return openClientForTest(store.ownerUrl)
}

async function ownControlDatabase(): Promise<string> {
  const database = await createMigratedDatabase()
  onTestFinished(() => database.drop())
  return database.url
}

async function fill({ size = FLEET_SIZE, revision = LATEST_REVISION }: StoreOptions) {
  const id = randomUUID()
  dropAfterTest(id)
  const urls = await provisionStore({
    adminUrl: inject('postgresUrl'),
    storeId: id,
    name: id,
    revision,
    random: randomBytes,
    connect: connectOnce,
  })
  const { shop } = DEMO_STORES[0]
  const rows = generateStore({ seed: 'fleet', storeId: id, name: id, revision, shop, size })
  await withConnection(urls.databaseUrl, (connection) => loadStore(connection, revision, rows))
  return { id, ...urls }
}

async function startNode(settings: Variables, environment: Variables): Promise<TestNode> {
  const [port, operationsPort] = [await nonEphemeralPort(), await nonEphemeralPort()]
  const ports = { PORT: String(port), OPERATIONS_PORT: String(operationsPort) }
  // a line a request would be read again and again by whoever waits for one
  const all = { REQUESTS_PER_MINUTE: UNLIMITED, LOG_LEVEL: 'warn', ...ports, ...settings }
  const url = `http://127.0.0.1:${port}`
  const operationsUrl = `http://127.0.0.1:${operationsPort}`
  const words = settings.DASHBOARD_PORT === undefined ? ['serve'] : ['serve', '--dashboard']
  let running: RunningCommand | null = null
  const node: TestNode = {
    url,
    operationsUrl,
    process() {
      if (running === null) throw new Error('the node was never started')
      return running
    },
    async start() {
      const now = startCommand(words, { settings: all, environment })
      running = now
      await waitUntil(async () => {
        if (now.process.exitCode !== null) throw new Error(`the node ended: ${JSON.stringify(now.output())}`)
        return answers(`${operationsUrl}/readyz`)
      })
    },
  }
  await node.start()
  return node
}

/**
 * A free port below those that the system gives to outgoing connections: while its server is down, none of them takes
 * it, nor reaches itself there.
 */
export async function nonEphemeralPort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

const PORTS = { from: 20_000, to: 32_000 }

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status === 200
    },
    () => false,
  )
}
