// Loaded into a measured process before its own code (`node --import`). At its end, writes its usage as JSON to the
// file that BENCH_USAGE_FILE names.

import { readFileSync, writeFileSync } from 'node:fs'

/** Usage of a process from its start to its end. */
export interface Usage {
  /** Processor time of all its threads. */
  readonly cpuMs: number
  /** Maximum resident memory. */
  readonly residentMebibytes: number
}

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  // `resourceUsage().maxRSS` includes the parent's memory from before the program was loaded
  const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
  const usage: Usage = { cpuMs: (user + system) / 1000, residentMebibytes: peak / 1024 }
  writeFileSync(process.env.BENCH_USAGE_FILE ?? '', JSON.stringify(usage))
})
