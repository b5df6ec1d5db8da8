// Runs COPY with libpq: a psql process that reads rows and drops them. Its processor time is that of PostgreSQL's own
// client code, without JavaScript.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants } from 'node:fs/promises'
import path from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { findSystemBinaries } from '../lib/system-postgres.ts'

/** A running psql with one open session. */
export interface Psql {
  readonly processId: number
  /** Runs statements one after another and drops their rows. Rejects if psql exits, as it does after an error. */
  run(statements: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Connects psql to the database at `url`. Resolves to null if the machine has no psql. */
export async function startPsql(url: string): Promise<Psql | null> {
  const program = await findPsql()
  if (program === null) return null
  // -X: no startup file; -q: no messages; -o: file for query output, which includes the rows of COPY.
  const parameters = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null']
  const child = spawn(program, parameters, { env: environmentOf(new URL(url)), stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const run = (statements: readonly string[]) => runStatements(child, lines, statements)
  await run(['select 1'])
  return {
    processId: child.pid ?? 0,
    run,
    close: async () => {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}

async function findPsql(): Promise<string | null> {
  const installed = await findSystemBinaries(process.env.BENCH_POSTGRES_BIN)
  const folders = [installed, ...(process.env.PATH ?? '').split(path.delimiter)].filter((folder) => folder !== null)
  for (const folder of folders) {
    const program = path.join(folder, 'psql')
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return program
  }
  return null
}

function environmentOf({ hostname, port, username, password, pathname }: URL): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  }
}

/** Sends the statements. Then waits for the line that `\echo` prints after the last one. */
async function runStatements(
  child: ChildProcessByStdio<Writable, Readable, null>,
  lines: Interface,
  statements: readonly string[],
): Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('psql ended before it had run its statements')
  })
  child.stdin.write(`${statements.join(';\n')};\n\\echo done\n`)
  try {
    await Promise.race([once(lines, 'line', { signal }), ended])
  } finally {
    // The abort removes both listeners, and rejects `ended`.
    stopping.abort()
    ended.catch(() => undefined)
  }
}
