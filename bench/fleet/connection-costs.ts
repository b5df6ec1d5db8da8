// Measures the additional cost of a request if its store has no connection on the node, or if the node must read its
// columns. Also measures a whole request with the check of its key, which shows the cost of the control database.
// `--measure` stores the costs in bench/results/fleet for the simulation.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApiClient } from '../lib/api-client.ts'
import { type Child, SERVICE_PROCESS, startChild } from '../lib/child.ts'
import { type Dataset, makeDataset } from '../lib/dataset.ts'
import type { ServerKind } from '../lib/options.ts'
import { describeMachine } from '../lib/results.ts'
import { medianOf, runRounds, type Samples, type Variant } from '../lib/rounds.ts'
import { startBenchServer } from '../lib/servers.ts'

/** Processor time, in ms. */
export interface ProcessorTime {
  /** Processor time of the process that serves the request. */
  readonly process: number
  /** Processor time of the PostgreSQL server. */
  readonly database: number
}

/** Medians over the rounds, per request of an empty page of changed orders. */
export interface ConnectionCosts {
  readonly server: ServerKind
  readonly version: string
  readonly date: string
  readonly machine: string
  readonly node: string
  readonly command: string
  readonly rounds: number
  /** Cost over HTTP, including the check of the key and the write of its usage in the control database. */
  readonly request: ProcessorTime
  /** Cost of the same page, read by the engine over an open connection. */
  readonly warm: ProcessorTime
  /** Cost of the same page over a new connection, while the previous one is closed. */
  readonly opening: ProcessorTime
  /** Cost of the same page over an open connection, if the columns must be read. */
  readonly columns: ProcessorTime
}

const ORDERS = 2000
const ROUNDS = 15
/**
 * Requests of each variant in a round. The number is low, so that noise of the machine affects all variants equally.
 */
const REQUESTS = 100
/** Time in ms after which the usage of a round is written. The service writes it every two seconds. */
const USAGE_WRITTEN_MS = 2200

/** Returns the stored costs of a kind of server. Rejects if there are none. */
export async function readConnectionCosts(kind: ServerKind): Promise<ConnectionCosts> {
  return JSON.parse(await readFile(fileOf(kind), 'utf8')) as ConnectionCosts
}

/** Measures on a kind of server, stores the result, and returns it. */
export async function measureConnectionCosts(kind: ServerKind): Promise<ConnectionCosts> {
  // Background work of the server must not count for one of the variants.
  const server = await startBenchServer(kind, { autovacuum: 'off' })
  if (server === null)
    throw new Error(`${kind}: no such server here; name the folder of its programs in BENCH_POSTGRES_BIN`)
  const [service, reader] = [
    startChild(SERVICE_PROCESS),
    startChild(new URL('fleet-reader-process.ts', import.meta.url)),
  ]
  try {
    const dataset = await makeDataset(server, ORDERS)
    await dataset.sql.end()
    const variants = await variantsOf(dataset, { service, reader })
    const samples = await runRounds(variants, { rounds: ROUNDS, serverProcessId: server.processId })
    const costs = costsOf(samples, { kind, version: dataset.version })
    await mkdir(fileURLToPath(FOLDER), { recursive: true })
    await writeFile(fileOf(kind), `${JSON.stringify(costs, null, 2)}\n`)
    return costs
  } finally {
    await Promise.all([service.close(), reader.close()])
    await server.remove()
  }
}

const FOLDER = new URL('../results/fleet/', import.meta.url)

function fileOf(kind: ServerKind): string {
  return fileURLToPath(new URL(`${kind}.json`, FOLDER))
}

async function variantsOf(
  { controlUrl, secret, key, readerUrl }: Dataset,
  { service, reader }: { service: Child; reader: Child },
): Promise<Variant[]> {
  const client = createApiClient(String(await service.call('start', { controlUrl, secret })), key)
  await reader.call('start', readerUrl)
  const send = async () => {
    const since = new Date().toISOString()
    for (let n = 0; n < REQUESTS; n++) await client.get(`/orders?limit=250&updated_since=${since}`)
    await delay(USAGE_WRITTEN_MS)
    // The costs don't need the number of bytes.
    return 0
  }
  const read = (name: string): Variant => ({
    name,
    processId: reader.processId,
    requests: REQUESTS,
    run: () => reader.call(name, REQUESTS).then(() => 0),
  })
  const request = { name: 'request', processId: service.processId, requests: REQUESTS, run: send }
  return [request, read('warm'), read('opening'), read('columns')]
}

function costsOf(samples: Samples, { kind, version }: { kind: ServerKind; version: string }): ConnectionCosts {
  const cost = (name: string): ProcessorTime => {
    const own = samples.get(name) ?? []
    return { process: medianOf(own, 'processMs'), database: medianOf(own, 'databaseMs') }
  }
  return {
    server: kind,
    version,
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    node: process.versions.node,
    command: `npm run bench:fleet -- --measure --server ${kind}`,
    rounds: ROUNDS,
    request: cost('request'),
    warm: cost('warm'),
    opening: cost('opening'),
    columns: cost('columns'),
  }
}
