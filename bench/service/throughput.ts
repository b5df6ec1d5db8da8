// Measures requests per second and the processor time of each, with different numbers of connections. Short bursts take
// turns, like the variants in rounds.ts. The client runs in a separate process.

import type { Child } from '../lib/child.ts'
import type { BurstSize } from '../lib/options.ts'
import { processorTimeOf, processorTimeOfServer } from '../lib/processor-time.ts'
import type { ThroughputFigure } from '../lib/results.ts'
import { median } from '../lib/rounds.ts'
import type { Burst, BurstStart } from './load-process.ts'

const CONNECTIONS = [1, 8, 32] as const

/** A kind of request. */
export interface BurstRequests {
  /** Name of the kind in the results. */
  readonly what: string
  /** Paths that the connections request in turn. */
  readonly paths: readonly string[]
}

/** The service and its client. */
export interface Throughput {
  readonly service: Child
  readonly serverProcessId: number
  /** A process of load-process.ts. */
  readonly load: Child
  readonly url: string
  readonly key: string
  readonly size: BurstSize
}

/** Returns the medians of the bursts, one figure for each kind of request and number of connections. */
export async function measureThroughput(
  throughput: Throughput,
  kinds: readonly BurstRequests[],
): Promise<ThroughputFigure[]> {
  const combinations = kinds.flatMap((kind) => CONNECTIONS.map((connections) => ({ ...kind, connections })))
  const bursts = combinations.map((combination) => ({ ...combination, samples: [] as BurstSample[] }))
  // One additional round warms up.
  for (let round = 0; round <= throughput.size.rounds; round++) {
    const turn = round % bursts.length
    for (const { samples, paths, connections } of [...bursts.slice(turn), ...bursts.slice(0, turn)]) {
      const sample = await measureBurst(throughput, { paths, connections })
      if (round > 0) samples.push(sample)
    }
  }
  return bursts.map(figureOf)
}

interface BurstSample {
  readonly requestsPerSecond: number
  readonly processMs: number
  readonly databaseMs: number
  readonly clientMs: number
  readonly failed: number
}

async function measureBurst(
  { service, serverProcessId, load, url, key, size }: Throughput,
  { paths, connections }: Pick<BurstStart, 'paths' | 'connections'>,
): Promise<BurstSample> {
  const start: BurstStart = { url, key, paths, connections }
  await load.call('start', start)
  const times = () =>
    Promise.all([
      processorTimeOf(service.processId),
      processorTimeOfServer(serverProcessId),
      processorTimeOf(load.processId),
    ])
  const before = await times()
  const { completed, failed, wallMs } = (await load.call('run', size.milliseconds)) as Burst
  const after = await times()
  return {
    requestsPerSecond: completed / (wallMs / 1000),
    processMs: (after[0] - before[0]) / completed,
    databaseMs: (after[1] - before[1]) / completed,
    clientMs: (after[2] - before[2]) / completed,
    failed,
  }
}

function figureOf({ what, connections, samples }: { what: string; connections: number; samples: BurstSample[] }) {
  const middle = (figure: keyof BurstSample) => median(samples.map((sample) => sample[figure]))
  return {
    what,
    connections,
    requestsPerSecond: middle('requestsPerSecond'),
    processMs: middle('processMs'),
    databaseMs: middle('databaseMs'),
    clientMs: middle('clientMs'),
    failed: samples.reduce((total, { failed }) => total + failed, 0),
  }
}
