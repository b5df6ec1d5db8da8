// `npm run bench:peers`: the same orders from the service and from other servers, in one run on one database; prints what
// it finds, and keeps it in bench/results and docs/performance.md. It fails where a peer serves other orders.

import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ServerKind } from './options.ts'
import { measurePeers } from './peers-measure.ts'
import { type PeersOptions, readPeersOptions } from './peers-options.ts'
import { peersSummary } from './peers-report.ts'
import { readPeersResults, writePeersResult } from './peers-results.ts'
import { performanceDocument } from './report.ts'
import { readResults } from './results.ts'
import { startBenchServer } from './servers.ts'
import { withSyncSection } from './sync-report.ts'
import { readSyncResult } from './sync-results.ts'

const DOCUMENT = fileURLToPath(new URL('../docs/performance.md', import.meta.url))

// Without this, Ctrl-C would leave processes running and a folder behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const options = readPeersOptions(process.argv.slice(2))
if (existsSync(new URL('peers/node_modules', import.meta.url))) await benchAll(options)
else {
  console.error('The peers are not installed: run npm --prefix bench/peers ci first.')
  process.exitCode = 1
}

async function benchAll(options: PeersOptions): Promise<void> {
  for (const kind of options.servers) await bench(kind, options)
  if (!options.writes) return
  const document = performanceDocument(await readResults(), await readPeersResults())
  await writeFile(DOCUMENT, withSyncSection(document, await readSyncResult()))
}

async function bench(kind: ServerKind, options: PeersOptions): Promise<void> {
  const say = (what: string) => console.error(`${kind}: ${what}`)
  const server = await startBenchServer(kind)
  if (server === null) return say('none found; name the folder of its programs in BENCH_POSTGRES_BIN')
  try {
    const result = await measurePeers(server, options, say)
    console.log(peersSummary(result))
    if (options.writes) await writePeersResult(result)
  } finally {
    await server.remove()
  }
}
