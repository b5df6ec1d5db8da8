// Processor time of a peer's process, by the clock that fits how it uses threads.

import { readFile } from 'node:fs/promises'
import { processorTimeOf } from '../lib/processor-time.ts'

/**
 * `threads`: to the nanosecond, of the threads that live; for processes that keep theirs, as Node does. `process`: in
 * steps of 10 ms, with the threads that have ended; for those whose threads come and go with requests.
 */
export type PeerClock = 'threads' | 'process'

const TICK_MILLISECONDS = 10

/** Milliseconds of processor time that the process has used. */
export async function readClock(clock: PeerClock, processId: number): Promise<number> {
  if (clock === 'threads') return processorTimeOf(processId)
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8')
  // Behind the name, which may hold blanks, utime and stime are the 12th and 13th.
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MILLISECONDS
}
