// Measures the service on the embedded PostgreSQL and, if there is one, on an installed one. Prints the results, and
// stores them in bench/results and in docs/concepts/performance.md with its chart. Doesn't check the results.
//
// Run: npm run bench. With `--quick`, it only prints.

import { type BenchOptions, readOptions, type ServerKind } from './lib/options.ts'
import { withRatiosBefore, writeResult } from './lib/results.ts'
import { startBenchServer } from './lib/servers.ts'
import { writeDocument } from './service/document.ts'
import { measureServer } from './service/measure.ts'
import { summary } from './service/report.ts'

// Without this handler, Ctrl-C would leave a server and its folder.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const options = readOptions(process.argv.slice(2))
for (const kind of options.servers) await bench(kind, options)
if (options.writes) await writeDocument()

async function bench(kind: ServerKind, options: BenchOptions): Promise<void> {
  const log = (what: string) => console.error(`${kind}: ${what}`)
  const server = await startBenchServer(kind)
  if (server === null) return log('none found; name the folder of its programs in BENCH_POSTGRES_BIN')
  try {
    const result = await withRatiosBefore(await measureServer(server, options, log))
    console.log(summary(result))
    if (options.writes) await writeResult(result)
  } finally {
    await server.remove()
  }
}
