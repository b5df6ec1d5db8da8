// How far a server's clock is from ours. Pure.

import type { DoctorCheck } from './report.ts'

/** Beyond it, times in the log and in responses contradict each other. */
const DIFFERENCE_MS_MAX = 2000

/** The check of a clock that is `aheadMs` ahead of this machine's. */
export function checkClock(aheadMs: number): DoctorCheck {
  const words = `${Math.abs(aheadMs).toLocaleString('en')} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`
  const isFar = Math.abs(aheadMs) > DIFFERENCE_MS_MAX
  return {
    name: 'clock',
    summary: words,
    findings: isFar
      ? [
          {
            severity: 'warning',
            code: 'clock_difference',
            message: `the server’s clock is ${words}`,
            fix: 'timedatectl set-ntp true # on both machines',
          },
        ]
      : [],
  }
}
