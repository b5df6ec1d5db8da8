// Processor time of a server's process, by the clock that fits its use of threads.

import { readFile } from 'node:fs/promises'
import { processorTimeOf } from '../lib/processor-time.ts'

/**
 * `threads`: nanoseconds of the live threads, for processes that keep their threads, as Node does. `process`: steps of
 * 10 ms including ended threads, for processes whose threads start and end with requests.
 */
export type PeerClock = 'threads' | 'process'

const TICK_MILLISECONDS = 10

/** Milliseconds of processor time of the process. */
export async function readClock(clock: PeerClock, processId: number): Promise<number> {
  if (clock === 'threads') return processorTimeOf(processId)
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8')
  // After the name, which may contain spaces, utime and stime are the 12th and 13th.
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MILLISECONDS
}
