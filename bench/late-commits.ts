// Counts the rows that copies miss, or have in an old version, because their transactions commit late. Compares copies
// with and without the watermark, and with and without the wait for open transactions. Also measures the cost of the
// poll of open transactions. Uses the embedded PostgreSQL, and an installed one if there is one.
//
// Run: npm run bench:late-commits -- [--seconds N] (duration of each experiment, default: 12).

import { parseArgs } from 'node:util'
import { EncryptionKey } from '@store-export/control'
import { connect, parseConnectionUrl, queryRows, sql } from '@store-export/postgres'
import { pollOpenTransactions } from '../packages/engine/src/stores/open-transactions.ts'
import { readConfig } from '../packages/operator/src/config.ts'
import { type RunningService, startService } from '../packages/operator/src/service.ts'
import { type Dataset, makeDataset } from './lib/dataset.ts'
import type { ServerKind } from './lib/options.ts'
import { median } from './lib/rounds.ts'
import { type BenchServer, startBenchServer } from './lib/servers.ts'
import { experiment, type Participant } from './service/late-commits/experiment.ts'
import type { Rule } from './service/late-commits/syncer.ts'

/** Maximum waits for open transactions, in ms: none, the default, and one that outlasts every transaction here. */
const BOUNDS_MS = [0, 500, 4000] as const
const CLOCKS_AHEAD_MS = [0, 2000] as const
/** The service waits at most half of this time, so it must be at least twice the longest wait. */
const STORE_TIMEOUT_MS = 10_000
const POLLS = 2000

// Without this handler, Ctrl-C would leave a server and its folder.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '12' } } })
const seconds = Number(values.seconds)
if (!(seconds >= 1 && seconds <= 3600)) throw new Error('--seconds: must be a number from 1 to 3600')
for (const kind of ['embedded', 'system'] as const) await bench(kind)

async function bench(kind: ServerKind): Promise<void> {
  const server = await startBenchServer(kind)
  if (server === null)
    return console.error(`${kind}: none found; name the folder of its programs in BENCH_POSTGRES_BIN`)
  try {
    await measure(server)
  } finally {
    await server.remove()
  }
}

async function measure(server: BenchServer): Promise<void> {
  const dataset = await makeDataset(server, 1000)
  const services: RunningService[] = []
  try {
    const cost = await costOfPoll(dataset)
    for (const boundMs of BOUNDS_MS) services.push(await serve(dataset, boundMs))
    const participants = services.flatMap(({ url }, at) => participantsOf(BOUNDS_MS[at] ?? 0, url, dataset.key))
    const { transactions, orders, outcomes } = await experiment(dataset.ownerUrl, participants, seconds)
    console.log(`\n${dataset.version}: ${transactions} transactions of 8 writers in ${seconds} s; ${orders} orders\n`)
    console.log('| continues from | runs | missing | stale |\n| --- | ---: | ---: | ---: |')
    for (const { name, runs, missing, stale } of outcomes) console.log(`| ${name} | ${runs} | ${missing} | ${stale} |`)
    console.log(`\n${cost}`)
  } finally {
    await Promise.all(services.map((service) => service.close()))
    await dataset.sql.end()
  }
}

function participantsOf(boundMs: number, url: string, key: string): Participant[] {
  const wait = boundMs === 0 ? 'no wait' : `wait of ${boundMs} ms`
  return CLOCKS_AHEAD_MS.flatMap((clockAheadMs) => {
    const clock = clockAheadMs === 0 ? 'right' : `${clockAheadMs / 1000} s ahead`
    // The other two rules use no clock of the client, so a shifted clock doesn't change their results.
    const others: readonly Rule[] = clockAheadMs === 0 ? ['greatest updated_at', 'settled window'] : []
    return (['own clock', 'watermark', ...others] as const).map((rule) => ({
      name: `${rule}, clock ${clock}, ${wait}`,
      ...{ url, key, rule, clockAheadMs },
    }))
  })
}

function serve({ controlUrl, secret }: Dataset, boundMs: number): Promise<RunningService> {
  const { config } = readConfig({
    STORE_EXPORT_PORT: '0',
    STORE_EXPORT_REQUESTS_PER_MINUTE: '1000000000',
    STORE_EXPORT_TRANSACTION_WAIT_MS: String(boundMs),
    STORE_EXPORT_STORE_TIMEOUT_MS: String(STORE_TIMEOUT_MS),
  })
  const keys = { current: new EncryptionKey(secret), previous: null }
  return startService({ config, controlUrl, keys, emit: () => undefined })
}

/** Returns a line with the median times of a poll and of `select 1`, which alternate on one connection. */
async function costOfPoll({ readerUrl }: Dataset): Promise<string> {
  const connection = await connect(parseConnectionUrl(readerUrl), { applicationName: 'bench' })
  const spent = { nothing: [] as number[], poll: [] as number[] }
  try {
    for (let n = 0; n < POLLS; n++) {
      spent.nothing.push(await timed(() => queryRows(connection, sql`select 1`)))
      spent.poll.push(await timed(() => pollOpenTransactions(connection)))
    }
  } finally {
    await connection.close()
  }
  const [nothing, poll] = [median(spent.nothing), median(spent.poll)]
  return `A poll of a quiet store: ${poll.toFixed(2)} ms, select 1: ${nothing.toFixed(2)} ms (medians of ${POLLS})`
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
