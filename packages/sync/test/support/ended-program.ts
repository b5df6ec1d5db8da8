// Runs a program to its end, and tells how that was.

import { type ExecFileOptions, execFile } from 'node:child_process'

/** How a program has ended. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `file` with these words. */
export function endedProgram(file: string, words: readonly string[], options: ExecFileOptions): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, words, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout: String(stdout), stderr: String(stderr) })
    })
  })
}
