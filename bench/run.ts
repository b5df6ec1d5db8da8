// `npm run bench`: measures on the embedded PostgreSQL and on an installed one, prints what it finds, and keeps it in
// bench/results and docs/performance.md. It asserts nothing.

import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { measureServer } from './measure.ts'
import { type BenchOptions, readOptions, type ServerKind } from './options.ts'
import { readPeersResults } from './peers-results.ts'
import { performanceDocument, summary } from './report.ts'
import { readResults, writeResult } from './results.ts'
import { startBenchServer } from './servers.ts'
import { withSyncSection } from './sync-report.ts'
import { readSyncResult } from './sync-results.ts'

const DOCUMENT = fileURLToPath(new URL('../docs/performance.md', import.meta.url))

// Without this, Ctrl-C would leave a server running and its folder behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const options = readOptions(process.argv.slice(2))
for (const kind of options.servers) await bench(kind, options)
if (options.writes)
  await writeFile(
    DOCUMENT,
    withSyncSection(performanceDocument(await readResults(), await readPeersResults()), await readSyncResult()),
  )

async function bench(kind: ServerKind, options: BenchOptions): Promise<void> {
  const say = (what: string) => console.error(`${kind}: ${what}`)
  const server = await startBenchServer(kind)
  if (server === null) return say('none found; name the folder of its programs in BENCH_POSTGRES_BIN')
  try {
    const result = await measureServer(server, options, say)
    console.log(summary(result))
    if (options.writes) await writeResult(result)
  } finally {
    await server.remove()
  }
}
