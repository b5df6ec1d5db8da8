// Runs a program, such as initdb or a shell, as an account, with a clean environment.
import { spawn } from 'node:child_process'
import { type Account, asAccount } from './account.ts'

/**
 * The result of a program. `code` is null after a signal or a failed start. `output` contains both streams, and the
 * error of a failed start.
 */
export type ProgramResult = { code: number | null; output: string }

/**
 * The environment of PostgreSQL's programs: English messages, UTC, and no variables of this process, such as PGDATA.
 */
export const ENVIRONMENT = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Runs a program. Never rejects. The program is terminated if this process exits first. */
export function runProgram(program: string, parameters: readonly string[], account: Account): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      ...asAccount(account),
      // The account may be unable to enter the current directory.
      cwd: '/',
      env: ENVIRONMENT,
      // Ctrl-C in a terminal reaches only this process, which then cleans up.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const chunks: Buffer[] = []
    const finish = (code: number | null, more = ''): void => {
      process.off('exit', onExit)
      resolve({ code, output: Buffer.concat(chunks).toString('utf8') + more })
    }
    const onExit = (): void => void child.kill('SIGTERM')
    process.on('exit', onExit)
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => finish(null, error.message))
    child.on('close', (code) => finish(code))
  })
}
