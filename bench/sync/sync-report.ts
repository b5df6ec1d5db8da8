// Formats the store-sync benchmark as text and a table, for docs/concepts/performance.md and the terminal. Reads
// nothing itself.

import type { PacedFigure, SyncFigure, SyncResult } from './sync-results.ts'

const TITLE = '\n## store-sync\n'

/** Returns the document with `result` as its last section, which replaces the previous one. */
export function withSyncSection(document: string, result: SyncResult | null): string {
  const start = document.indexOf(TITLE)
  const rest = start === -1 ? document : document.slice(0, start)
  return result === null ? rest : rest + syncSection(result)
}

/** Returns the section about store-sync, as Markdown. */
export function syncSection({ version, date, machine, node, command, figures, paced }: SyncResult): string {
  return `${TITLE}
${version}; Node ${node}; ${machine}; ${date}; \`${command}\`.

\`store-sync\` copies a store from a service without a request limit. **Made on the fly** is a test server that
generates its pages without a database. **A service** is the real one. Rows include order items and variants. The
service, its database, \`store-sync\`, and the destination's PostgreSQL share the machine.

- **Fetch and discard** is a loop of \`fetch\` over the same pages, in a separate process that drops each body.
  **Ratio** is the time of a run as a multiple of this loop.
- **CPU** and **memory** are those of the requesting process, from its start to its end. \`store-sync\` runs as
  published.
- A second run finds no changes.

${table(['', 'rows', 'seconds', 'rows/s', 'CPU, s', 'memory, MiB', 'ratio'], figures.map(figureRow))}
The next table is a run at the rate limit: 120 pages of 250 orders with their items in a minute. **Other work** is the
processor time besides requests and parsing:

${table(['', 'CPU, s', 'fetching and parsing, s', 'other work, s', 'other work, share of a core'], paced.map(pacedRow))}`
}

function figureRow({ source, what, rows, wallMs, cpuMs, residentMebibytes, ratio }: SyncFigure): string[] {
  return [
    `${source}: ${what}`,
    rows === null ? '' : count(rows),
    (wallMs / 1000).toFixed(1),
    rows === null ? '' : count(Math.round((rows / wallMs) * 1000)),
    (cpuMs / 1000).toFixed(1),
    residentMebibytes === null ? '' : residentMebibytes.toFixed(0),
    ratio === null ? '' : ratio.toFixed(2),
  ]
}

function pacedRow({ name, cpuSeconds, parseSeconds }: PacedFigure): string[] {
  const beyond = cpuSeconds - parseSeconds
  return [
    name,
    cpuSeconds.toFixed(2),
    parseSeconds.toFixed(2),
    beyond.toFixed(2),
    `${((beyond / 60) * 100).toFixed(1)} %`,
  ]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return line(head) + line(head.map((_, index) => (index === 0 ? '---' : '---:'))) + rows.map(line).join('')
}

function count(number: number): string {
  return number.toLocaleString('en')
}
