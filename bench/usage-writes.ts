// Measures the cost of writing the usage of busy keys: sums by hour, and the request log. Also measures the size of a
// log line.
//
// Run: npm run bench:usage -- [--server embedded|system] (default: embedded). Prints the results.

import { randomBytes } from 'node:crypto'
import { sql } from '@store-export/postgres'
import {
  addStore,
  createKey,
  createUsageRecorder,
  EncryptionKey,
  migrate,
  openControlDatabase,
} from '../packages/control/src/index.ts'
import { readOptions } from './lib/options.ts'
import { processorTimeOfServer } from './lib/processor-time.ts'
import { type BenchServer, startBenchServer } from './lib/servers.ts'

const STORES = 200
const KEYS_PER_STORE = 5
/** Number of minutes of the simulated clock. */
const MINUTES = 10
/** Number of writes of a node per minute. It writes every two seconds. */
const FLUSHES_PER_MINUTE = 30
/**
 * Number of requests of a key per write. At 30 writes a minute, every key makes 120 requests a minute, which is the
 * limit.
 */
const REQUESTS_PER_FLUSH = 4
const REQUEST = {
  outcome: 'successful',
  status: 200,
  code: null,
  reason: null,
  requestId: '5f3c1f0e-0000-4000-8000-000000000000',
  rows: 250,
  durationMs: 12,
} as const
const ENDPOINTS = ['/api/v1/orders', '/api/v1/customers', '/api/v1/products']

// Without `--server`, the list begins with `embedded`.
const [kind = 'system'] = readOptions(process.argv.slice(2)).servers
const server = await startBenchServer(kind)
if (server === null) throw new Error(`there is no ${kind} PostgreSQL on this machine`)
try {
  await measure(server)
} finally {
  await server.remove()
}

async function measure(measured: BenchServer): Promise<void> {
  const url = measured.url('postgres')
  await migrate({ url, random: randomBytes })
  const database = openControlDatabase(url, { poolSize: 4 })
  const keyIds = await makeKeys(database)
  let now = Date.parse('2026-03-01T12:00:00Z')
  const problems: unknown[] = []
  const usage = createUsageRecorder({
    database,
    now: () => now,
    emit: (event) => problems.push(event),
    // Longer than the benchmark, which writes the usage itself.
    flushMs: 600_000,
    requestLogLines: 5000,
  })
  let recordMs = 0
  const flushes: number[] = []
  const before = await processorTimeOfServer(measured.processId)
  for (let flush = 0; flush < MINUTES * FLUSHES_PER_MINUTE; flush += 1) {
    const startedAt = performance.now()
    for (const [index, keyId] of keyIds.entries()) {
      const endpoint = ENDPOINTS[(index + flush) % ENDPOINTS.length] ?? ''
      for (let count = 0; count < REQUESTS_PER_FLUSH; count += 1)
        usage.record({ keyId, endpoint, ...REQUEST, minuteRequests: count + 1, walk: null })
    }
    recordMs += performance.now() - startedAt
    const flushedAt = performance.now()
    await usage.flush()
    flushes.push(performance.now() - flushedAt)
    now += 60_000 / FLUSHES_PER_MINUTE
  }
  const serverMs = (await processorTimeOfServer(measured.processId)) - before
  await usage.close()
  const [size] = await database.pool.query<{ lines: number; bytes: number }>(sql`
    select count(*)::int as lines, pg_total_relation_size('request_log')::float8 as bytes from request_log`)
  await database.close()
  if (problems.length > 0) throw new Error('usage was not written', { cause: problems[0] })
  const requests = flushes.length * keyIds.length * REQUESTS_PER_FLUSH
  const median = flushes.toSorted((a, b) => a - b)[flushes.length >> 1] ?? 0
  console.log(`${measured.kind} PostgreSQL, ${keyIds.length} keys at 120 requests a minute for ${MINUTES} minutes`)
  console.log(`${((recordMs / requests) * 1000).toFixed(2)} µs of the node to note a request`)
  console.log(
    `${((serverMs / requests) * 1000).toFixed(1)} µs of the server a request, ${median.toFixed(0)} ms a flush`,
  )
  console.log(
    `${size?.lines} log lines of ${requests} requests, ${((size?.bytes ?? 0) / (size?.lines ?? 1)).toFixed(0)} bytes a line`,
  )
}

async function makeKeys(database: ReturnType<typeof openControlDatabase>): Promise<string[]> {
  const context = {
    database,
    random: randomBytes,
    keys: { current: new EncryptionKey(randomBytes(32)), previous: null },
  }
  const made: string[] = []
  for (let index = 0; index < STORES; index += 1) {
    const databaseUrl = 'postgres://reader@127.0.0.1:5432/shop'
    const { id } = await addStore(context, { name: `s${index}`, origin: 'generated', state: 'ready', databaseUrl })
    for (let key = 0; key < KEYS_PER_STORE; key += 1)
      made.push((await createKey({ database, storeId: id, name: 'k', createdBy: null, random: randomBytes })).id)
  }
  return made
}
