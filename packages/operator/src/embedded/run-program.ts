// Runs one of PostgreSQL's programs to its end, as an account, with a clean environment.
import { spawn } from 'node:child_process'
import { type Account, asAccount } from './account.ts'

/** How a program ended: `code` is null when a signal or a failed start ended it; `output` holds both streams. */
export type ProgramResult = { code: number | null; output: string }

/** The environment of PostgreSQL's programs: nothing of ours (PGDATA, PGPORT, ...), English words, UTC. */
export const ENVIRONMENT = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Runs the program and waits; never rejects. The child is ended when this process exits before it. */
export function runProgram(program: string, parameters: readonly string[], account: Account): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      ...asAccount(account),
      // the account may not be allowed to stand where we stand
      cwd: '/',
      env: ENVIRONMENT,
      // a terminal's Ctrl-C reaches us only, and we decide what happens to a cluster that is half made
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
