import { type ExecFileOptions, execFile } from 'node:child_process'

export interface ExitResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. `code` is NaN if the program did not start, or if a signal ended it. */
export function runProgram(file: string, args: readonly string[], options: ExecFileOptions): Promise<ExitResult> {
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      // `error.code` is null after a signal.
      const code = error === null ? 0 : Number(error.code ?? Number.NaN)
      resolve({ code, stdout: String(stdout), stderr: String(stderr) })
    })
  })
}
