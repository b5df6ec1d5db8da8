// Creates the cluster if it does not exist, and rejects a cluster of another major version.
import { chown, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Account } from './account.ts'
import { explainWriteErrors, otherVersion, recognized, unexplained } from './embedded-postgres-error.ts'
import { type Binaries, withInitdb } from './find-binaries.ts'
import { runProgram } from './run-program.ts'

/** Name of the superuser, which is also the name of its default database. */
export const SUPERUSER = 'postgres'

/**
 * Creates the cluster if it doesn't exist. Returns whether it was created. The cluster gets its final name when it is
 * complete, so an interrupted start leaves no incomplete cluster. Rejects with `EmbeddedPostgresError` if another major
 * version created the cluster, if the folder is not writable, or if initdb fails.
 */
export async function ensureCluster(cluster: string, binaries: Binaries, account: Account): Promise<boolean> {
  const found = await readFile(path.join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (found !== undefined) {
    if (found.trim() !== binaries.majorVersion) throw otherVersion(cluster, found.trim(), binaries.majorVersion)
    return false
  }
  await explainWriteErrors(cluster, () => createCluster(cluster, binaries, account))
  return true
}

async function createCluster(cluster: string, binaries: Binaries, account: Account): Promise<void> {
  await removeUnfinished(cluster)
  const unfinished = `${cluster}.${process.pid}`
  try {
    await mkdir(unfinished, { mode: 0o700 })
    if (account !== undefined) await chown(unfinished, account.userId, account.groupId)
    await initialize(unfinished, binaries, account)
    await rename(unfinished, cluster)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function initialize(folder: string, binaries: Binaries, account: Account): Promise<void> {
  const { code, output } = await withInitdb(binaries, (initdb) =>
    runProgram(initdb, parameters(folder, binaries.majorVersion), account),
  )
  if (code === 0) return
  // initdb prints the error first, and then its cleanup.
  const reason = /^(?:initdb: error|.*FATAL): .*$/m.exec(output)?.[0] ?? output
  // initdb doesn't listen, so the port is not in any message.
  throw recognized(output, { folder: path.dirname(folder), port: 0 }) ?? unexplained('initdb', reason)
}

function parameters(folder: string, majorVersion: string): string[] {
  return [
    '-D',
    folder,
    `--username=${SUPERUSER}`,
    // Only the owner can enter the socket's folder. Connections over TCP need a password.
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    '--encoding=UTF8',
    ...localeParameters(majorVersion),
    // This makes a first start faster. Only a crash of the machine soon after it could damage the new cluster.
    '--no-sync',
  ]
}

/**
 * Returns the parameters that sort text by code point on every machine. PostgreSQL 16 and earlier, which only tests
 * run, need the system's locale.
 */
function localeParameters(majorVersion: string): string[] {
  return Number(majorVersion) < 17
    ? ['--locale=C.UTF-8']
    : ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
}

/** Removes the incomplete clusters of killed starts, but not those of running processes. */
async function removeUnfinished(cluster: string): Promise<void> {
  const parent = path.dirname(cluster)
  const prefix = `${path.basename(cluster)}.`
  for (const name of await readdir(parent)) {
    const processId = Number(name.slice(prefix.length))
    if (!name.startsWith(prefix) || !Number.isInteger(processId)) continue
    // A folder with the ID of this process is also old, because the ID is reused.
    if (processId === process.pid || !isAlive(processId)) {
      await rm(path.join(parent, name), { recursive: true, force: true })
    }
  }
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
