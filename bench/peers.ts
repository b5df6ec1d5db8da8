// Reads the same orders from the service and from other servers, in one run on one database. Prints the result, and
// stores it in bench/results and in docs/concepts/performance.md with its chart. Fails if a peer returns other orders,
// or if the peers aren't installed.
//
// Run: npm run bench:peers. With `--quick`, it only prints.

import { existsSync } from 'node:fs'
import type { ServerKind } from './lib/options.ts'
import { startBenchServer } from './lib/servers.ts'
import { measurePeers } from './peers/peers-measure.ts'
import { type PeersOptions, readPeersOptions } from './peers/peers-options.ts'
import { peersSummary } from './peers/peers-report.ts'
import { writePeersResult } from './peers/peers-results.ts'
import { writeDocument } from './service/document.ts'

// Without this handler, Ctrl-C would leave processes and a folder.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const options = readPeersOptions(process.argv.slice(2))
if (existsSync(new URL('peers/programs/node_modules', import.meta.url))) await benchAll(options)
else {
  console.error('The peers are not installed: run npm --prefix bench/peers/programs ci first.')
  process.exitCode = 1
}

async function benchAll(options: PeersOptions): Promise<void> {
  for (const kind of options.servers) await bench(kind, options)
  if (options.writes) await writeDocument()
}

async function bench(kind: ServerKind, options: PeersOptions): Promise<void> {
  const log = (what: string) => console.error(`${kind}: ${what}`)
  const server = await startBenchServer(kind)
  if (server === null) return log('none found; name the folder of its programs in BENCH_POSTGRES_BIN')
  try {
    const result = await measurePeers(server, options, log)
    console.log(peersSummary(result))
    if (options.writes) await writePeersResult(result)
  } finally {
    await server.remove()
  }
}
