// Formats a result of `npm run bench` as text and tables, for the terminal.

import { count, milliseconds, table } from '../lib/markdown.ts'
import { ORDERS_DEFAULT } from '../lib/options.ts'
import type { BenchResult, BenchRun, Bounded, Figure, ThroughputFigure } from '../lib/results.ts'

const SERVERS = { embedded: 'Embedded', system: 'Installed' } as const

/** Returns a result as text. */
export function summary(result: BenchResult): string {
  const { bounded, figures, throughput = [] } = result
  return `
## ${titleOf(result)}

${factsOf(result)}

${table(['', 'measured', 'goal', ''], bounded.map(boundedRow))}
${table(FIGURE_HEAD, figures.map(figureRow))}
${throughput.length === 0 ? '' : `${table(THROUGHPUT_HEAD, throughput.map(throughputRow))}\n`}\
${parallelOf(result)}

`
}

/** Returns the name of the server, and the number of orders if it is not the default. */
export function titleOf({ server, orders }: Pick<BenchRun, 'server' | 'orders'>): string {
  return orders === ORDERS_DEFAULT ? SERVERS[server] : `${SERVERS[server]}, ${count(orders)} orders`
}

/** Returns the facts of a run as one sentence. */
export function factsOf({ version, machine, date, node, command, orders, rows, rounds }: BenchResult): string {
  const data = `${count(orders)} orders, ${count(rows)} rows in all; ${rounds} rounds`
  return `${version.replace(/ on .*/, '')}; Node ${node}; ${machine}; ${date}; \`${command}\`; ${data}.`
}

/** Returns a value with its unit; a ratio has none. */
export function withUnit({ value, unit }: Pick<Bounded, 'value' | 'unit'>): string {
  return unit === '' ? value.toFixed(2) : `${value.toFixed(unit === 'ms' ? 1 : 0)} ${unit}`
}

function parallelOf({ parallel: { pages, pagesPerSecond, failed } }: BenchResult): string {
  return `32 parallel full syncs: ${count(pages)} pages of 250 orders, ${pagesPerSecond.toFixed(0)} a second, ${failed} failed.`
}

const TIMES_HEAD = ['process, ms', 'database, ms', 'CPU, ms'] as const
const FIGURE_HEAD = ['a request', 'bytes, KiB', ...TIMES_HEAD, 'wall, ms', 'CPU against COPY', 'before'] as const
const THROUGHPUT_HEAD = ['throughput', 'connections', 'requests/s', ...TIMES_HEAD, 'client, ms', 'failed'] as const

function boundedRow(bounded: Bounded): string[] {
  const { name, value, most, unit } = bounded
  return [
    name,
    withUnit(bounded),
    unit === '' ? String(most) : `${most} ${unit}`,
    value <= most ? 'reached' : '**missed**',
  ]
}

function figureRow(figure: Figure): string[] {
  const { name, kibibytes, processMs, databaseMs, totalMs, wallMs, ratio, before = null } = figure
  const times = [processMs, databaseMs, totalMs, wallMs].map(milliseconds)
  const size = kibibytes === 0 ? '' : kibibytes.toFixed(kibibytes < 10 ? 1 : 0)
  return [name, size, ...times, ...[ratio, before].map((one) => (one === null ? '' : one.toFixed(2)))]
}

function throughputRow(figure: ThroughputFigure): string[] {
  const { what, connections, requestsPerSecond, processMs, databaseMs, clientMs, failed } = figure
  const times = [processMs, databaseMs, processMs + databaseMs, clientMs].map(milliseconds)
  return [what, String(connections), count(Math.round(requestsPerSecond)), ...times, String(failed)]
}
