// Creates a platform for tests of several nodes: a control database, stores with rows and keys, and `store-export
// serve` processes. The processes can be killed and restarted at the same address.

import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { LATEST_REVISION, type RevisionId } from '@store-export/contract'
import {
  addStore,
  type ControlDatabase,
  createKey,
  EncryptionKey,
  migrate,
  openControlDatabase,
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

export interface FleetKey {
  readonly id: string
  readonly key: string
}

/** A store with demo rows and its first key. */
export interface FleetStore {
  readonly id: string
  readonly key: string
  /** The owner's URL, with its password. */
  readonly ownerUrl: string
  /** The reader's URL, with its password. */
  readonly readerUrl: string
}

export interface StoreOptions {
  readonly size?: StoreSize
  readonly revision?: RevisionId
  /** URL of a superuser of the store's server; the server of the tests by default. */
  readonly adminUrl?: string
  /** Returns the URL for the service, such as one through a proxy. */
  readonly through?: (readerUrl: string) => string
}

export interface TestNode {
  readonly url: string
  readonly operationsUrl: string
  process(): RunningCommand
  /** Starts the process, even after an exit. Resolves when the process is ready. */
  start(): Promise<void>
}

type Variables = Readonly<Record<string, string>>

export interface TestFleet {
  readonly control: ControlDatabase
  readonly controlUrl: string
  /** Settings for commands: control database and secret. */
  readonly settings: Variables
  addStore(options?: StoreOptions): Promise<FleetStore>
  createKey(storeId: string): Promise<FleetKey>
  /** Starts a node. Names of `settings` have no prefix. */
  startNode(settings?: Variables, environment?: Variables): Promise<TestNode>
}

/** Enough rows for several pages. */
export const FLEET_SIZE: StoreSize = { orders: 400, customers: 60, products: 40, locations: 3, groups: 4 }

/** More than the number of requests of any test. */
const UNLIMITED = '1000000000'

/**
 * Creates a platform for one test. Migrates the control database at `controlUrl`, or creates one if there is no URL.
 */
export async function startFleet(controlUrl?: string): Promise<TestFleet> {
  const url = controlUrl ?? (await ownControlDatabase())
  if (controlUrl !== undefined) await migrate({ url, random: randomBytes })
  const control = openControlDatabase(url, { poolSize: 4, preparedStatements: true })
  onTestFinished(() => control.close())
  const secret = randomBytes(32)
  const keys = { current: new EncryptionKey(secret), previous: null }
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
      const { id, databaseUrl, readerUrl } = await createStore(options)
      const served = options.through?.(readerUrl) ?? readerUrl
      const registered = { id, name: id, origin: 'generated', state: 'ready', databaseUrl: served } as const
      await addStore({ database: control, keys, random: randomBytes }, registered)
      return { id, key: (await newStoreKey(id)).key, ownerUrl: databaseUrl, readerUrl }
    },
    startNode: (own = {}, environment = {}) => startNode({ ...settings, ...own }, environment),
  }
}

export interface JsonResponse {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types, as clients do
  readonly json: any
}

export async function requestJson(url: string, { key }: Pick<FleetKey, 'key'>): Promise<JsonResponse> {
  const response = await fetch(url, { headers: { 'x-api-key': key } })
  return { status: response.status, json: await response.json() }
}

/** Opens a connection as the owner of a store, and closes it after the test. */
export function ownerOf(store: FleetStore) {
  return openClientForTest(store.ownerUrl)
}

async function ownControlDatabase(): Promise<string> {
  const database = await createMigratedDatabase()
  onTestFinished(() => database.drop())
  return database.url
}

async function createStore({ size = FLEET_SIZE, revision = LATEST_REVISION, adminUrl }: StoreOptions) {
  const id = randomUUID()
  if (adminUrl === undefined) dropAfterTest(id)
  const urls = await provisionStore({
    adminUrl: adminUrl ?? inject('postgresUrl'),
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
  // There is no log line for each request, because tests search the output.
  const all = { REQUESTS_PER_MINUTE: UNLIMITED, LOG_LEVEL: 'warn', ...ports, ...settings }
  const url = `http://127.0.0.1:${port}`
  const operationsUrl = `http://127.0.0.1:${operationsPort}`
  const args = settings.DASHBOARD_PORT === undefined ? ['serve'] : ['serve', '--dashboard']
  let running: RunningCommand | null = null
  const node: TestNode = {
    url,
    operationsUrl,
    process() {
      if (running === null) throw new Error('the node was not started')
      return running
    },
    async start() {
      const now = startCommand(args, { settings: all, environment })
      running = now
      await waitUntil(async () => {
        if (now.process.exitCode !== null) throw new Error(`the node exited: ${JSON.stringify(now.output())}`)
        return isOk(`${operationsUrl}/readyz`)
      })
    },
  }
  await node.start()
  return node
}

/**
 * Returns a free port below the range for outgoing connections. Otherwise, while its server is down, an outgoing
 * connection could get this port, or even connect to itself.
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

function isOk(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status === 200
    },
    () => false,
  )
}
