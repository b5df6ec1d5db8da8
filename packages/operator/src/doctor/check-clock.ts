// Checks the clock of a server. Pure.

import type { DoctorCheck } from './report.ts'

/** With a larger difference, timestamps in the log and in responses contradict each other. */
const DIFFERENCE_MS_MAX = 2000

/** Checks a clock that is `aheadMs` ahead of the clock of this machine. */
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
