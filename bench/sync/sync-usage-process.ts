// Loaded into a measured process before its own code (`node --import`): when it ends, it tells what it has used, as JSON in
// the file that BENCH_USAGE_FILE names.

import { readFileSync, writeFileSync } from 'node:fs'

/** What a process used from its beginning to its end. */
export interface Usage {
  /** Processor time of all its threads. */
  readonly cpuMs: number
  /** Most memory that was resident at once. */
  readonly residentMebibytes: number
}

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  // `resourceUsage().maxRSS` counts that of the parent, from before the program was loaded
  const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
  const usage: Usage = { cpuMs: (user + system) / 1000, residentMebibytes: peak / 1024 }
  writeFileSync(process.env.BENCH_USAGE_FILE ?? '', JSON.stringify(usage))
})
