// Measures the processor time of the spans and metrics of a request, compared with that of the request. A separate
// process creates them, because their time is below the noise of a service.
//
// Run: npm run bench:opentelemetry.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pagePath } from './lib/api-client.ts'
import { startChild } from './lib/child.ts'
import { type Dataset, makeDataset } from './lib/dataset.ts'
import { readOptions } from './lib/options.ts'
import { processorTimeOf } from './lib/processor-time.ts'
import { median, medianOf, runRounds } from './lib/rounds.ts'
import { startBenchServer } from './lib/servers.ts'
import { requests } from './service/page-variants.ts'
import { runService } from './service/running-service.ts'

const TELEMETRY = new URL('service/telemetry-process.ts', import.meta.url)
/** Number of requests before the measured ones, so that V8 has compiled the code of the SDK. */
const WARM_UP = 60_000
const REQUESTS = 20_000
const PAGES = { 'orders, pages of 250': ['orders', 250], 'customers, pages of 50': ['customers', 50] } as const
const PAGES_PER_ROUND = 20
/** Environment variables of the SDK, by what it sends. */
const MODES = {
  nothing: { OTEL_SDK_DISABLED: 'true' },
  metrics: { OTEL_TRACES_EXPORTER: 'none' },
  'metrics and one trace in ten': {},
  'metrics and every trace': { OTEL_TRACES_SAMPLER: 'always_on' },
} as const

const { servers, orders, rounds } = readOptions(process.argv.slice(2))
const times = await telemetryTimes()
for (const kind of servers) {
  const server = await startBenchServer(kind)
  if (server === null) throw new Error(`there is no ${kind} PostgreSQL on this machine`)
  try {
    const dataset = await makeDataset(server, orders)
    await report(dataset, server.processId).finally(() => dataset.sql.end())
  } finally {
    await server.remove()
  }
}

/** Returns the median processor time of a request's telemetry in ms, for each mode. That of `nothing` is subtracted. */
async function telemetryTimes(): Promise<ReadonlyMap<string, number>> {
  await using running = new AsyncDisposableStack()
  const collector = createServer((request, response) => request.resume().on('end', () => response.end()))
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  running.defer(() => {
    collector.closeAllConnections()
    collector.close()
  })
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const children = new Map<string, { readonly child: ReturnType<typeof startChild>; readonly times: number[] }>()
  for (const [mode, environment] of Object.entries(MODES)) {
    const child = running.adopt(startChild(TELEMETRY), (child) => child.close())
    await child.call('start', { OTEL_EXPORTER_OTLP_ENDPOINT, ...environment })
    await child.call('run', WARM_UP)
    children.set(mode, { child, times: [] })
  }
  for (let round = 0; round < rounds; round++)
    for (const { child, times } of children.values()) {
      const before = await processorTimeOf(child.processId)
      await child.call('run', REQUESTS)
      times.push(((await processorTimeOf(child.processId)) - before) / REQUESTS)
    }
  const idle = median(children.get('nothing')?.times ?? [])
  return new Map([...children].map(([mode, { times }]) => [mode, median(times) - idle]))
}

async function report(dataset: Dataset, serverProcessId: number): Promise<void> {
  await using running = await runService(dataset)
  const variants = Object.entries(PAGES).map(([name, [list, limit]]) => {
    const paths = Array.from({ length: PAGES_PER_ROUND }, () => pagePath(list, limit, null))
    return requests(running, { name, paths: () => paths })
  })
  const samples = await runRounds(variants, { rounds, serverProcessId })
  console.log(`\n${dataset.version}, ${rounds} rounds\n`)
  console.log('| Page | Page, ms | Sent | Spans and metrics, µs | Share of the processor time of the page |')
  console.log('| --- | ---: | --- | ---: | ---: |')
  for (const [name, of] of samples)
    for (const [mode, time] of times) {
      const page = medianOf(of, 'totalMs')
      const share = `${((100 * time) / page).toFixed(1)} %`
      console.log(`| ${name} | ${page.toFixed(2)} | ${mode} | ${(1000 * time).toFixed(1)} | ${share} |`)
    }
}
