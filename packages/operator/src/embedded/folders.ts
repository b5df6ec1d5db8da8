// Where things lie: the cluster and copied binaries in the data folder, or, when the account that serves them cannot
// go there, in a folder of the system; the socket in a folder whose path is short enough for a socket.
import { access, chmod, chown, constants, lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type Account, chooseAccount } from './account.ts'
import { type ClusterRecord, readRecord, writeRecord } from './cluster-record.ts'
import { explainWriteErrors } from './embedded-postgres-error.ts'
import type { EmbeddedNotice } from './notice.ts'
import { runProgram } from './run-program.ts'

/** All folders of one embedded PostgreSQL, absolute. `home` is the data folder unless that is closed. */
export type Folders = { data: string; home: string; cluster: string; socket: string; account: Account }

/** Kernels take 108 (Linux) or 104 (macOS) bytes for a socket's path; the file's name needs up to 15 of them. */
const SOCKET_FOLDER_BYTES_MAX = 85

/** State that survives a restart of the machine first, temporary folders last. */
const SYSTEM_FOLDERS = ['/var/lib', '/var/db', '/var/tmp', os.tmpdir(), '/tmp']

/** Marks the folders that we made outside the data folder. */
const OWN_PREFIX = 'store-export-'

/** Makes the folders that must exist before a start, and remembers in `cluster.json` those outside the data folder. */
export async function prepareFolders(dataFolder: string, onNotice: (notice: EmbeddedNotice) => void): Promise<Folders> {
  const data = path.resolve(dataFolder)
  return explainWriteErrors(data, async () => {
    await makeDataFolder(data)
    const record = await readRecord(data)
    const known = await knownHome(record, onNotice)
    const account = await chooseAccount(clusterIn(known ?? data))
    const home = known ?? (await chooseHome(data, account, onNotice))
    const socket = await prepareSocketFolder(home, record.socketFolder, account)
    await writeRecord(data, {
      ...(home !== data && { home }),
      ...(path.dirname(socket) !== home && { socketFolder: socket }),
    })
    return { data, home, cluster: clusterIn(home), socket, account }
  })
}

/** The cluster's folder of a data folder, whether it exists or not. */
export async function clusterOf(dataFolder: string): Promise<string> {
  const data = path.resolve(dataFolder)
  return clusterIn((await readRecord(data)).home ?? data)
}

/** Removes the data folder with everything outside it that `cluster.json` names. The server must have stopped. */
export async function removeFolders(dataFolder: string): Promise<void> {
  const data = path.resolve(dataFolder)
  const { home, socketFolder } = await readRecord(data)
  for (const folder of [home, socketFolder]) {
    // the file may have been edited: what we did not make is not ours to remove
    if (folder !== undefined && path.basename(folder).startsWith(OWN_PREFIX)) {
      await rm(folder, { recursive: true, force: true })
    }
  }
  await rm(data, { recursive: true, force: true })
}

async function makeDataFolder(data: string): Promise<void> {
  const made = await mkdir(data, { recursive: true, mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    // a recursive mkdir on a read-only disk says ENOENT: ask the nearest folder that exists for the true reason
    if (error.code === 'ENOENT') await access(await nearestFolder(data), constants.W_OK)
    throw error
  })
  if (made === undefined || process.getuid?.() !== 0) return
  // the account must pass through, also when our umask is strict; what the folders list is nobody's business
  for (let folder = data; folder.length >= made.length; folder = path.dirname(folder)) await chmod(folder, 0o711)
}

async function nearestFolder(folder: string): Promise<string> {
  return (await isFolder(folder)) || folder === path.dirname(folder) ? folder : nearestFolder(path.dirname(folder))
}

async function knownHome(
  { home }: ClusterRecord,
  onNotice: (notice: EmbeddedNotice) => void,
): Promise<string | undefined> {
  if (home === undefined || (await isFolder(home))) return home
  onNotice({ type: 'folder-gone', text: `The database folder ${home} has gone; an empty one takes its place.` })
  return undefined
}

async function chooseHome(data: string, account: Account, onNotice: (notice: EmbeddedNotice) => void): Promise<string> {
  if (account === undefined || (await canEnter(data, account))) return data
  for (const parent of SYSTEM_FOLDERS) {
    const home = (await canEnter(parent, account)) ? await makeOwn(parent) : undefined
    if (home === undefined) continue
    await chmod(home, 0o711)
    onNotice({ type: 'placed-outside', text: `The database lies in ${home}, because its user cannot enter ${data}.` })
    return home
  }
  return data
}

async function prepareSocketFolder(home: string, known: string | undefined, account: Account): Promise<string> {
  const socket =
    (await makeSocketFolder(path.join(home, 'socket'), account)) ??
    (known && (await makeSocketFolder(known, account))) ??
    (await mkdtemp(path.join('/tmp', OWN_PREFIX)))
  // whoever enters is the superuser of the databases: the account, and root
  await chmod(socket, 0o700)
  if (account !== undefined) await chown(socket, account.userId, account.groupId)
  return socket
}

/** The folder when it can be used; in /tmp somebody else may have taken the name meanwhile. */
async function makeSocketFolder(folder: string, account: Account): Promise<string | undefined> {
  if (Buffer.byteLength(folder) > SOCKET_FOLDER_BYTES_MAX) return undefined
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined)
  const found = await lstat(folder).catch(() => undefined)
  const owners = [process.getuid?.(), account?.userId]
  return found?.isDirectory() === true && owners.includes(found.uid) ? folder : undefined
}

/** Asks the system itself, which knows more than modes: lists of rights, mounts, security modules. */
async function canEnter(folder: string, account: Account): Promise<boolean> {
  const { code } = await runProgram('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], account)
  return code === 0
}

async function makeOwn(parent: string): Promise<string | undefined> {
  return mkdtemp(path.join(parent, OWN_PREFIX)).catch(() => undefined)
}

function clusterIn(home: string): string {
  return path.join(home, 'cluster')
}

async function isFolder(folder: string): Promise<boolean> {
  return (await lstat(folder).catch(() => undefined))?.isDirectory() === true
}
