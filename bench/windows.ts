// Measures how much processor time an end time (`updated_until`, `created_until`) adds to a page. Also reads all orders
// in slices, one process for each, while orders change. Then counts the orders that are missing or were returned twice.
//
// Run: npm run bench:windows.

import { parseArgs } from 'node:util'
import { LIMITS } from '@store-export/contract'
import type { Sql } from 'postgres'
import { type ApiClient, pagePath } from './lib/api-client.ts'
import { type Child, startChild } from './lib/child.ts'
import { type Dataset, makeDataset } from './lib/dataset.ts'
import { ORDERS_DEFAULT, readServers } from './lib/options.ts'
import { medianOf, medianRatio, medianRatioLimits, runRounds, type Samples, type Variant } from './lib/rounds.ts'
import { type BenchServer, startBenchServer } from './lib/servers.ts'
import { spread } from './lib/walk.ts'
import { timestampBeforeChanges } from './service/filtered-pages.ts'
import { requests } from './service/page-variants.ts'
import { runService, type ServiceUnderLoad } from './service/running-service.ts'

/** So many that the confidence intervals of the ratios are narrow. */
const ROUNDS = 161
/** Number of requests of each variant in a round. */
const PAGES = 20
const CHANGED_ROWS = 9000
const SLICES = 8

/** A list, and the same list in a window that holds the same rows. */
interface Comparison {
  readonly name: string
  readonly filter: string
  readonly window: string
}

// Without this handler, Ctrl-C would leave a server and its folder.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const { values } = parseArgs({ options: { server: { type: 'string' } } })
for (const kind of readServers(values.server)) {
  const server = await startBenchServer(kind)
  if (server === null) console.error(`${kind}: none found; name the folder of its programs in BENCH_POSTGRES_BIN`)
  else await bench(server).finally(() => server.remove())
}

async function bench(server: BenchServer): Promise<void> {
  const dataset = await makeDataset(server, ORDERS_DEFAULT)
  try {
    await using running = await runService(dataset)
    const since = await timestampBeforeChanges(dataset.sql, CHANGED_ROWS)
    const comparisons: readonly Comparison[] = [
      { name: 'all orders', filter: '', window: 'updated_until=now' },
      { name: 'all orders, by creation', filter: '', window: 'created_until=now' },
      {
        name: `${CHANGED_ROWS} changed orders`,
        filter: `updated_since=${since}`,
        window: `updated_since=${since}&updated_until=now`,
      },
    ]
    const samples = await measurePages(server, running, comparisons)
    console.log(`\n${dataset.version}: ${dataset.rows} rows, pages of ${LIMITS.pageRowsMax} orders, ${ROUNDS} rounds\n`)
    console.log(
      '| List | Pages | Without a window, ms | With, ms | Ratio | Confidence interval (95 %) |\n| --- | --- | ---: | ---: | ---: | ---: |',
    )
    for (const comparison of comparisons)
      for (const which of ['first', 'later'] as const) report(samples, comparison, which)
    await readSlices(dataset, running)
  } finally {
    await dataset.sql.end()
  }
}

async function measurePages(
  { processId: serverProcessId }: BenchServer,
  { client, service }: ServiceUnderLoad,
  comparisons: readonly Comparison[],
): Promise<Samples> {
  const variants: Variant[] = []
  for (const { name, filter, window } of comparisons)
    for (const [side, query] of [
      ['without', filter],
      ['with', window],
    ] as const) {
      const cursors = await cursorsOf(client, query)
      const first = Array.from({ length: PAGES }, () => listPath(query, null))
      variants.push(
        requests({ client, service }, { name: variantName(name, 'first', side), paths: () => first }),
        requests(
          { client, service },
          {
            name: variantName(name, 'later', side),
            paths: (round) => spread(cursors, PAGES, round).map((cursor) => listPath(query, cursor)),
          },
        ),
      )
    }
  return runRounds(variants, { rounds: ROUNDS, serverProcessId })
}

/** Returns the cursors of all pages except the first. */
async function cursorsOf(client: ApiClient, query: string): Promise<string[]> {
  const cursors: string[] = []
  for (let cursor: string | null = null; ; cursors.push(cursor)) {
    cursor = (await client.get(listPath(query, cursor))).nextCursor
    if (cursor === null) return cursors
  }
}

function report(samples: Samples, { name }: Comparison, which: 'first' | 'later'): void {
  const names = [variantName(name, which, 'with'), variantName(name, which, 'without')] as const
  const [withWindow, without] = names.map((each) => medianOf(samples.get(each) ?? [], 'totalMs').toFixed(3))
  const ratio = medianRatio(samples, names, 'totalMs').toFixed(3)
  const limits = medianRatioLimits(samples, names, 'totalMs').map((limit) => limit.toFixed(3))
  console.log(`| ${name} | ${which} | ${without} | ${withWindow} | ${ratio} | ${limits.join(' to ')} |`)
}

/** Reads slices by creation time, all at the same time, while orders change. */
async function readSlices({ sql, key }: Dataset, { url }: ServiceUnderLoad): Promise<void> {
  const edges = await sql<{ at: string }[]>`
    select to_char(max(created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
    from (select created_at, ntile(${SLICES}) over (order by created_at, id) as slice from orders) orders
    group by slice order by slice`
  const slices = Array.from({ length: SLICES }, (_, index) => {
    const [start, end] = [edges[index - 1]?.at, index === SLICES - 1 ? 'now' : edges[index]?.at]
    return `${start === undefined ? '' : `created_since=${start}&`}created_until=${end}`
  })
  const readers: Child[] = slices.map(() => startChild(new URL('./service/slice-process.ts', import.meta.url)))
  try {
    const stop = new AbortController()
    const writes = changeOrders(sql, stop.signal)
    const read = await Promise.all(
      slices.map((slice, at) => readers[at]?.call('read', { url, key, slice }) as Promise<string[]>),
    )
    stop.abort()
    const changed = await writes
    const counts = new Map<string, number>()
    for (const id of read.flat()) counts.set(id, (counts.get(id) ?? 0) + 1)
    const expected = await sql<{ id: string }[]>`select id::text as id from orders`
    const missing = expected.filter(({ id }) => !counts.has(id)).length
    const twice = [...counts.values()].filter((count) => count > 1).length
    const sizes = read.map((ids) => ids.length).join(', ')
    console.log(`\n${expected.length} orders in slices of ${sizes} while ${changed} orders changed:`)
    console.log(`${missing} missing, ${twice} returned twice`)
  } finally {
    await Promise.all(readers.map((reader) => reader.close()))
  }
}

/** Changes an order at a random position, again and again until the signal. Returns the number of changes. */
async function changeOrders(sql: Sql, signal: AbortSignal): Promise<number> {
  let changes = 0
  for (; !signal.aborted; changes++)
    await sql`update orders set tracking_number = 'changed', updated_at = now()
      where id = (select id from orders where id >= gen_random_uuid() order by id limit 1)`
  return changes
}

function listPath(query: string, cursor: string | null): string {
  const path = pagePath('orders', LIMITS.pageRowsMax, cursor)
  return query === '' ? path : `${path}&${query}`
}

function variantName(name: string, which: string, side: string): string {
  return `${name}, ${which}, ${side}`
}
