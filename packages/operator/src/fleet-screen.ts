// Renders the state of the fleet (nodes, stores, and database servers) for a terminal, as lines that fit its width.

import type { FleetNode, FleetStatus, StoreCount, Worker } from '@store-export/control'
import { countOf, printable, type Style, type styled } from './output.ts'

/** The size and the styles of a screen, and what could not be read for it. */
export interface ScreenOptions {
  /** Width in characters. Longer lines are cut. */
  readonly width: number
  readonly style: typeof styled
  /** Why the state could not be read again, so that the screen shows an older one; null if it is current. */
  readonly problem: string | null
  /** Why the state has no entries from the request log; null if it has them. */
  readonly requestLogProblem: string | null
}

/** A column of a table, with the text of its cell in a row. */
interface Column<T> {
  readonly title: string
  readonly text: (row: T) => string
  /** The style of the cell in a row; null for none. */
  readonly style?: (row: T) => Style | null
  /** Whether the column has numbers, which are aligned to the right. */
  readonly isNumber?: true
}

const SECOND_MS = 1000
/** Units of a duration with their length in seconds, the longest first. */
const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const
/** Maximum number of nodes on the screen. The state lists nodes that are gone first. */
const NODES_MAX = 10
/** Maximum number of workers on the screen. The state lists lost workers first. */
const WORKERS_MAX = 5
/** Share of the limit from which a server needs attention. */
export const SATURATED = 0.9

const STATE_AND_SERVER: readonly Column<{ readonly server: string; readonly failure: string | null }>[] = [
  {
    title: 'state',
    text: ({ failure }) => failure ?? 'ok',
    style: ({ failure }) => (failure === null ? null : 'red'),
  },
  { title: 'server', text: ({ server }) => server },
]

/**
 * Returns the lines of the screen, cut to its width. Each section has its table, or the word `none`. If the request log
 * can't be read, the reason replaces the sections from it.
 */
export function fleetScreen(fleet: FleetStatus, options: ScreenOptions): string[] {
  const { style, requestLogProblem } = options
  const ago = (time: Date) => `${duration(fleet.at.getTime() - time.getTime())} ago`
  const section = <T>(title: string, rows: readonly T[], columns: readonly Column<T>[]) => [
    '',
    style('bold', printable(title)),
    ...(rows.length === 0 ? [style('dim', '  none')] : table(rows, columns, style)),
  ]
  const lines = [
    ...problemLines(fleet, options),
    `${fleet.at.toISOString().slice(0, 19)}Z  ${storesLine(fleet.stores)}`,
    ...(fleet.workers.length === 0
      ? []
      : section(workersTitle(fleet.workers), fleet.workers.slice(0, WORKERS_MAX), STATE_AND_SERVER)),
    ...section(nodesTitle(fleet.nodes), fleet.nodes.slice(0, NODES_MAX), [
      { title: 'node', text: ({ name }) => name },
      { title: 'version', text: ({ version }) => version ?? 'unknown' },
      {
        title: 'state',
        text: ({ isAlive }) => (isAlive ? 'alive' : 'gone'),
        style: ({ isAlive }) => (isAlive ? 'green' : 'red'),
      },
      { title: 'seen', text: ({ seenAt }) => ago(seenAt) },
      { title: 'started', text: ({ startedAt }) => ago(startedAt) },
    ]),
    ...section('Servers by saturation', fleet.servers, [
      {
        title: 'in use',
        text: ({ saturation }) => `${Math.round(saturation * 100)} %`,
        style: ({ saturation }) => (saturation >= SATURATED ? 'red' : null),
        isNumber: true,
      },
      { title: 'connections', text: ({ inUse, limit }) => `${inUse} of ${limit}`, isNumber: true },
      { title: 'waiting', text: ({ waiting }) => String(waiting), isNumber: true },
      ...STATE_AND_SERVER,
    ]),
  ]
  const ofRequestLog = () => [
    ...section('Stores with database errors, last 15 minutes', fleet.failingStores, [
      { title: 'errors', text: ({ errors }) => errors.toLocaleString('en'), isNumber: true },
      { title: 'last', text: ({ lastAt }) => ago(lastAt) },
      { title: 'store', text: ({ id }) => id },
      { title: 'server', text: ({ server }) => server ?? 'none' },
      { title: 'name', text: ({ name }) => name },
    ]),
    ...section('Slowest stores, last hour', fleet.slowestStores, [
      { title: 'slowest', text: ({ slowestMs }) => `${slowestMs.toLocaleString('en')} ms`, isNumber: true },
      { title: 'endpoint', text: ({ endpoint }) => endpoint },
      { title: 'store', text: ({ id }) => id },
      { title: 'name', text: ({ name }) => name },
    ]),
    ...section('Keys over their limit, last 15 minutes', fleet.limitedKeys, [
      { title: 'rejected', text: ({ rejected }) => rejected.toLocaleString('en'), isNumber: true },
      { title: 'last', text: ({ lastAt }) => ago(lastAt) },
      { title: 'key', text: ({ id }) => id },
      { title: 'store', text: ({ storeName }) => storeName },
      { title: 'name', text: ({ name }) => name },
    ]),
  ]
  const problems =
    requestLogProblem === null
      ? ofRequestLog()
      : ['', ...wrapped(`The request log can't be read: ${requestLogProblem}`, options)]
  return [...lines, ...problems].map((line) => cutToWidth(line, options.width))
}

/** Returns the problem and an empty line; no lines if the state is current. */
function problemLines({ at }: FleetStatus, options: ScreenOptions): string[] {
  const { problem } = options
  if (problem === null) return []
  return [...wrapped(`Not refreshed since ${at.toISOString().slice(11, 19)}Z: ${problem}`, options), '']
}

/** Returns the text of a problem in red, broken at spaces. A word that is longer than the width has its own line. */
function wrapped(text: string, { style, width }: ScreenOptions): string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trimStart()
    if (longer.length <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines.map((line) => style('red', printable(line)))
}

/** Returns the number of stores, and their numbers by state. Imported stores have the state `imported`. */
function storesLine(counts: readonly StoreCount[]): string {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const parts = counts.map(
    ({ origin, state, count }) => `${count.toLocaleString('en')} ${origin === 'imported' ? 'imported' : state}`,
  )
  return countOf(total, 'store') + (parts.length === 0 ? '' : ` (${parts.join(', ')})`)
}

/** Returns how many nodes are alive, with their versions if these differ, as during an upgrade. */
function nodesTitle(nodes: readonly FleetNode[]): string {
  const alive = nodes.filter(({ isAlive }) => isAlive)
  const byVersion = [...Map.groupBy(alive, ({ version }) => version ?? 'unknown')]
  const versions = byVersion.map(([version, each]) => `${each.length} with ${version}`).toSorted()
  const shown = nodes.length > NODES_MAX ? `; the first ${NODES_MAX}:` : ''
  return `Nodes: ${alive.length} of ${nodes.length} alive${versions.length > 1 ? ` (${versions.join(', ')})` : ''}${shown}`
}

function workersTitle(workers: readonly Worker[]): string {
  const reachable = workers.filter(({ failure }) => failure === null).length
  return `Workers of the control database: ${reachable} of ${workers.length} reachable`
}

/** Returns the duration in its largest unit, rounded down, such as `3 h`. A negative one counts as 0. */
function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND_MS))
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? (['s', 1] as const)
  return `${Math.floor(seconds / length)} ${unit}`
}

function table<T>(rows: readonly T[], columns: readonly Column<T>[], style: typeof styled): string[] {
  const cells = rows.map((row) => columns.map((column) => cellOf(row, column, style)))
  const widths = columns.map(({ title }, column) =>
    Math.max(title.length, ...cells.map((each) => lengthOf(each[column] ?? ''))),
  )
  const line = (texts: readonly string[]) =>
    `  ${texts.map((text, column) => pad(text, widths[column] ?? 0, columns[column]?.isNumber === true)).join('  ')}`.trimEnd()
  return [style('dim', line(columns.map(({ title }) => title))), ...cells.map(line)]
}

/** Returns the text of a cell in its style. Replaces escape sequences in the text. */
function cellOf<T>(row: T, column: Column<T>, style: typeof styled): string {
  const text = printable(column.text(row))
  const own = column.style?.(row) ?? null
  return own === null ? text : style(own, text)
}

/** Returns the text with spaces up to the width. Escape sequences of styles don't count. */
function pad(text: string, width: number, isNumber: boolean): string {
  const spaces = ' '.repeat(Math.max(0, width - lengthOf(text)))
  return isNumber ? spaces + text : text + spaces
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequence of a style starts with ESC
const STYLE = /\x1b\[\d+(?:;\d+)*m/g

/** Returns the number of code points without styles. A wide or a combining character counts as one, too. */
function lengthOf(text: string): number {
  return Array.from(text.replaceAll(STYLE, '')).length
}

/** Returns the line, cut to the width with an ellipsis. Styles take no room, and a cut line ends its style. */
function cutToWidth(line: string, width: number): string {
  if (lengthOf(line) <= width) return line
  let room = width - 1
  let cut = ''
  let hasStyle = false
  for (const part of line.match(new RegExp(`${STYLE.source}|[^\\x1b]`, 'gu')) ?? []) {
    // A character has at most two UTF-16 code units, so a longer part is a style.
    if (part.length > 2) hasStyle = true
    else if (room-- <= 0) break
    cut += part
  }
  return `${cut}…${hasStyle ? '\x1b[0m' : ''}`
}
