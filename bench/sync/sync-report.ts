// Formats the store-sync benchmark as text and a table, for docs/concepts/performance.md and the terminal. Reads
// nothing itself.

import { count, table } from '../lib/markdown.ts'
import type { PacedFigure, SyncFigure, SyncResult } from './sync-results.ts'

/** Returns the section about store-sync, as Markdown. */
export function syncSection({ version, date, machine, node, command, figures, paced }: SyncResult): string {
  const again = figures.filter(({ what }) => what.includes('second run')).map(({ wallMs }) => wallMs / 1000)
  const first = figures.filter(({ what }) => !what.includes('second run'))
  return `
## store-sync

How long does a copy of a store take? A second run, which finds no changes, takes at most
${Math.max(0, ...again).toFixed(1)} s. The table has first runs without a request limit.
${version.replace(/ on .*/, '')}; Node ${node}; ${machine}; ${date}; \`${command}\`.

- **Made on the fly** is a test server that generates pages without a database. **A service** is the real one. All
  programs share the machine.
- **Fetch and discard** is a loop that only fetches the same pages. **Ratio** is the time as a multiple of this loop.
- **Rows** include order items and variants.
- **Processor time** and **memory** are those of the requesting process, from its start to its end.

${table(['', 'rows', 'seconds', 'rows/s', 'processor time, s', 'memory, MiB', 'ratio'], first.map(figureRow))}
At the rate limit, \`store-sync\` needs a small part of a core. The next table has one minute at the limit: 120 pages of
250 orders with their items. **Other work** is the processor time besides requests and parsing.

${table(['', 'processor time, s', 'fetching and parsing, s', 'other work, s', 'other work, share of a core'], paced.map(pacedRow))}`
}

function figureRow({ source, what, rows, wallMs, cpuMs, residentMebibytes, ratio }: SyncFigure): string[] {
  return [
    `${source.replace(/\d{4,}/, (digits) => count(Number(digits)))}: ${what}`,
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
