// Formats the first screen of docs/concepts/performance.md: the main ratios of all results.

import { table } from '../lib/markdown.ts'
import type { BenchResult } from '../lib/results.ts'
import type { PeersResult } from '../peers/peers-results.ts'
import type { SyncResult } from '../sync/sync-results.ts'
import { KEY_CHECK } from './key-check.ts'
import { NAMES } from './variants.ts'

/** A row of the table: the processor time of `what` as a multiple of that of `than`, with a value for each run. */
interface Line {
  readonly what: string
  readonly than: string
  readonly values: readonly (number | null | undefined)[]
  readonly details: string
}

/** Returns the section with the main ratios. Leaves out what was not measured. */
export function overview(all: Overviewed): string {
  const lines = linesOf(all).filter(({ values }) => measured(values).length > 0)
  return `## How fast is the service?

Most of the cost of a large page is reading its rows from PostgreSQL. Small pages cost more per row, because each request
has a fixed cost. A page at the end of a list costs as much as one at its start.

The table compares [processor time](#how-to-read-the-figures). A range has the lowest and the highest ratio of all runs.

${table(
  ['Processor time of', 'As a multiple of', 'Ratio', 'Details'],
  lines.map(({ what, than, values, details }) => [what, than, range(values, 2), details]),
  4,
)}${rates(all)}`
}

interface Overviewed {
  readonly results: readonly BenchResult[]
  readonly peers: readonly PeersResult[]
  readonly sync: SyncResult | null
}

const PAGES = '[pages](#what-does-a-page-cost-compared-with-copy)'
const GOALS = '[goals](#which-goals-does-the-service-reach)'
const PEERS = '[peers](#peers)'

function linesOf({ results, peers }: Overviewed): Line[] {
  const ratio = (name: string) =>
    results.map(({ figures }) => figures.find((figure) => figure.name === name)?.ratio ?? null)
  // If a goal gets another name, its row disappears from the page.
  const goal = (name: string) =>
    results.flatMap(({ bounded }) => bounded.filter((one) => one.name.startsWith(name)).map(({ value }) => value))
  return [
    {
      ...{ what: 'a page of 250 orders with items', than: '`COPY` of the same rows', details: PAGES },
      values: ratio(NAMES.page),
    },
    {
      ...{ what: 'a page of 250 orders with items', than: '`COPY` of the same rows in `psql`', details: GOALS },
      values: goal('CPU of a page of 250 orders with items, against COPY of its rows by libpq'),
    },
    {
      ...{ what: 'a page of 50 orders with items', than: '`COPY` of the same rows', details: PAGES },
      values: ratio(NAMES.small),
    },
    {
      ...{ what: 'a page at the end of the list', than: 'a page at its start', details: GOALS },
      values: goal('CPU of a page at the end of the list'),
    },
    {
      ...{ what: 'the statement that checks a key and counts the request', than: 'a bare `select 1`', details: GOALS },
      values: ratio(KEY_CHECK.name),
    },
    {
      ...{ what: 'a page of 250 orders from other servers', than: 'the same page from the service', details: PEERS },
      values: peers.flatMap(({ comparisons }) => othersIn(comparisons, 'page of 250 orders')),
    },
    {
      ...{ what: 'an order by ID from other servers', than: 'the same order from the service', details: PEERS },
      values: peers.flatMap(({ comparisons }) => othersIn(comparisons, 'one order by ID')),
    },
  ]
}

function othersIn(comparisons: PeersResult['comparisons'], what: string): number[] {
  const figures = comparisons.filter((one) => one.what === what).flatMap((one) => one.figures)
  // Only the service's own figure has no version.
  return figures.filter(({ version }) => version !== '').map(({ cpuRatio }) => cpuRatio)
}

function rates({ results, sync }: Overviewed): string {
  if (results.length === 0) return ''
  const pages = range(
    results.map(({ parallel: { pagesPerSecond } }) => pagesPerSecond),
    0,
  )
  // These are texts of ../sync/sync-measure.ts.
  const copies = sync?.figures.filter(
    ({ source, what }) => source.startsWith('a service') && what.includes('first run'),
  )
  const copying = range(copies?.map(({ ratio }) => ratio) ?? [], 2)
  return `
- One process of the service returns ${pages} pages of 250 orders per second, if 32 full syncs run at the same time.${
    copying === ''
      ? ''
      : `
- Copying a store with [store-sync](#store-sync) takes ${copying} times as long as only fetching its pages
  from the service.`
  }
- The database takes ${databaseShare(results)} % of the processor time of a page of 250 orders. To
  check this, divide \`databaseMs\` by \`totalMs\` in [bench/results](../../bench/results).
- The service [misses some of its goals](#which-goals-does-the-service-reach).
`
}

function databaseShare(results: readonly BenchResult[]): string {
  const shares = results
    .flatMap(({ figures }) => figures.filter(({ name }) => name === NAMES.page))
    .map(({ databaseMs, totalMs }) => (100 * databaseMs) / totalMs)
  return range(shares, 0)
}

function measured(values: Line['values']): number[] {
  return values.filter((value) => value !== null && value !== undefined)
}

function range(values: Line['values'], digits: number): string {
  if (measured(values).length === 0) return ''
  const [least, most] = [Math.min(...measured(values)), Math.max(...measured(values))].map((one) => one.toFixed(digits))
  return least === most ? `${least}` : `${least} to ${most}`
}
