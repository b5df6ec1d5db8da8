// Formats the store-sync benchmark as text and a table, for docs/concepts/performance.md and the terminal.

import { count, table } from '../lib/markdown.ts'
import type { PacedFigure, SyncFigure, SyncResult } from './sync-results.ts'

/** Returns the section about store-sync, as Markdown. */
export function syncSection({ version, date, machine, node, command, figures, paced }: SyncResult): string {
  const again = figures.filter(({ what }) => what.includes('second run')).map(({ wallMs }) => wallMs / 1000)
  const first = figures.filter(({ what }) => !what.includes('second run'))
  return `
## store-sync

The table has the first run of \`store-sync\`, which copies the whole store. The server has no rate limit. A second run,
which finds no changes, takes at most ${Math.max(0, ...again).toFixed(1)} s.

- **Made on the fly** is a test server that generates pages without a database. **A service** is the real one.
- **Fetch and discard** is a loop that fetches the same pages and drops them. **Fetch, parse and discard** also parses
  their JSON. **sqlite** and **postgres** are copies that \`store-sync\` writes.
- **Ratio** is the time as a multiple of **fetch and discard** with the same server.
- **Rows** include order items and variants.
- **Processor time** and **memory** are those of the process that requests the pages, from its start to its end.
- **Run:** ${version.replace(/ on .*/, '')}; Node ${node}; ${machine}; ${date}; \`${command}\`. All programs share the
  machine.

${table(['', 'rows', 'seconds', 'rows/s', 'processor time, s', 'memory, MiB', 'ratio'], first.map(figureRow))}
With the default rate limit of 120 requests per minute, \`store-sync\` needs a small part of a core. The next table has one
minute at this limit: 120 pages of 250 orders with their items. **Other work** is the rest, such as starting the process
and writing the copy.

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
