// Starts a service with a demo store on a real PostgreSQL, for the tests of the connectors.

import { setTimeout as delay } from 'node:timers/promises'
import { type Dataset, makeDataset } from '../../bench/lib/dataset.ts'
import { type BenchServer, startBenchServer } from '../../bench/lib/servers.ts'
import type { RevisionId } from '../../packages/contract/src/index.ts'
import { EncryptionKey } from '../../packages/control/src/index.ts'
import { readConfig } from '../../packages/operator/src/config.ts'
import { type RunningService, startService } from '../../packages/operator/src/service.ts'
import { type Rows, readStore } from './read-store.ts'
import { startShopWriters } from './shop-writers.ts'

const ORDERS = 1200
/** Number of runs of each tool: four while writers change the store, and one afterwards. */
export const RUNS = 5
/** Pause before the last run, in ms. The window of a run ends a second before its first request. */
const SETTLED_MS = 1500

export interface DemoStore {
  readonly url: string
  readonly key: string
  readonly server: BenchServer
  readonly dataset: Dataset
  /**
   * Calls `sync` five times: four times while writers change and delete rows, and once when every transaction has
   * ended. Resolves to the number of transactions.
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
    read: () => readStore(service.url, key),
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
