// How long whole pages keep the event loop of the service from other requests at a time: by how much a timer of a
// millisecond comes late while one client reads pages without a pause.

import type { Child } from '../lib/child.ts'
import type { LoopHolds } from '../lib/service-process.ts'
import type { BurstStart } from './load-process.ts'

const WATCHED_MS = 5000

/** Whose loop is watched, and what is asked for meanwhile. */
export interface Watching {
  readonly service: Child
  /** A process that was started as load-process.ts says. */
  readonly load: Child
  readonly start: BurstStart
}

/** The holds during five seconds of requests, in ms. */
export async function measureHolds({ service, load, start }: Watching): Promise<LoopHolds> {
  await load.call('start', start)
  await service.call('watchLoop', null)
  await load.call('run', WATCHED_MS)
  return (await service.call('loopHolds', null)) as LoopHolds
}
