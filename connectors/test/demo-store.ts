// Starts a service with a demo store on a real PostgreSQL, for the tests of the connectors.

import { setTimeout as delay } from 'node:timers/promises'
import { type Dataset, makeDataset } from '../../bench/lib/dataset.ts'
import { type BenchServer, startBenchServer } from '../../bench/lib/servers.ts'
import type { RevisionId } from '../../packages/contract/src/index.ts'
import { EncryptionKey } from '../../packages/control/src/index.ts'
import { readConfig } from '../../packages/operator/src/config.ts'
import { type RunningService, startService } from '../../packages/operator/src/service.ts'
import { connectorTables } from '../../scripts/connectors/connector-tables.ts'
import { startShopWriters } from './shop-writers.ts'

const ORDERS = 1200
export const RUNS = 5
/** The settled window of a run ends a second before its first request. */
const SETTLED_MS = 1500

/** Rows of a table by ID, as the service returns them. Embedded rows have a table of their own: `orders.items`. */
export type Rows = ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, unknown>>>>

/** A running service with one store. */
export interface DemoStore {
  readonly url: string
  readonly key: string
  readonly server: BenchServer
  readonly dataset: Dataset
  /**
   * Calls `sync` five times: four times while writers change and delete rows, and once when every transaction has ended.
   * Resolves to the number of transactions.
   */
  syncUnderLoad(sync: (run: number) => Promise<void>): Promise<number>
  /** Reads every list of the service. Call it when no writer is running. */
  read(): Promise<Rows>
  close(): Promise<void>
}

async function startDemoStore(revision: RevisionId): Promise<DemoStore> {
  const server = await startBenchServer('embedded')
  if (server === null) throw new Error('the embedded PostgreSQL did not start')
  const dataset = await makeDataset(server, ORDERS, revision)
  const service = await serve(dataset)
  const { key } = dataset
  return {
    ...{ url: service.url, key, server, dataset },
    async syncUnderLoad(sync) {
      const writers = startShopWriters(dataset.ownerUrl, revision)
      let transactions = 0
      try {
        for (let run = 1; run < RUNS; run++) await sync(run)
      } finally {
        transactions = await writers.stop()
      }
      await delay(SETTLED_MS)
      await sync(RUNS)
      return transactions
    },
    read: () => readAll(service.url, key),
    async close() {
      await service.close()
      await dataset.sql.end()
      await server.remove()
    },
  }
}

/** Starts the service, calls `work`, and stops the service. */
export async function withDemoStore<T>(revision: RevisionId, work: (store: DemoStore) => Promise<T>): Promise<T> {
  const store = await startDemoStore(revision)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

function serve({ controlUrl, secret }: Dataset): Promise<RunningService> {
  const { config } = readConfig({ STORE_EXPORT_PORT: '0', STORE_EXPORT_REQUESTS_PER_MINUTE: '1000000' })
  const keys = { current: new EncryptionKey(secret), previous: null }
  return startService({ config, controlUrl, keys, emit: () => undefined })
}

async function readAll(url: string, key: string): Promise<Rows> {
  const tables = new Map<string, Map<string, Record<string, unknown>>>()
  for (const { table, path, kind } of connectorTables()) {
    const rows = kind === 'object' ? [(await getJson(url, path, key)).data] : await readList(url, path, key)
    for (const { field } of table.children)
      tables.set(`${table.name}.${field}`, byId(rows.flatMap((row) => row[field] as Record<string, unknown>[])))
    const fields = new Set(table.children.map(({ field }) => field))
    const flat = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !fields.has(name))))
    tables.set(table.name, byId(flat))
  }
  return tables
}

async function readList(url: string, path: string, key: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  let cursor: string | null = ''
  do {
    const page = await getJson(url, `${path}?limit=250&cursor=${cursor}`.replace(/&cursor=$/, ''), key)
    rows.push(...page.data)
    cursor = page.meta.next_cursor
  } while (cursor !== null)
  return rows
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads responses as a client without types does
async function getJson(url: string, path: string, key: string): Promise<any> {
  const response = await fetch(url + path, { headers: { 'x-api-key': key } })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

function byId(rows: readonly Record<string, unknown>[]): Map<string, Record<string, unknown>> {
  return new Map(rows.map((row) => [String(row.id), row]))
}
