// Formats the results of the peers benchmark as text and tables, for docs/concepts/performance.md and the terminal.

import { count, milliseconds, table } from '../lib/markdown.ts'
import type { PeerComparison, PeerFigure, PeersResult } from './peers-results.ts'

const TITLES = { embedded: 'Embedded', system: 'Installed' } as const

/** Returns the section about the peers; empty without results. */
export function peersSection(results: readonly PeersResult[]): string {
  if (results.length === 0) return ''
  return `## Peers

The peers are other servers that read the same orders from the same database. The benchmark first checks that each peer
returns the same orders with their items. A peer that checks no key does less work than the service. For how each peer
works, see [Comparison with other servers](../../bench/peers/README.md).

${results.map(section).join('\n')}`
}

function section(result: PeersResult): string {
  const { comparisons } = result
  const names = comparisons[0]?.figures.map(({ name, checksKey }) => ({ name, checksKey })) ?? []
  const cell = ({ cpuRatio, wallMs }: PeerFigure) => `${cpuRatio.toFixed(2)} (${count(Math.round(1000 / wallMs))})`
  const row = ({ name, checksKey }: (typeof names)[number]) => [
    name,
    checksKey ? 'yes' : 'no',
    ...comparisons.map(({ figures }) =>
      figures
        .filter((figure) => figure.name === name)
        .map(cell)
        .join(''),
    ),
  ]
  return `The table has the processor time of each server as a multiple of the service's, and in parentheses the requests per
second. A ratio above 1 means that the peer needs more processor time than the service. For pages,
one client sends one request after another. The servers take turns. Compare these figures only with each other, because
the tables above are from other runs.

- **Run.** ${TITLES[result.server]}: ${factsOf(result)}
- **Versions.** ${madeOf(comparisons)}
${table(['', 'checks a key', ...comparisons.map(titleOf)], names.map(row))}`
}

function factsOf({ version, machine, date, node, command, orders, rounds }: PeersResult): string {
  return `${version.replace(/ on .*/, '')}; Node ${node}; ${machine}; ${date}; \`${command}\`; ${count(orders)} orders; ${rounds} rounds.`
}

/** Returns one result as text, for the terminal. */
export function peersSummary(result: PeersResult): string {
  return `
## Peers, ${TITLES[result.server]}

${factsOf(result)}
${madeOf(result.comparisons)}
${result.comparisons.map(comparison).join('\n')}`
}

function madeOf([first]: readonly PeerComparison[]): string {
  const named = (first?.figures ?? []).filter(({ version }) => version !== '')
  return `${named.map(({ name, version }) => `${name}: ${version}`).join('; ')}.\n`
}

function comparison(one: PeerComparison): string {
  const { connections, figures } = one
  // More connections change the times of a response, but not its size.
  const hasSize = connections === 1
  const head = ['key', ...(hasSize ? ['bytes, KiB'] : []), 'process, ms', 'database, ms', 'CPU, ms', 'wall, ms']
  const against = ['CPU against the service', 'wall against the service']
  const rows = figures.map((figure) => figureRow(figure, { hasSize }))
  return table([titleOf(one), ...head, 'requests/s', ...against], rows)
}

function titleOf({ what, connections }: PeerComparison): string {
  return connections === 1 ? what : `${what}, ${connections} connections`
}

function figureRow(figure: PeerFigure, { hasSize }: { readonly hasSize: boolean }): string[] {
  const { name, checksKey, kibibytes, processMs, databaseMs, totalMs, wallMs, cpuRatio, wallRatio } = figure
  const times = [processMs, databaseMs, totalMs, wallMs].map(milliseconds)
  const size = hasSize ? [kibibytes.toFixed(kibibytes < 10 ? 1 : 0)] : []
  const ratios = [cpuRatio, wallRatio].map((ratio) => ratio.toFixed(2))
  return [name, checksKey ? 'yes' : 'no', ...size, ...times, (1000 / wallMs).toFixed(0), ...ratios]
}
