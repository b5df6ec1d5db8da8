// Declares two variants: the key check, and `select 1` as its baseline.

import type { Child } from '../lib/child.ts'
import type { Variant } from '../lib/rounds.ts'

/** Names of the variants in the results, and of the calls that key-check-process.ts handles. */
export const KEY_CHECK = { baseline: 'select 1', name: 'key check' } as const

const STATEMENTS = 1000

/** Returns variants for both statements. A process of key-check-process.ts runs them. */
export function keyCheckVariants(child: Child): Variant[] {
  const { baseline, name } = KEY_CHECK
  const run = async (call: string) => {
    await child.call(call, STATEMENTS)
    return 0
  }
  return [
    { name: baseline, processId: child.processId, requests: STATEMENTS, run: () => run(baseline) },
    { name, baseline, processId: child.processId, requests: STATEMENTS, run: () => run(name) },
  ]
}
