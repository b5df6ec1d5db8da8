// Cleans up after an earlier run: removes the lock of a dead server, and stops an orphaned server. If another process
// uses the server, the cleanup fails.
import { readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { alreadyRunning } from './embedded-postgres-error.ts'
import { lockFile, readLock } from './lock-file.ts'
import type { EmbeddedNotice } from './notice.ts'
import { findServer, processIdentity } from './process-identity.ts'

/**
 * Prepares a start in the cluster: removes the lock of a dead server, or stops an orphan. Does nothing without a lock.
 * Rejects with `EmbeddedPostgresError` if the cluster is in use.
 */
export async function clearLeftovers(cluster: string, onNotice: (notice: EmbeddedNotice) => void): Promise<void> {
  const lock = await readLock(cluster)
  if (lock === undefined) return
  const { processId } = lock
  const server = await findServer(processId, cluster)
  if (server === undefined) {
    // PostgreSQL also removes this lock, unless another program has the process ID of the dead server.
    await rm(lockFile(cluster), { force: true })
    return onNotice({
      type: 'stale-lock',
      text: `Removed the lock of a PostgreSQL that no longer runs (process ${processId}).`,
    })
  }
  if (!(await isOrphan(server.owner))) throw alreadyRunning(cluster, processId)
  await stopOrphan(processId)
  onNotice({
    type: 'orphan-stopped',
    text: `Stopped the PostgreSQL of a killed run (process ${processId}).`,
  })
}

/**
 * Removes the sockets of dead servers. Their locks would prevent a start if another program has the same process ID.
 */
export async function clearSockets(socketFolder: string, cluster: string): Promise<void> {
  for (const name of await readdir(socketFolder)) {
    const lock = /^(\.s\.PGSQL\.\d+)\.lock$/.exec(name)
    if (lock?.[1] === undefined) continue
    const text = await readFile(path.join(socketFolder, name), 'utf8').catch(() => '')
    if ((await findServer(Number.parseInt(text, 10), cluster)) !== undefined) continue
    await rm(path.join(socketFolder, lock[1]), { force: true })
    await rm(path.join(socketFolder, name), { force: true })
  }
}

/** Whether the process that started the server has ended, and was a process of this program. */
async function isOrphan(owner: string | undefined): Promise<boolean> {
  if (owner === undefined) return false
  // An identity begins with the process ID.
  return (await processIdentity(Number.parseInt(owner, 10))) !== owner
}

/** Maximum time for an orphan to exit after each signal. */
const SIGNAL_TIMEOUT_MS = 10_000

/** Stops the server: first with a fast shutdown (SIGINT), then an immediate one (SIGQUIT), and at last with SIGKILL. */
async function stopOrphan(processId: number): Promise<void> {
  const identity = await processIdentity(processId)
  const isGone = async (): Promise<boolean> => (await processIdentity(processId)) !== identity
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (identity === undefined || (await isGone())) return
    process.kill(processId, signal)
    for (let waited = 0; waited < SIGNAL_TIMEOUT_MS; waited += 20) {
      if (await isGone()) return
      await sleep(20)
    }
  }
}
