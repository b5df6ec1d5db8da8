// Declares two variants: the key check, and `select 1` as its baseline.

import type { Child } from '../lib/child.ts'
import type { Variant } from '../lib/rounds.ts'

/** Names of the variants in the results, and of the calls that key-check-process.ts handles. */
export const KEY_CHECK = { baseline: 'select 1', name: 'key check' } as const

const STATEMENTS = 1000

/** Returns the variants of both statements. `child` is a process of key-check-process.ts, which runs the statements. */
export function keyCheckVariants(child: Child): Variant[] {
  const { baseline, name } = KEY_CHECK
  const run = async (call: string) => {
    await child.call(call, STATEMENTS)
    // The statements have no bytes to report.
    return 0
  }
  return [
    { name: baseline, processId: child.processId, requests: STATEMENTS, run: () => run(baseline) },
    { name, baseline, processId: child.processId, requests: STATEMENTS, run: () => run(name) },
  ]
}
