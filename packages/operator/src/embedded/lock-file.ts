// PostgreSQL's own lock file, `postmaster.pid`: who serves a cluster, where, and whether it is ready.
import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** What the lock file says. `ready` is true once connections are accepted; it may be a dead server's. */
export type Lock = { processId: number; port: number; socketFolder: string; ready: boolean }

/** The path of the lock file in a cluster's folder. */
export function lockFile(cluster: string): string {
  return path.join(cluster, 'postmaster.pid')
}

/** The lock, or undefined when the file is not there or its first line is not written yet. */
export async function readLock(cluster: string): Promise<Lock | undefined> {
  const text = await readFile(lockFile(cluster), 'utf8').catch(() => '')
  // process, folder, start, port, socket folder, address, shared memory, state
  const lines = text.split('\n')
  // a server in single-user mode writes its number as a negative one
  const processId = Math.abs(Number.parseInt(lines[0] ?? '', 10))
  if (!processId) return undefined
  return { processId, port: Number(lines[3]), socketFolder: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' }
}
