// Compares the clock of a server with this machine's. If they differ, timestamps in the log contradict those in
// responses. read-store.ts measures the difference.

import type { DoctorCheck } from './report.ts'

/** Maximum difference of two clocks in ms, which allows for network latency and normal drift. */
const DIFFERENCE_MS_MAX = 2000

/** Checks a clock that is `aheadMs` ahead of this machine's clock. A negative value means behind. */
export function checkClock(aheadMs: number): DoctorCheck {
  const difference = `${Math.abs(aheadMs).toLocaleString('en')} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`
  const isFar = Math.abs(aheadMs) > DIFFERENCE_MS_MAX
  return {
    name: 'clock',
    summary: difference,
    findings: isFar
      ? [
          {
            severity: 'warning',
            code: 'clock_difference',
            message: `the clock of the server is ${difference}`,
            fix: 'timedatectl set-ntp true # on both machines',
          },
        ]
      : [],
  }
}
