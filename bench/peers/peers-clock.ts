// Reads the processor time of a server's process, by a clock that fits the process's use of threads.

import { readFile } from 'node:fs/promises'
import { processorTimeOf } from '../lib/processor-time.ts'

/**
 * The clock of a process:
 * - `threads`: nanoseconds of the live threads, for processes whose threads last, such as Node.js.
 * - `process`: steps of 10 ms including ended threads, for processes whose threads start and end with requests.
 */
export type PeerClock = 'threads' | 'process'

const TICK_MILLISECONDS = 10

/** Returns the processor time of the process, in ms. */
export async function readClock(clock: PeerClock, processId: number): Promise<number> {
  if (clock === 'threads') return processorTimeOf(processId)
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8')
  // After the name, which may contain spaces, utime and stime are the 12th and 13th fields.
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MILLISECONDS
}
