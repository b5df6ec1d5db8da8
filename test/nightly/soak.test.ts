// Tests a node under mixed load: its memory, file descriptors, and database sessions must not grow.
// STORE_EXPORT_SOAK_MINUTES sets the duration (default: 30). The first five minutes do not count. The test is a part of
// `npm run test:nightly`.

import { readdir, readFile } from 'node:fs/promises'
import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openClientForTest } from '../../packages/operator/test/support/command-process.ts'
import { type FleetStore, nonEphemeralPort, startFleet } from '../../packages/operator/test/support/fleet.ts'

const MINUTES = Number(process.env.STORE_EXPORT_SOAK_MINUTES ?? 30)
const WARM_UP_MINUTES = Math.min(5, MINUTES / 3)
const WORKERS = 6
/** Pause of a worker between two requests, so that the node is sometimes idle, as in production. */
const PAUSE_MS = 30
/**
 * The load is higher during the warm-up, and has bursts. The allocator does not return the memory of its busiest
 * moment. Under a lighter load, the memory would reach the same level over hours, which would look like growth.
 */
const WARM_UP_PAUSE_MS = 3
const BURST_REQUESTS = 48
const BURST_PAUSE_MS = 5000
const SAMPLE_MS = 1000
const SAMPLES_PER_COLLECTION = 30
const SAMPLES_PER_BREAKDOWN = 300
const SLOPE_MEBIBYTES_AN_HOUR_MAX = 1
const BACKENDS_MAX = 4 * 2 + 2

const V8 = `process.getBuiltinModule('v8')`

/** Resources of the node at one time. `resident` is memory in MiB. */
interface Sample {
  readonly hour: number
  readonly resident: number
  readonly descriptors: number
  readonly backends: number
}

test(
  `[ERR-3] after ${MINUTES} minutes of load, memory, file descriptors, and database sessions have not grown`,
  async () => {
    const fleet = await startFleet()
    const stores = [await fleet.addStore(), await fleet.addStore({ revision: 'v1.3' })]
    const inspectorPort = await nonEphemeralPort()
    const node = await fleet.startNode({}, { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}` })
    const inspector = await inspectorAt(inspectorPort)
    // Otherwise, a varying number of V8's pages stays half empty: about a megabyte that no object uses.
    await inspector.call('Runtime.evaluate', { expression: `${V8}.setFlagsFromString('--compact-on-every-full-gc')` })
    const processId = node.process().process.pid ?? 0
    const watcher = openClientForTest(fleet.controlUrl)
    const [startedAt, until] = [performance.now(), performance.now() + MINUTES * 60_000]
    const warmUntil = startedAt + WARM_UP_MINUTES * 60_000
    const counts = new Map<number, number>()
    const working = Array.from({ length: WORKERS }, (_, worker) =>
      work({ url: node.url, stores, until, counts }, { worker, warmUntil }),
    )
    const bursts = sendBursts({ url: node.url, stores, until: warmUntil - BURST_PAUSE_MS, counts })
    const samples: Sample[] = []
    const breakdowns: string[] = []
    while (performance.now() < until) {
      await delay(SAMPLE_MS)
      const hour = (performance.now() - startedAt) / 3_600_000
      if (hour * 60 < WARM_UP_MINUTES) continue
      const [row] = await watcher.unsafe<[{ backends: number }]>(
        `select count(*)::int as backends from pg_stat_activity where application_name = 'store-export'
          and usename like 'store_export_reader_%' and datname in (${stores.map(nameOf).join(', ')})`,
      )
      // Without this, V8 may collect garbage only after an hour.
      if (samples.length % SAMPLES_PER_COLLECTION === 0) await inspector.call('HeapProfiler.collectGarbage')
      if (samples.length % SAMPLES_PER_BREAKDOWN === 0)
        breakdowns.push(`${await residentByKind(processId)}, of it ${await heapSpaces(inspector)}`)
      const descriptors = (await readdir(`/proc/${processId}/fd`)).length
      samples.push({ hour, resident: await residentMebibytes(processId), descriptors, backends: row.backends })
    }
    await Promise.all([...working, bursts])
    const lowest = lowestOfEachMinute(samples)
    const slope = slopeOf(lowest)
    const residents = samples.map(({ resident }) => resident)
    const [least, most] = [Math.min(...residents), Math.max(...residents)].map((mebibytes) => mebibytes.toFixed(1))
    const responses = [...counts].map(([status, count]) => `${count} of ${status}`).join(', ')
    const descriptorsMost = Math.max(...samples.map(({ descriptors }) => descriptors))
    const backendsMost = Math.max(...samples.map(({ backends }) => backends))
    console.log(
      `measured: responses: ${responses}; resident memory between ${least} and ${most} MiB, with a trend of ${slope.toFixed(2)} MiB per hour; at most ${descriptorsMost} file descriptors and ${backendsMost} database sessions`,
    )
    const lowestText = lowest.map(({ resident }) => resident.toFixed(1)).join(' ')
    console.log(`resident MiB, lowest of each minute: ${lowestText}\nresident MiB by kind: ${breakdowns.join('; ')}`)
    expect([...counts.keys()].sort()).toEqual([200, 400, 401, 404])
    expect(backendsMost).toBeLessThanOrEqual(BACKENDS_MAX)
    const descriptors = samples.map((sample) => ({ hour: sample.hour, resident: sample.descriptors }))
    // In a shorter test, the noise is larger than the limits.
    if (MINUTES < 30) return
    expect(Math.abs(slopeOf(lowestOfEachMinute(descriptors)))).toBeLessThan(10)
    expect(slope).toBeLessThan(SLOPE_MEBIBYTES_AN_HOUR_MAX)
  },
  (MINUTES + 3) * 60_000,
)

type Point = Pick<Sample, 'hour' | 'resident'>

interface Load {
  readonly url: string
  readonly stores: readonly FleetStore[]
  readonly until: number
  readonly counts: Map<number, number>
}

/** Sends requests for pages, IDs, and rows by ID, wrong parameters, and wrong keys. Closes some connections early. */
async function work(
  { url, stores, until, counts }: Load,
  { worker, warmUntil }: { worker: number; warmUntil: number },
): Promise<void> {
  const paths = [
    '/orders?limit=250',
    '/products?limit=50',
    '/customers?limit=100&updated_since=2020-01-01T00:00:00Z',
    '/ids/orders',
    '/store',
    '/orders?status=paid',
    '/orders/00000000-0000-4000-8000-000000000000',
    '/orders?limit=0',
  ]
  for (let n = worker; performance.now() < until; n++) {
    const key = n % 41 === 0 ? 'sdx_wrong' : (stores[n % stores.length]?.key ?? '')
    const path = paths[n % paths.length] ?? ''
    if (n % 13 === 0) await closeEarly(`${url}/api/v1/orders?limit=250`, key)
    else {
      const response = await fetch(`${url}/api/v1${path}`, { headers: { 'x-api-key': key } })
      await response.arrayBuffer()
      counts.set(response.status, (counts.get(response.status) ?? 0) + 1)
    }
    await delay(performance.now() < warmUntil ? WARM_UP_PAUSE_MS : PAUSE_MS)
  }
}

/** Sends bursts of simultaneous requests for full pages. */
async function sendBursts({ url, stores, until, counts }: Load): Promise<void> {
  while (performance.now() < until) {
    const requests = Array.from({ length: BURST_REQUESTS }, async (_, n) => {
      const key = stores[n % stores.length]?.key ?? ''
      const response = await fetch(`${url}/api/v1/orders?limit=250`, { headers: { 'x-api-key': key } })
      await response.arrayBuffer()
      counts.set(response.status, (counts.get(response.status) ?? 0) + 1)
    })
    await Promise.all(requests)
    await delay(BURST_PAUSE_MS)
  }
}

function closeEarly(url: string, key: string): Promise<void> {
  return new Promise((resolve) => {
    const request = http.get(url, { headers: { 'x-api-key': key }, agent: false }, (response) => {
      response.once('data', () => request.destroy())
    })
    request.on('error', () => undefined)
    request.on('close', resolve)
  })
}

/** Returns the database's name as an SQL literal. */
function nameOf({ readerUrl }: FleetStore): string {
  return `'${new URL(readerUrl).pathname.slice(1)}'`
}

interface Inspector {
  /** Calls a method of the inspector protocol. */
  // biome-ignore lint/suspicious/noExplicitAny: each method returns another type
  call(method: string, params?: object): Promise<any>
}

async function inspectorAt(port: number): Promise<Inspector> {
  const response = await fetch(`http://127.0.0.1:${port}/json`)
  const [target] = (await response.json()) as [{ webSocketDebuggerUrl: string }]
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  onTestFinished(() => socket.close())
  let calls = 0
  return {
    call: (method, params = {}) =>
      new Promise((resolve) => {
        const id = ++calls
        socket.addEventListener('message', function receive({ data }) {
          const message = JSON.parse(String(data))
          if (message.id !== id) return
          socket.removeEventListener('message', receive)
          resolve(message.result)
        })
        socket.send(JSON.stringify({ id, method, params }))
      }),
  }
}

/** Returns the used and the resident MiB of V8's spaces that have at least 0.25 MiB. */
async function heapSpaces({ call }: Inspector): Promise<string> {
  const expression = `JSON.stringify(${V8}.getHeapSpaceStatistics())`
  const { result } = await call('Runtime.evaluate', { expression })
  const spaces = JSON.parse(result.value) as readonly Record<string, string & number>[]
  const mebibytes = (bytes = 0) => (bytes / 2 ** 20).toFixed(2)
  return spaces
    .filter(({ physical_space_size: physical = 0 }) => physical >= 2 ** 18)
    .map((each) => `${each.space_name} ${mebibytes(each.space_used_size)}/${mebibytes(each.physical_space_size)}`)
    .join(' ')
}

async function residentMebibytes(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

/** Returns the resident MiB of each kind of memory. If memory grows, this shows which kind grows. */
async function residentByKind(processId: number): Promise<string> {
  const sums = new Map<string, number>()
  let kind = ''
  for (const line of (await readFile(`/proc/${processId}/smaps`, 'utf8')).split('\n')) {
    const mapping = /^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \S+\s*(.*)$/.exec(line)
    if (mapping !== null) kind = kindOf(mapping[1] ?? '', mapping[2] ?? '')
    const kibibytes = Number(/^Rss:\s+(\d+) kB$/.exec(line)?.[1] ?? 0)
    sums.set(kind, (sums.get(kind) ?? 0) + kibibytes)
  }
  return [...sums]
    .filter(([, kibibytes]) => kibibytes >= 1024)
    .map(([name, kibibytes]) => `${name} ${(kibibytes / 1024).toFixed(2)}`)
    .join(' ')
}

function kindOf(permissions: string, path: string): string {
  if (path === '[heap]') return 'malloc'
  if (path !== '') return 'files'
  return permissions.includes('x') ? 'code' : 'objects'
}

/**
 * Returns the lowest sample of each whole minute, which is the memory after a garbage collection. Samples after the
 * last whole minute precede a collection, so they would look like growth.
 */
function lowestOfEachMinute(samples: readonly Point[]): Point[] {
  const lowest = new Map<number, Point>()
  for (const sample of samples) {
    const minute = Math.floor(sample.hour * 60)
    if (minute >= MINUTES) continue
    const known = lowest.get(minute)
    if (known === undefined || sample.resident < known.resident) lowest.set(minute, sample)
  }
  return [...lowest.values()]
}

/**
 * Returns the growth per hour: the median of the slopes between all pairs of points (Theil–Sen estimator). Constant
 * growth changes it fully. A single step, such as one more block of the allocator, hardly changes it.
 */
function slopeOf(points: readonly Point[]): number {
  const slopes = points.flatMap((from, index) =>
    points.slice(index + 1).map((to) => (to.resident - from.resident) / (to.hour - from.hour)),
  )
  slopes.sort((a, b) => a - b)
  return slopes[Math.floor(slopes.length / 2)] ?? 0
}
