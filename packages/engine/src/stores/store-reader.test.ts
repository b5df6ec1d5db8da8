import { resource, text, timestamp, uuid } from '@store-export/contract'
import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../../../test/support/databases.ts'
import { StoreColumns } from './store-columns.ts'
import { StoreCounts } from './store-counts.ts'
import { StorePools } from './store-pools.ts'
import { StoreReader } from './store-reader.ts'
import { TransactionWait } from './transaction-wait.ts'

const POOL_BOUNDS = {
  storePoolSize: 2,
  storeConnectionsMax: 4,
  storeServerConnectionsMax: 4,
  storeQueueMax: 1,
  storeQueueWaitMs: 1000,
  storeIdleSeconds: 60,
  storeTimeoutMs: 5000,
  storeSessionSettings: true,
}
const SAMPLES = resource({
  name: 'Sample',
  plural: 'samples',
  table: 'samples',
  note: 'A sample.',
  fields: {
    id: uuid('ID.'),
    word: text('A word.'),
    created_at: timestamp('Creation.'),
    updated_at: timestamp('Change.'),
  },
})
/** Longer than the first pause of a poll. */
const PAUSE_MS = 50
const now = () => performance.now()

/** Starts a reader of a database with 100 rows, of which an open transaction changes one. */
async function openReader(transactionWaitMs: number) {
  const database = await createDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  const emit = () => undefined
  const pools = new StorePools({ bounds: POOL_BOUNDS, connectionUrl: ({ databaseUrl }) => databaseUrl, emit })
  onTestFinished(async () => {
    await pools.close()
    await sql.end()
    await database.drop()
  })
  await sql`create table samples (id uuid primary key, word text not null, created_at timestamptz not null,
    updated_at timestamptz not null)`
  await sql`create index on samples (created_at, id, updated_at)`
  await sql`insert into samples select gen_random_uuid(), repeat('x', 500), now(), now() from generate_series(1, 100)`
  const bounds = { transactionWaitMs, watermarkDistanceSeconds: 300 }
  const reader = new StoreReader({
    pools,
    emit,
    ...{ timeoutMs: 5000, pageBytesMax: 8_000_000, scanBatchRows: 10_000, preparedStatements: true },
    columns: new StoreColumns({ refreshSeconds: 15, emit, now, resources: [SAMPLES] }),
    counts: new StoreCounts({ maxAgeMs: 1000, now }),
    transactionWait: new TransactionWait({ emit, bounds }),
  })
  await sql`begin`
  await sql`update samples set word = 'changed' where id = (select id from samples limit 1)`
  const address = { storeId: 's', databaseUrl: database.url, schemaName: 'public', encryptedPassword: null }
  const plan = { kind: 'page', resource: SAMPLES, limit: 250, after: null, filters: [] } as const
  const readFirst = () =>
    reader.readFirst({ address, requestId: null, startedAt: now(), prefix: '[', waits: true, plan })
  return { sql, readFirst }
}

test('[PAG-4] if the wait for open transactions times out before its first poll, a poll after the timeout leaves the returned page unchanged', async () => {
  const { readFirst } = await openReader(1)
  const { page } = await readFirst()
  const bytes = Buffer.from(page.out.result())
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  expect(page.out.length).toBe(bytes.length)
  expect(page.out.result().equals(bytes)).toBe(true)
  page.release()
})

test('[SYNC-2] if an open transaction commits while a first page waits for it, the page has the changes of the transaction', async () => {
  const { sql, readFirst } = await openReader(2000)
  const reading = readFirst()
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  await sql`commit`
  const { page } = await reading
  expect(page.out.result().toString()).toContain('"changed"')
  page.release()
})
