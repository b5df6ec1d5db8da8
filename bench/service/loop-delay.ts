// Measures how long the pages that a client reads delay the service's other requests, because the service runs
// JavaScript on one thread. The measure is the delay of a 1 ms timer while the client reads pages without a pause.

import type { Child } from '../lib/child.ts'
import type { LoopDelay } from '../lib/service-process.ts'
import type { BurstStart } from './load-process.ts'

const WATCHED_MS = 5000

/** The process to measure, and the requests during the measurement. */
export interface Watching {
  readonly service: Child
  /** A process of load-process.ts. */
  readonly load: Child
  readonly start: BurstStart
}

/** Returns the delays during five seconds of requests, in ms. */
export async function measureLoopDelay({ service, load, start }: Watching): Promise<LoopDelay> {
  await load.call('start', start)
  await service.call('watchLoop', null)
  await load.call('run', WATCHED_MS)
  return (await service.call('readLoopDelay', null)) as LoopDelay
}
