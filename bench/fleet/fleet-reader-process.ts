// Runs as a process of its own, whose processor time connection-costs.ts measures. Reads a store with the engine, so
// without HTTP and without a key, in three ways:
// - `warm`: over an open connection.
// - `opening`: over a new connection, because the previous one was discarded.
// - `columns`: over an open connection, but without cached columns, so that the engine reads the catalog again.

import { order } from '@store-export/contract'
import { StoreColumns, StoreCounts, StorePools, StoreReader, TransactionWait } from '@store-export/engine'
import { readConfig } from '../../packages/operator/src/config.ts'
import { handleCalls } from '../lib/child-calls.ts'

const address = { storeId: 'bench', databaseUrl: '', schemaName: 'public', encryptedPassword: null }
const { config } = readConfig({})
const emit = () => undefined
const now = () => performance.now()
const pools = new StorePools({ bounds: config, connectionUrl: ({ databaseUrl }) => databaseUrl, emit })
const columns = new StoreColumns({ refreshSeconds: config.schemaRefreshSeconds, emit, now })
const reader = new StoreReader({
  pools,
  columns,
  counts: new StoreCounts({ maxAgeMs: 0, now }),
  transactionWait: new TransactionWait({ bounds: config, emit }),
  emit,
  timeoutMs: config.storeTimeoutMs,
  pageBytesMax: config.pageBytesMax,
  scanBatchRows: 10_000,
  preparedStatements: true,
})

handleCalls(
  {
    // Sets the store to read. Must be called first.
    start: async (databaseUrl: string) => void Object.assign(address, { databaseUrl }),
    warm: (count: number) => read(count, () => undefined),
    opening: (count: number) => read(count, () => pools.discard(address.storeId, 'bench')),
    columns: (count: number) => read(count, () => columns.forget(address.storeId)),
  },
  () => pools.close(),
)

/** Requests an empty page of changes `count` times. Calls `prepare` before each request. */
async function read(count: number, prepare: () => void): Promise<void> {
  // The current time in microseconds since 2000, which is how the engine counts. No row changes after it, so the page
  // is empty.
  const since = BigInt(Date.now() - Date.UTC(2000, 0)) * 1000n
  const filter = { parameter: 'updated_since', field: 'updated_at', operator: '>=', value: since } as const
  const plan = { kind: 'page', resource: order, limit: 250, after: null, filters: [filter] } as const
  for (let n = 0; n < count; n++) {
    prepare()
    // The engine stores the address, and `start` changes `address`, so each request gets a copy.
    const request = { address: { ...address }, requestId: null, startedAt: now() }
    const { page } = await reader.readFirst({ ...request, plan, prefix: '', waits: true })
    if (page.rows !== 0) throw new Error('there are changes')
    page.release()
  }
}
