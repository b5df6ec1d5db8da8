// Runs the service in a separate process, on stores of one test, so that failures affect no other test, and the costs
// are separate.

import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import { LATEST_REVISION } from '@store-export/contract'
import {
  addStore,
  type ControlDatabase,
  createKey,
  EncryptionKey,
  openControlDatabase,
  setStore,
} from '@store-export/control'
import { inject, onTestFinished } from 'vitest'
import { connectOnce, openClient, withConnection } from '../../../../test/support/client.ts'
import { createMigratedDatabase } from '../../../../test/support/databases.ts'
import { DEMO_STORES } from '../../src/demo/demo-stores.ts'
import { generateStore, type StoreSize } from '../../src/demo/generate-store.ts'
import { loadStore } from '../../src/demo/load-store.ts'
import { dropStore } from '../../src/store-schema/drop-store.ts'
import { provisionStore } from '../../src/store-schema/provision-store.ts'
import { newSecret, type RunningCommand, startCommand } from './command-process.ts'
import { freePort, waitUntil } from './embedded-server.ts'

export interface RealStore {
  readonly id: string
  readonly key: string
  /** URLs with passwords, of the owner and of the reader. */
  readonly ownerUrl: string
  readonly readerUrl: string
}

export interface TimedResponse {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types, as clients do
  readonly json: any
  readonly ms: number
}

export interface NodeOptions {
  /** Settings without their prefix, which override those of the tests. */
  readonly settings?: Readonly<Record<string, string>>
  /** Environment variables that are not settings. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface RealNode {
  readonly url: string
  readonly operationsUrl: string
  readonly running: RunningCommand
  get(path: string, store: Pick<RealStore, 'key'>): Promise<TimedResponse>
  /** Returns all metrics in the text format. */
  metrics(): Promise<string>
  /**
   * Returns the sum of the series of a metric; 0 if there are none. `name` has no `store_export_`. With `label`, only
   * series with this label count.
   */
  metric(name: string, label?: string): Promise<number>
}

/** A platform: a control database and its stores. */
export interface RealPlatform {
  readonly controlUrl: string
  readonly settings: Readonly<Record<string, string>>
  /** Creates a store with demo rows on a server; by default on the server of the tests. */
  createStore(size: StoreSize, adminUrl?: string): Promise<RealStore>
  /** Registers another store with the rows of `like` at another URL. */
  addStore(like: RealStore, databaseUrl: string): Promise<RealStore>
  moveStore(store: RealStore, databaseUrl: string): Promise<void>
  startNode(options?: NodeOptions): Promise<RealNode>
}

/** Creates a platform for one test. Without `controlUrl`, its control database is on the server of the tests. */
export async function createPlatform(controlUrl?: string): Promise<RealPlatform> {
  const url = controlUrl ?? (await makeControlDatabase())
  const secret = newSecret()
  const database = openControlDatabase(url, { poolSize: 1 })
  onTestFinished(() => database.close())
  const keys = { current: new EncryptionKey(Buffer.from(secret, 'base64')), previous: null }
  const registry = { database, keys, random: randomBytes }
  const settings = { DATABASE_URL: url, SECRET: secret, REQUESTS_PER_MINUTE: '100000' }
  const add = async (made: Omit<RealStore, 'key'>, databaseUrl: string) => {
    await addStore(registry, { id: made.id, name: 'S', origin: 'generated', state: 'ready', databaseUrl })
    return { ...made, key: await keyOf(database, made.id) }
  }
  return {
    controlUrl: url,
    settings,
    async createStore(size, adminUrl = inject('postgresUrl')) {
      const made = await makeDatabase(size, adminUrl)
      return add(made, made.readerUrl)
    },
    addStore: (like, databaseUrl) => add({ ...like, id: randomUUID() }, databaseUrl),
    moveStore: async ({ id }, databaseUrl) => void (await setStore(registry, id, { databaseUrl })),
    startNode: (options = {}) => startNode({ ...options, settings: { ...settings, ...options.settings } }),
  }
}

async function makeControlDatabase(): Promise<string> {
  const control = await createMigratedDatabase()
  onTestFinished(() => control.drop())
  return control.url
}

/** Returns the URL with these ports of 127.0.0.1 in this order. */
export function urlAtPorts(url: string, ports: readonly number[], query = ''): string {
  const { username, password, pathname } = new URL(url)
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  return `postgres://${username}:${password}@${hosts}${pathname}${query}`
}

/** Returns the IDs of a table in the order of its list. */
export async function idsOf({ ownerUrl }: Pick<RealStore, 'ownerUrl'>, table: string): Promise<string[]> {
  const sql = openClient(ownerUrl)
  try {
    const rows = await sql.unsafe<{ id: string }[]>(`select id::text from ${table} order by created_at, id`)
    return rows.map(({ id }) => id)
  } finally {
    await sql.end()
  }
}

/** Returns the superuser's URL of a store database on the tests' server. */
export function superuserUrl({ ownerUrl }: Pick<RealStore, 'ownerUrl'>): string {
  const url = new URL(inject('postgresUrl'))
  url.pathname = new URL(ownerUrl).pathname
  return url.href
}

/** Measures the memory of a node until `most`, which returns the maximum in bytes. */
export function watchMemory(node: RealNode): { most(): Promise<number> } {
  let [stopped, most] = [false, 0]
  const watching = (async () => {
    while (!stopped) {
      most = Math.max(most, await node.metric('process_resident_memory_bytes'))
      await after(50)
    }
  })()
  // The caller of `most` gets the error.
  watching.catch(() => undefined)
  return {
    async most() {
      stopped = true
      await watching
      return most
    },
  }
}

async function makeDatabase(size: StoreSize, adminUrl: string) {
  const [id, revision] = [randomUUID(), LATEST_REVISION]
  const names = { adminUrl, storeId: id, name: 'S', revision, random: randomBytes, connect: connectOnce }
  const urls = await provisionStore(names)
  if (adminUrl === inject('postgresUrl')) onTestFinished(() => dropDatabase(id, adminUrl))
  const { shop } = DEMO_STORES[0]
  const rows = generateStore({ seed: 'test', storeId: id, name: 'S', revision, shop, size })
  await withConnection(urls.databaseUrl, (connection) => loadStore(connection, revision, rows))
  return { id, ownerUrl: urls.databaseUrl, readerUrl: urls.readerUrl }
}

async function dropDatabase(id: string, adminUrl: string): Promise<void> {
  await withConnection(adminUrl, (admin) => dropStore(admin, id))
}

async function keyOf(database: ControlDatabase, storeId: string): Promise<string> {
  const { key } = await createKey({ database, random: randomBytes, storeId, name: 'test', createdBy: null })
  return key.reveal()
}

async function startNode({ settings, environment = {} }: NodeOptions): Promise<RealNode> {
  const [port, operationsPort] = [await freePort(), await freePort()]
  const ports = { PORT: String(port), OPERATIONS_PORT: String(operationsPort) }
  const running = startCommand(['serve'], { settings: { LOG_LEVEL: 'warn', ...settings, ...ports }, environment })
  const operations = `http://127.0.0.1:${operationsPort}`
  await waitUntil(async () => {
    if (running.process.exitCode !== null) throw new Error(`serve exited: ${running.output().stderr}`)
    return (await fetch(`${operations}/readyz`).catch(() => null))?.status === 200
  })
  const url = `http://127.0.0.1:${port}`
  const metrics = async () => (await fetch(`${operations}/metrics`)).text()
  return {
    url,
    operationsUrl: operations,
    running,
    get: (path, { key }) => get(url + path, key),
    metrics,
    async metric(name, label = '') {
      return sumOf(await metrics(), name, label)
    },
  }
}

async function get(url: string, key: string): Promise<TimedResponse> {
  const since = performance.now()
  const response = await fetch(url, { headers: { 'x-api-key': key } })
  const json = await response.json()
  return { status: response.status, json, ms: performance.now() - since }
}

function sumOf(text: string, name: string, label: string): number {
  const whole = /^(process|nodejs)_/.test(name) ? name : `store_export_${name}`
  const beginnings = [`${whole}{`, `${whole} `]
  const lines = text.split('\n').filter((line) => beginnings.some((beginning) => line.startsWith(beginning)))
  if (lines.length === 0) throw new Error(`no metric is named ${whole}`)
  const values = lines.filter((line) => line.includes(label)).map((line) => Number(line.split(' ').at(-1)))
  return values.reduce((sum, value) => sum + value, 0)
}
