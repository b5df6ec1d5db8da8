// Requests pages of randomly chosen stores from one node. The baseline opens a connection to a store and reads a page
// without the service. Prints the times of both, the most connections to stores that the service had open, and its
// memory.
//
// Run: npm run bench:many-stores. Options: `--stores` (number of store databases, default: 2000), `--requests`
// (default: 20000), and `--server` (embedded or system, default: system).

import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { order } from '@store-export/contract'
import { openClient } from '../test/support/client.ts'
import { createApiClient } from './lib/api-client.ts'
import { startBuiltService } from './lib/built-service.ts'
import { copyStatements, FIRST_KEY } from './lib/copy-statements.ts'
import { residentMebibytes } from './lib/processor-time.ts'
import { type BenchServer, startBenchServer } from './lib/servers.ts'
import { type ManyStores, makeManyStores } from './service/many-stores-databases.ts'

const PAGE_ROWS = 10
const CONCURRENT_REQUESTS = 4
const REST_MILLISECONDS = 10_000

// Without this handler, Ctrl-C would leave a server and its folder.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const { values } = parseArgs({
  options: {
    server: { type: 'string', default: 'system' },
    stores: { type: 'string', default: '2000' },
    requests: { type: 'string', default: '20000' },
  },
})
const kind = values.server === 'embedded' ? 'embedded' : 'system'
// There is room for the service's 200 connections and for those of the baseline. The stores needn't survive a crash.
const server = await startBenchServer(kind, { max_connections: '300', fsync: 'off' })
if (server === null)
  throw new Error(`${kind}: no such server here; name the folder of its programs in BENCH_POSTGRES_BIN`)
try {
  console.error(`making ${values.stores} stores`)
  await measure(server, await makeManyStores(server, Number(values.stores)), Number(values.requests))
} finally {
  await server.remove()
}

/** Times in ms of the pages by the service and by the baseline, and the number of failed requests. */
interface Samples {
  readonly service: number[]
  readonly direct: number[]
  failures: number
}

async function measure(server: BenchServer, many: ManyStores, requests: number): Promise<void> {
  const service = await startBuiltService({
    STORE_EXPORT_DATABASE_URL: many.controlUrl,
    STORE_EXPORT_SECRET: many.secret.toString('base64'),
    STORE_EXPORT_PORT: '0',
    STORE_EXPORT_OPERATIONS_PORT: '0',
    STORE_EXPORT_REQUESTS_PER_MINUTE: '1000000000',
    // All stores are on one server, which has room for the connections.
    STORE_EXPORT_STORE_SERVER_CONNECTIONS_MAX: '200',
  })
  const samples: Samples = { service: [], direct: [], failures: 0 }
  const watching = new AbortController()
  try {
    const rested = await residentMebibytes(service.processId)
    const mostConnections = watchConnections(server, watching.signal)
    console.error(`reading ${requests} pages`)
    let left = requests
    const readers = Array.from({ length: CONCURRENT_REQUESTS }, async () => {
      for (; left > 0; ) {
        left--
        await readBoth(many, service.url, samples)
      }
    })
    await Promise.all(readers)
    watching.abort()
    report(samples, await mostConnections)
    await delay(REST_MILLISECONDS)
    const resident = (await residentMebibytes(service.processId)).toFixed(0)
    console.log(
      `\nresident after ${REST_MILLISECONDS / 1000} s without a request: ${resident} MiB (built JavaScript; ${rested.toFixed(0)} before the first)`,
    )
  } finally {
    watching.abort()
    await service.close()
  }
}

/**
 * Reads one page through the service and one with the baseline. The stores are picked independently, because the first
 * read of a store warms PostgreSQL's cache for the second.
 */
async function readBoth({ stores }: ManyStores, url: string, samples: Samples): Promise<void> {
  const [first, second] = [pick(stores), pick(stores)]
  const client = createApiClient(url, first.key)
  samples.service.push(
    await timed(async () => {
      const { status } = await client.request(`/orders?limit=${PAGE_ROWS}`)
      if (status !== 200) samples.failures++
    }),
  )
  client.close()
  samples.direct.push(await timed(() => readDirectly(second.readerUrl)))
}

/** Reads a page over a new connection. */
async function readDirectly(readerUrl: string): Promise<void> {
  const sql = openClient(readerUrl)
  try {
    for (const statement of copyStatements(order, FIRST_KEY, PAGE_ROWS)) {
      const rows = await sql.unsafe(statement).readable()
      for await (const _ of rows);
    }
  } finally {
    await sql.end()
  }
}

async function watchConnections(server: BenchServer, signal: AbortSignal): Promise<number> {
  const sql = openClient(server.url('postgres'))
  let most = 0
  while (!signal.aborted) {
    const [row] = await sql.unsafe<[{ count: number }]>(
      `select count(*)::int as count from pg_stat_activity where application_name = 'store-export' and datname like 'many\\_%'
        and datname <> 'many_control'`,
    )
    most = Math.max(most, row.count)
    await delay(20)
  }
  await sql.end()
  return most
}

function report({ service, direct, failures }: Samples, mostConnections: number): void {
  const rows = [
    ['a page of the service', service],
    ['a connection of its own, and the page', direct],
  ] as const
  console.log('| | p50, ms | p99, ms |\n| --- | ---: | ---: |')
  for (const [name, times] of rows) console.log(`| ${name} | ${at(times, 0.5)} | ${at(times, 0.99)} |`)
  const ratio = quantile(service, 0.99) / quantile(direct, 0.99)
  console.log(
    `\np99 ratio ${ratio.toFixed(2)}; ${failures} of ${service.length} failed; at most ${mostConnections} connections`,
  )
}

function at(times: readonly number[], share: number): string {
  return quantile(times, share).toFixed(1)
}

function quantile(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function pick<T>(all: readonly T[]): T {
  const one = all[Math.floor(Math.random() * all.length)]
  if (one === undefined) throw new Error('there are none')
  return one
}
