import type { ApiKeySources } from './api-key.ts'
import type { CliOutput } from './cli-output.ts'

/** The parts of the process that a command uses: environment, prompt, output streams, and the signal that stops it. */
export interface CliContext extends ApiKeySources {
  readonly output: CliOutput
  /** Aborted by SIGINT (Ctrl-C) and SIGTERM. */
  readonly signal: AbortSignal
}
