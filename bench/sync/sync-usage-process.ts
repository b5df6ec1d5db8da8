// Reports the usage of a measured process, which loads this module before its own code (`node --import`). At the end of
// the process, writes the usage as JSON to the file in BENCH_USAGE_FILE.

import { readFileSync, writeFileSync } from 'node:fs'

/** Usage of a process from its start to its end. */
export interface Usage {
  /** Processor time of all threads, in ms. */
  readonly cpuMs: number
  /** Maximum resident memory. */
  readonly residentMebibytes: number
}

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  // `resourceUsage().maxRSS` includes the parent's memory from before the program was loaded.
  const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
  const usage: Usage = { cpuMs: (user + system) / 1000, residentMebibytes: peak / 1024 }
  writeFileSync(process.env.BENCH_USAGE_FILE ?? '', JSON.stringify(usage))
})
