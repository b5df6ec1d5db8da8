// Finds out without a connection whether the server of a cluster is ready, and where its socket is. The source is
// PostgreSQL's lock file `postmaster.pid`.

import { readFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * The content of the lock file. `ready` means that the server accepts connections. Before that, `port` can be NaN and
 * `socketFolder` empty. The server can also be dead.
 */
export type Lock = { processId: number; port: number; socketFolder: string; ready: boolean }

export function lockFile(cluster: string): string {
  return path.join(cluster, 'postmaster.pid')
}

/** Returns the content of the lock file; undefined if the file doesn't exist or its first line is not written yet. */
export async function readLock(cluster: string): Promise<Lock | undefined> {
  const text = await readFile(lockFile(cluster), 'utf8').catch(() => '')
  // The lines are: process, folder, start, port, socket folder, address, shared memory, state.
  const lines = text.split('\n')
  // A server in single-user mode writes a negative process ID.
  const processId = Math.abs(Number.parseInt(lines[0] ?? '', 10))
  if (!processId) return undefined
  return { processId, port: Number(lines[3]), socketFolder: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' }
}
