// Gives a node a quarter of one processor core, so that the node is the bottleneck, and not PostgreSQL.

import { execFileSync, spawn } from 'node:child_process'
import os from 'node:os'

/** Programs that use the core of the node all the time. */
const BUSY_PROGRAMS = 3

/**
 * Moves the process to the first core, and this one to the other cores. Starts busy programs on the first core, which
 * end with this process. Throws if there is only one core, or if `taskset` is missing, which Linux has.
 */
export function slowDown(processId: number): void {
  const cores = os.availableParallelism()
  if (cores < 2) throw new Error('only one processor core; the option --bottleneck node needs two')
  moveTo(processId, '0')
  moveTo(process.pid, `1-${cores - 1}`)
  for (let count = 0; count < BUSY_PROGRAMS; count++) {
    const program = spawn('taskset', ['--cpu-list', '0', process.execPath, '--eval', 'for (;;);'], { stdio: 'ignore' })
    program.unref()
    process.once('exit', () => program.kill('SIGKILL'))
  }
}

function moveTo(processId: number, cores: string): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(processId)])
}
