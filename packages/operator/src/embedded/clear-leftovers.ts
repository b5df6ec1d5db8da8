// What an earlier run left: a lock of a dead server is removed, an orphan is stopped, a server that somebody still
// uses is left alone and named.
import { readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { alreadyRunning } from './embedded-postgres-error.ts'
import { lockFile, readLock } from './lock-file.ts'
import type { EmbeddedNotice } from './notice.ts'
import { findServer, processIdentity } from './process-identity.ts'

/** Clears the way for a start in the cluster, or throws an EmbeddedPostgresError when it is in use. */
export async function clearLeftovers(cluster: string, onNotice: (notice: EmbeddedNotice) => void): Promise<void> {
  const lock = await readLock(cluster)
  if (lock === undefined) return
  const { processId } = lock
  const server = await findServer(processId, cluster)
  if (server === undefined) {
    // PostgreSQL does this too, except when another program has got the dead server's process number
    await rm(lockFile(cluster), { force: true })
    return onNotice({
      type: 'stale-lock',
      text: `Removed the lock that PostgreSQL (process ${processId}) left behind.`,
    })
  }
  if (!(await isOrphan(server.owner))) throw alreadyRunning(cluster, processId)
  await stopOrphan(processId)
  onNotice({
    type: 'orphan-stopped',
    text: `Stopped the PostgreSQL (process ${processId}) of an earlier run that was killed.`,
  })
}

/** Removes sockets of dead servers: their locks, too, stop a start when the process number is in use again. */
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

/** Ours to stop only when this program started it and that process has ended; what others started stays. */
async function isOrphan(owner: string | undefined): Promise<boolean> {
  if (owner === undefined) return false
  return (await processIdentity(Number.parseInt(owner, 10))) !== owner
}

/** How long an orphan may take for each signal, the politest first. */
const PATIENCE_MILLISECONDS = 10_000

async function stopOrphan(processId: number): Promise<void> {
  const identity = await processIdentity(processId)
  const isGone = async (): Promise<boolean> => (await processIdentity(processId)) !== identity
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (identity === undefined || (await isGone())) return
    process.kill(processId, signal)
    for (let waited = 0; waited < PATIENCE_MILLISECONDS; waited += 20) {
      if (await isGone()) return
      await sleep(20)
    }
  }
}
