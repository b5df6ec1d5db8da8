// Measures all variants on one server.

import { LIMITS } from '@store-export/contract'
import type { Sql } from 'postgres'
import { pagePath } from '../lib/api-client.ts'
import { startChild } from '../lib/child.ts'
import { type Dataset, makeDataset } from '../lib/dataset.ts'
import type { BenchOptions } from '../lib/options.ts'
import { type BenchResult, describeRun, type Figure, type ThroughputFigure } from '../lib/results.ts'
import { medianOf, medianRatio, runRounds, type Samples, type Variant } from '../lib/rounds.ts'
import type { BenchServer } from '../lib/servers.ts'
import type { LoopDelay } from '../lib/service-process.ts'
import { spread } from '../lib/walk.ts'
import { keyBounds, loopBounds, memoryBounds, pollBounds, requestBounds } from './bounds.ts'
import { dropFilterIndexes, type FilteredPage, filteredPages, withoutIndexes } from './filtered-pages.ts'
import { keyCheckVariants } from './key-check.ts'
import { measureLoopDelay } from './loop-delay.ts'
import { measureAtRest, measureWalking } from './memory.ts'
import { requests } from './page-variants.ts'
import { PARALLEL_WALKS } from './parallel-walks.ts'
import { startPsql } from './psql.ts'
import { runService, type ServiceUnderLoad } from './running-service.ts'
import { pollStore, type StorePolls } from './store-polls.ts'
import { measureThroughput } from './throughput.ts'
import { apiVariants, type Lists, walkLists } from './variants.ts'

/**
 * Number of rounds for filters without indexes. A page can take as long as the time limit of a scan, so there are fewer
 * rounds than for other pages.
 */
const ROUNDS_WITHOUT_INDEXES = 7

/** Fills `server`, which must be empty, runs all measurements, and returns the result. `log` gets progress messages. */
export async function measureServer(
  server: BenchServer,
  options: BenchOptions,
  log: (what: string) => void,
): Promise<BenchResult> {
  const { orders, rounds } = options
  log(`making ${orders} orders`)
  const dataset = await makeDataset(server, orders)
  try {
    const filtered = await filteredPages(dataset.sql, orders)
    const measuring = { server, dataset, filtered, options, log }
    const api = await measureApi(measuring)
    const key = await measureKeyCheck(measuring)
    log(`${PARALLEL_WALKS} full syncs`)
    const walking = await measureWalking(dataset, options.parallelSeconds)
    log('the service at rest')
    const atRest = await measureAtRest(dataset, filtered)
    const memory = memoryBounds({ walking: walking.resident, atRest })
    const plain = await measureWithoutIndexes(measuring)
    return {
      ...describeRun('bench', { server: server.kind, version: dataset.version, orders, rounds }),
      rows: dataset.rows,
      bounded: [
        ...requestBounds(api.samples),
        ...pollBounds(api.polls),
        ...keyBounds(key.samples),
        ...loopBounds(api.loopDelay),
        ...memory,
      ],
      figures: [...figuresOf(api), ...figuresOf(plain), ...figuresOf(key)],
      throughput: api.throughput,
      parallel: walking.walked,
    }
  } finally {
    await dataset.sql.end()
  }
}

interface Measuring {
  readonly server: BenchServer
  readonly dataset: Dataset
  readonly filtered: readonly FilteredPage[]
  readonly options: BenchOptions
  readonly log: (what: string) => void
}

interface Measured {
  readonly variants: readonly Variant[]
  readonly samples: Samples
}

interface Bursts {
  readonly throughput: readonly ThroughputFigure[]
  readonly loopDelay: LoopDelay
}

async function measureApi(measuring: Measuring): Promise<Measured & Bursts & { readonly polls: StorePolls }> {
  const { server, dataset, filtered, options, log } = measuring
  await using running = await runService(dataset)
  const { service, client } = running
  const copy = startChild(new URL('copy-process.ts', import.meta.url))
  const psql = await startPsql(dataset.readerUrl)
  if (psql === null) log('no psql found; COPY by libpq is left out')
  try {
    await copy.call('start', dataset.readerUrl)
    log('reading the lists')
    const lists = await walkLists({ client, sql: dataset.sql })
    const variants = apiVariants({ client, sql: dataset.sql, service, copy, psql }, lists, filtered)
    // The bursts come first, because their many requests warm up the service.
    const bursts = await measureBursts(measuring, running, lists)
    log('measuring requests')
    const samples = await runRounds(variants, { rounds: options.rounds, serverProcessId: server.processId })
    log('polling the store')
    return { variants, samples, ...bursts, polls: await pollStore(client) }
  } finally {
    await Promise.all([copy.close(), psql?.close()])
  }
}

async function measureBursts(
  { server, dataset, options, log }: Measuring,
  { service, url }: ServiceUnderLoad,
  { orders }: Lists,
): Promise<Bursts> {
  log('measuring throughput')
  const load = startChild(new URL('load-process.ts', import.meta.url))
  const ids = await someIds(dataset.sql, options.orders)
  // 40 pages spread over the list, without its first page.
  const starts = spread(orders.slice(1), 40, { index: 0, count: 1 })
  const pages = starts.map(({ cursor }) => pagePath('orders', LIMITS.pageRowsMax, cursor))
  try {
    const throughput = await measureThroughput(
      { service, url, load, serverProcessId: server.processId, key: dataset.key, size: options.bursts },
      [
        { what: 'one order by ID', paths: ids.map((id) => `/orders/${id}`) },
        { what: 'page of 250 orders', paths: pages },
      ],
    )
    const start = { url, key: dataset.key, paths: pages, connections: 1 }
    return { throughput, loopDelay: await measureLoopDelay({ service, load, start }) }
  } finally {
    await load.close()
  }
}

/** Returns the IDs of at least 400 orders, spread over the list. `orders` is the number of all orders, at least 400. */
async function someIds(sql: Sql, orders: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id::text as id from (select id, row_number() over (order by created_at, id) as n from orders) numbered
    where n % ${Math.floor(orders / 400)} = 0 order by n`
  return rows.map(({ id }) => id)
}

/** Measures filters without indexes. This comes last, because it drops the indexes of the filters. */
async function measureWithoutIndexes({ server, dataset, filtered, options, log }: Measuring): Promise<Measured> {
  log('filters without their indexes')
  await dropFilterIndexes(dataset.sql)
  await using running = await runService(dataset)
  const bench = { client: running.client, sql: dataset.sql, service: running.service }
  const variants = filtered.map((page) => requests(bench, withoutIndexes(page)))
  const rounds = Math.min(options.rounds, ROUNDS_WITHOUT_INDEXES)
  return { variants, samples: await runRounds(variants, { rounds, serverProcessId: server.processId }) }
}

async function measureKeyCheck({ server, dataset, options, log }: Measuring): Promise<Measured> {
  log('measuring the check of keys')
  const child = startChild(new URL('key-check-process.ts', import.meta.url))
  try {
    await child.call('start', { controlUrl: dataset.controlUrl, key: dataset.key })
    const variants = keyCheckVariants(child)
    return {
      variants,
      samples: await runRounds(variants, { rounds: options.rounds, serverProcessId: server.processId }),
    }
  } finally {
    await child.close()
  }
}

function figuresOf({ variants, samples }: Measured): Figure[] {
  return variants.map(({ name, baseline }) => {
    const own = samples.get(name) ?? []
    const figure = (of: Parameters<typeof medianOf>[1]) => medianOf(own, of)
    return {
      name,
      processMs: figure('processMs'),
      databaseMs: figure('databaseMs'),
      totalMs: figure('totalMs'),
      wallMs: figure('wallMs'),
      kibibytes: figure('bytes') / 1024,
      ratio: baseline === undefined ? null : medianRatio(samples, [name, baseline], 'totalMs'),
    }
  })
}
