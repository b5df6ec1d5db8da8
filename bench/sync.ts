// Measures how fast store-sync copies a large store, and its processor time and memory. Prints the results. Without
// arguments, it also stores them in bench/results/sync and docs/concepts/performance.md. Doesn't check the results.
//
// Run: npm run bench:sync.

import { startBenchServer } from './lib/servers.ts'
import { writeDocument } from './service/document.ts'
import { measureSync } from './sync/sync-measure.ts'
import { readSyncOptions } from './sync/sync-options.ts'
import { syncSection } from './sync/sync-report.ts'
import { writeSyncResult } from './sync/sync-results.ts'

// Without this handler, Ctrl-C would leave a server and its folder.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const options = readSyncOptions(process.argv.slice(2))
const server = await startBenchServer('embedded')
if (server === null) throw new Error('there is no embedded PostgreSQL for this platform')
try {
  const result = await measureSync(server, options, (what) => console.error(what))
  console.log(syncSection(result))
  if (options.writes) {
    await writeSyncResult(result)
    await writeDocument()
  }
} finally {
  await server.remove()
}
