// Formats the peers benchmark as text and tables, for docs/concepts/performance.md and the terminal. Reads nothing
// itself.

import type { PeerComparison, PeerFigure, PeersResult } from './peers-results.ts'

const TITLES = { embedded: 'on the embedded PostgreSQL', system: 'on an installed PostgreSQL' } as const

/** Returns the section about the peers; empty without results. */
export function peersSection(results: readonly PeersResult[]): string {
  if (results.length === 0) return ''
  return `
## Peers

Other servers return the same orders with their items from the same database. In each run, the servers take turns
after each page. [bench/peers](../../bench/peers/README.md) describes them.

- Before the measurement, each server must return the same orders as the service, with as many items and the same
  totals.
- **Key** says whether the server checks a key and counts the request, as the service does. A server without it does
  less work.
- **CPU** includes the work of a process between its turns. **Against the service** is the ratio within a round.
${results.map(peersSummary).join('')}`
}

/** Returns one result as text, for the terminal. */
export function peersSummary(result: PeersResult): string {
  const { server, version, machine, date, node, command, orders, rounds, comparisons } = result
  return `
### Peers ${TITLES[server]}

${version}; Node ${node}; ${machine}; ${date}; \`${command}\`; ${orders.toLocaleString('en')} orders; ${rounds} rounds.
${madeOf(comparisons)}
${comparisons.map(comparison).join('\n')}`
}

function madeOf([first]: readonly PeerComparison[]): string {
  const named = (first?.figures ?? []).filter(({ version }) => version !== '')
  return `${named.map(({ name, version }) => `${name}: ${version}`).join('; ')}.\n`
}

function comparison({ what, connections, figures }: PeerComparison): string {
  const title = connections === 1 ? what : `${what}, ${connections} connections`
  // More connections change the times of a response, but not its size.
  const hasSize = connections === 1
  const head = ['key', ...(hasSize ? ['bytes, KiB'] : []), 'process, ms', 'database, ms', 'CPU, ms', 'wall, ms']
  const against = ['CPU against the service', 'wall against the service']
  const rows = figures.map((figure) => figureRow(figure, { hasSize }))
  return table([title, ...head, 'requests/s', ...against], rows)
}

function figureRow(figure: PeerFigure, { hasSize }: { readonly hasSize: boolean }): string[] {
  const { name, checksKey, kibibytes, processMs, databaseMs, totalMs, wallMs, cpuRatio, wallRatio } = figure
  const times = [processMs, databaseMs, totalMs, wallMs].map((time) => (time < 1 ? time.toFixed(3) : time.toFixed(2)))
  const size = hasSize ? [kibibytes.toFixed(kibibytes < 10 ? 1 : 0)] : []
  const ratios = [cpuRatio, wallRatio].map((ratio) => ratio.toFixed(2))
  return [name, checksKey ? 'yes' : 'no', ...size, ...times, (1000 / wallMs).toFixed(0), ...ratios]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return line(head) + line(head.map((_, index) => (index === 0 ? '---' : '---:'))) + rows.map(line).join('')
}
