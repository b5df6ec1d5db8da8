// Creates the copy for `--to singer`. A Singer copy has no file of its own, so `--state` names a file with the states
// that the target of the previous run printed.

import { readFile } from 'node:fs/promises'
import type { SingerCopy } from '../copies/singer/singer-copy.ts'
import type { CliOutput } from './cli-output.ts'
import { CommandLineError } from './command-line-error.ts'

/** Value of `--to` for messages of the Singer specification on standard output. */
export const SINGER = 'singer'

/** Options of a run that are checked against `--to singer`. */
interface SingerOptions {
  readonly to: string
  readonly state?: string
  readonly json?: true
  readonly every?: string
}

/** Throws `CommandLineError` if an option cannot be used with this `--to`. */
export function checkSingerOptions({ to, state, json, every }: SingerOptions): void {
  if (to !== SINGER) {
    if (state !== undefined) throw new CommandLineError('--state: can only be used with --to singer')
    return
  }
  if (json) throw new CommandLineError('--json: cannot be combined with --to singer, which prints its own messages')
  if (every !== undefined)
    throw new CommandLineError(
      '--every: cannot be combined with --to singer; let a scheduler start each run with --state',
    )
}

/**
 * Returns a copy that continues from the state in the last line of `stateFile`. Without `stateFile`, returns a new
 * copy. Throws `CommandLineError` if the file cannot be read, or if its last line is no state.
 */
export async function createSingerCopy(stateFile: string | undefined, output: CliOutput): Promise<SingerCopy> {
  const { SingerCopy } = await import('../copies/singer/singer-copy.ts')
  const { parseSingerState } = await import('../copies/singer/singer-state.ts')
  const write = (text: string) => output.writeData(text)
  if (stateFile === undefined) return new SingerCopy({ write })
  try {
    // A target prints a line for each state that it has saved. The last line counts.
    const lines = (await readFile(stateFile, 'utf8')).trim().split('\n')
    return new SingerCopy({ write, state: parseSingerState(lines.at(-1) ?? '') })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandLineError(`--state: must be a file with the last state that the target printed; ${reason}`, {
      cause,
    })
  }
}
