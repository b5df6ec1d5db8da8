// Measures the capacity of one node in requests per second. Then sends requests at half of this rate, at this rate, and
// at two and three times this rate. The requests don't wait for responses, like those of many independent tools. Prints
// the rates and times of accepted and of rejected requests.
//
// By default, the bottleneck is the database server, with 20 connections. With `--bottleneck node`, it is the processor
// of the node, which may open as many connections as it could to ten servers.
//
// Run: npm run bench:overload -- [--bottleneck server|node] [--stores N] (default: 100) [--server embedded|system]
// (default: system).

import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startBuiltService } from './lib/built-service.ts'
import { startBenchServer } from './lib/servers.ts'
import { type ManyStores, makeManyStores } from './service/many-stores-databases.ts'
import { slowDown } from './service/slow-node.ts'

const PATH = '/api/v1/orders?limit=50'
/** Concurrent readers that measure the capacity. */
const READERS = 64
/** Duration of each run after the warm-up, in seconds. */
const SECONDS = 15
/** Time that a run takes to reach a steady state. A measurement of the capacity takes as long. */
const WARM_UP_SECONDS = 5
/** Rates of requests, as multiples of the capacity. */
const FACTORS = [0.5, 1, 2, 3]

// Without this handler, Ctrl-C would leave a server and its folder.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const { values } = parseArgs({
  options: {
    bottleneck: { type: 'string', default: 'server' },
    server: { type: 'string', default: 'system' },
    stores: { type: 'string', default: '100' },
  },
})
const isNodeSlow = values.bottleneck === 'node'
const kind = values.server === 'embedded' ? 'embedded' : 'system'
// The stores needn't survive a crash.
const server = await startBenchServer(kind, { max_connections: isNodeSlow ? '400' : '100', fsync: 'off' })
if (server === null)
  throw new Error(`${kind}: no such server here; name the folder of its programs in BENCH_POSTGRES_BIN`)
try {
  await measure(await makeManyStores(server, Number(values.stores)))
} finally {
  await server.remove()
}

/** A response, or a failed connection. */
interface Outcome {
  /** Status of the response; 0 if the connection failed. */
  readonly status: number
  readonly ms: number
  readonly retryAfter: string | undefined
}

async function measure({ controlUrl, secret, stores }: ManyStores): Promise<void> {
  const service = await startBuiltService({
    STORE_EXPORT_DATABASE_URL: controlUrl,
    STORE_EXPORT_SECRET: secret.toString('base64'),
    STORE_EXPORT_PORT: '0',
    STORE_EXPORT_OPERATIONS_PORT: '0',
    STORE_EXPORT_REQUESTS_PER_MINUTE: '1000000000',
    STORE_EXPORT_STORE_SERVER_CONNECTIONS_MAX: isNodeSlow ? '200' : '20',
  })
  if (isNodeSlow) slowDown(service.processId)
  // Connections stay open, so that requests don't pay for new ones.
  const agent = new http.Agent({ keepAlive: true, maxFreeSockets: 4096 })
  let next = 0
  const send = () => request(service.url, stores[next++ % stores.length]?.key ?? '', agent)
  try {
    // The first run only warms the service up.
    await capacityOf(send)
    const capacity = await capacityOf(send)
    console.log(`capacity: ${capacity.toFixed(0)} requests per second\n`)
    console.log(
      '| Arrivals | Accepted per second | p50, ms | p99, ms | Rejected per second | p50, ms | p99, ms | Other |',
    )
    console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
    for (const factor of FACTORS) report(factor, await sendAt(factor * capacity, send))
  } finally {
    agent.destroy()
    await service.close()
  }
}

/** Returns the requests per second that the node accepts if each reader waits for its response. */
async function capacityOf(send: () => Promise<Outcome>): Promise<number> {
  let completed = 0
  const until = performance.now() + WARM_UP_SECONDS * 1000
  const read = async () => {
    while (performance.now() < until) if ((await send()).status === 200) completed++
  }
  await Promise.all(Array.from({ length: READERS }, read))
  return completed / WARM_UP_SECONDS
}

/**
 * Starts requests at a fixed rate, without waiting for responses. Returns the outcomes of those that are sent after the
 * warm-up.
 */
async function sendAt(perSecond: number, send: () => Promise<Outcome>): Promise<Outcome[]> {
  const startedAt = performance.now()
  const sent: Promise<Outcome>[] = []
  for (let count = 0; performance.now() - startedAt < (WARM_UP_SECONDS + SECONDS) * 1000; ) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond)
    for (; count < due; count++) sent.push(send())
    await delay(5)
  }
  const all = await Promise.all(sent)
  return all.slice(Math.ceil(WARM_UP_SECONDS * perSecond))
}

function request(url: string, key: string, agent: http.Agent): Promise<Outcome> {
  const startedAt = performance.now()
  const outcome = (status: number, retryAfter?: string): Outcome => ({
    ...{ status, retryAfter },
    ms: performance.now() - startedAt,
  })
  return new Promise((resolve) => {
    http
      .get(url + PATH, { agent, headers: { 'x-api-key': key } }, (response) => {
        response.resume()
        response.on('end', () => resolve(outcome(response.statusCode ?? 0, response.headers['retry-after'])))
        response.on('error', () => resolve(outcome(0)))
      })
      .on('error', () => resolve(outcome(0)))
  })
}

function report(factor: number, outcomes: readonly Outcome[]): void {
  const accepted = outcomes.filter(({ status }) => status === 200)
  // If too many requests wait for a database, the service rejects further ones with 502 and `retry-after`.
  const rejected = outcomes.filter(({ status, retryAfter }) => status === 502 && retryAfter !== undefined)
  const cells = [accepted, rejected].flatMap((each) => [
    (each.length / SECONDS).toFixed(0),
    quantile(each, 0.5),
    quantile(each, 0.99),
  ])
  const other = outcomes.length - accepted.length - rejected.length
  console.log(`| ${factor} × capacity | ${cells.join(' | ')} | ${other} |`)
}

function quantile(outcomes: readonly Outcome[], share: number): string {
  const times = outcomes.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return times[Math.floor(times.length * share)]?.toFixed(0) ?? ''
}
