// Where a command was typed.

import type { KeySources } from './key.ts'
import type { Output } from './output.ts'

/** Where a command was typed: its variables, who answers questions, where words go, and what ends it. */
export interface Surroundings extends KeySources {
  readonly output: Output
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}
