// Measures runs of store-sync, from a server that generates pages without a database, and from the real service.

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { openClient } from '../../test/support/client.ts'
import { SERVICE_PROCESS, startChild } from '../lib/child.ts'
import { makeDataset } from '../lib/dataset.ts'
import { describeMachine } from '../lib/results.ts'
import type { BenchServer } from '../lib/servers.ts'
import { type BuiltTool, buildSyncTool } from './sync-build.ts'
import type { FetchWalked } from './sync-fetch-process.ts'
import type { Served } from './sync-generator-process.ts'
import type { Destination, SyncBenchOptions } from './sync-options.ts'
import { pacedOf, type SyncFigure, type SyncResult } from './sync-results.ts'
import { runTool } from './sync-tool.ts'

/** Number of orders whose pages of 250 take one minute at the limit of 120 requests per minute. */
const PACED_ORDERS = 30_000

/**
 * Fills `server`, which must be empty, runs all measurements, and returns the figures. `log` gets progress messages.
 */
export async function measureSync(
  server: BenchServer,
  options: SyncBenchOptions,
  log: (what: string) => void,
): Promise<SyncResult> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-bench-'))
  const tool = await buildSyncTool(path.join(folder, 'tool'))
  log(`making a store of ${options.storedOrders} orders`)
  const dataset = await makeDataset(server, options.storedOrders)
  const service = startChild(SERVICE_PROCESS)
  const { key, controlUrl, secret, version } = dataset
  try {
    const url = String(await service.call('start', { controlUrl, secret }))
    const bench = new SyncBench({ server, folder, tool, key, log })
    const made = await bench.onTheFly(url, options)
    const paced = await bench.paced(url)
    const stored = await bench.walk(`a service with ${options.storedOrders} orders`, url, {
      destinations: ['sqlite', 'postgres'],
      rows: dataset.rows,
    })
    return {
      version,
      date: new Date().toISOString().slice(0, 10),
      machine: describeMachine(),
      node: process.versions.node,
      command: ['npm run bench:sync', ...process.argv.slice(2)].join(' '),
      orders: options.orders,
      figures: [...made, ...stored],
      paced,
    }
  } finally {
    await service.close()
    await dataset.sql.end()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The server for copies, the folder, the tool, and the key. All measurements use the same. */
interface Places {
  readonly server: BenchServer
  readonly folder: string
  readonly tool: BuiltTool
  readonly key: string
  readonly log: (what: string) => void
}

/** The measurements. Each first run writes to a new destination, and the second run to the same one. */
class SyncBench {
  readonly #places: Places
  /** Number of destinations so far, for unique names. */
  #databases = 0

  constructor(places: Places) {
    this.#places = places
  }

  /** Measures a generated store with pages like those of the service at `url`. */
  async onTheFly(url: string, { orders, destinations }: SyncBenchOptions): Promise<SyncFigure[]> {
    return this.#withGenerator(url, orders, async (generator, takeServed) => {
      const name = `made on the fly, ${orders} orders`
      const rows = async () => (await takeServed()).rows
      return this.walk(name, generator, { destinations, rows })
    })
  }

  /**
   * Fetches and discards the pages, without and with parsing. Then runs a first and a second sync into each
   * destination. `rows` is the number of rows; or, for a generated store, a function that returns how many rows both
   * fetches read together.
   */
  async walk(
    source: string,
    url: string,
    { destinations, rows }: { destinations: readonly Destination[]; rows: number | (() => Promise<number>) },
  ): Promise<SyncFigure[]> {
    const { log } = this.#places
    log(`${source}: fetching`)
    const [dropped, parsed] = [await this.#fetch(url, false), await this.#fetch(url, true)]
    // Each of the two fetches has read every row.
    const count = typeof rows === 'number' ? rows : (await rows()) / 2
    const baseline = { source, rows: count, residentMebibytes: null, ratio: 1 }
    const figures: SyncFigure[] = [
      { ...baseline, what: 'fetch and discard', ...dropped },
      { ...baseline, what: 'fetch, parse and discard', ...parsed, ratio: parsed.wallMs / dropped.wallMs },
    ]
    for (const destination of destinations) {
      const to = await this.#place(destination)
      for (const what of [`${destination}, first run`, `${destination}, second run`]) {
        log(`${source}: ${what}`)
        const used = await this.#run(url, to)
        const isFirst = what.endsWith('first run')
        figures.push({
          source,
          what,
          rows: isFirst ? count : null,
          ...used,
          ratio: isFirst ? used.wallMs / dropped.wallMs : null,
        })
      }
    }
    return figures
  }

  /**
   * Measures the processor time for as many pages as the rate limit permits in one minute, and that of only fetching
   * and parsing them. The generator has no rate limit, so a run can take less than a minute.
   */
  paced(url: string) {
    return this.#withGenerator(url, PACED_ORDERS, async (generator) => {
      this.#places.log('the pages of one minute at the rate limit')
      const parsed = await this.#fetch(generator, true, ['orders'])
      const runs: { name: Destination; cpuMs: number }[] = []
      for (const name of ['sqlite', 'postgres'] as const)
        runs.push({ name, ...(await this.#run(generator, await this.#place(name), ['--tables', 'orders'])) })
      return pacedOf(parsed, runs)
    })
  }

  async #withGenerator<T>(
    url: string,
    orders: number,
    work: (url: string, takeServed: () => Promise<Served>) => Promise<T>,
  ): Promise<T> {
    const generator = startChild(new URL('sync-generator-process.ts', import.meta.url))
    try {
      const made = String(await generator.call('start', { url, key: this.#places.key, orders }))
      return await work(made, async () => (await generator.call('takeServed', null)) as Served)
    } finally {
      await generator.close()
    }
  }

  async #fetch(url: string, parses: boolean, lists?: readonly string[]): Promise<FetchWalked> {
    const child = startChild(new URL('sync-fetch-process.ts', import.meta.url))
    try {
      return (await child.call('walk', { url, key: this.#places.key, parses, lists })) as FetchWalked
    } finally {
      await child.close()
    }
  }

  #run(url: string, to: string, extraArguments: readonly string[] = []) {
    const { tool, key } = this.#places
    return runTool({ tool, url, key, to, extraArguments })
  }

  /** Returns the value of `--to` for an empty destination. */
  async #place(destination: Destination): Promise<string> {
    this.#databases += 1
    const name = `bench_sync_${this.#databases}`
    if (destination !== 'postgres') return `${destination}:${path.join(this.#places.folder, name)}`
    const { server } = this.#places
    const sql = openClient(server.url('postgres'))
    await sql.unsafe(`create database ${name} template template0`).finally(() => sql.end())
    return server.url(name)
  }
}
