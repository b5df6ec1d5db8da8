// Chooses the folders of the embedded PostgreSQL. The cluster and copied binaries are in the data folder. If the
// operating system user of PostgreSQL can't enter the data folder, they are in a system folder. The socket is in a
// folder with a short path, because the operating system limits the path of a socket.
import { access, chmod, chown, constants, lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type Account, chooseAccount } from './account.ts'
import { type ClusterRecord, readRecord, writeRecord } from './cluster-record.ts'
import { explainWriteErrors } from './embedded-postgres-error.ts'
import type { EmbeddedNotice } from './notice.ts'
import { runProgram } from './run-program.ts'

/**
 * The absolute paths of all folders. `home` contains the cluster and copied binaries: the folder in `cluster.json`,
 * otherwise the data folder if the account can enter it, and otherwise a system folder.
 */
export type Folders = { data: string; home: string; cluster: string; socket: string; account: Account }

/**
 * The path of a socket has at most 108 bytes on Linux and 104 on macOS. The file name needs up to 15 of them, with its
 * slash. The rest is a margin.
 */
const SOCKET_FOLDER_BYTES_MAX = 85

/**
 * System folders in the order of preference. Folders that survive a restart of the machine come before temporary
 * folders.
 */
const SYSTEM_FOLDERS = ['/var/lib', '/var/db', '/var/tmp', os.tmpdir(), '/tmp']

/** Prefix of created folders outside the data folder. */
const OWN_PREFIX = 'store-export-'

/**
 * Creates the folders, and records those outside the data folder in `cluster.json`. Rejects with
 * `EmbeddedPostgresError` if a folder can't be written, or if no suitable user can run PostgreSQL.
 */
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

/** Returns the path of the cluster for a data folder. The cluster may not exist. */
export async function clusterOf(dataFolder: string): Promise<string> {
  const data = path.resolve(dataFolder)
  return clusterIn((await readRecord(data)).home ?? data)
}

/** Removes the data folder and the folders in `cluster.json`. The server must be stopped. */
export async function removeFolders(dataFolder: string): Promise<void> {
  const data = path.resolve(dataFolder)
  const { home, socketFolder } = await readRecord(data)
  for (const folder of [home, socketFolder]) {
    // The file can have been edited, so only folders with the prefix are removed.
    if (folder !== undefined && path.basename(folder).startsWith(OWN_PREFIX)) {
      await rm(folder, { recursive: true, force: true })
    }
  }
  await rm(data, { recursive: true, force: true })
}

async function makeDataFolder(data: string): Promise<void> {
  const made = await mkdir(data, { recursive: true, mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    // A recursive mkdir fails with ENOENT on a read-only disk. The nearest existing folder shows the real reason.
    if (error.code === 'ENOENT') await access(await nearestFolder(data), constants.W_OK)
    throw error
  })
  if (made === undefined || process.getuid?.() !== 0) return
  // The account must be able to enter the folders, even with a strict umask, but not to list them.
  for (let folder = data; folder.length >= made.length; folder = path.dirname(folder)) await chmod(folder, 0o711)
}

async function nearestFolder(folder: string): Promise<string> {
  return (await isFolder(folder)) || folder === path.dirname(folder) ? folder : nearestFolder(path.dirname(folder))
}

/** Returns the recorded folder if it still exists. A lost folder causes a notice, and the databases start empty. */
async function knownHome(
  { home }: ClusterRecord,
  onNotice: (notice: EmbeddedNotice) => void,
): Promise<string | undefined> {
  if (home === undefined || (await isFolder(home))) return home
  onNotice({
    type: 'folder-gone',
    text: `The database folder ${home} does not exist any more. The demo creates a new, empty one.`,
  })
  return undefined
}

/**
 * Returns the data folder, or a new folder in the first system folder that the account can enter. If it can enter none,
 * returns the data folder, and a later step of the start fails.
 */
async function chooseHome(data: string, account: Account, onNotice: (notice: EmbeddedNotice) => void): Promise<string> {
  if (account === undefined || (await canEnter(data, account))) return data
  for (const parent of SYSTEM_FOLDERS) {
    const home = (await canEnter(parent, account)) ? await makeOwn(parent) : undefined
    if (home === undefined) continue
    // The account must be able to enter the folder, but not to list it.
    await chmod(home, 0o711)
    onNotice({ type: 'placed-outside', text: `The database is in ${home}, because its user cannot enter ${data}.` })
    return home
  }
  return data
}

async function prepareSocketFolder(home: string, known: string | undefined, account: Account): Promise<string> {
  const socket =
    (await makeSocketFolder(path.join(home, 'socket'), account)) ??
    (known && (await makeSocketFolder(known, account))) ??
    (await mkdtemp(path.join('/tmp', OWN_PREFIX)))
  // The socket needs no password, so every user who can enter the folder is a superuser of the databases.
  await chmod(socket, 0o700)
  if (account !== undefined) await chown(socket, account.userId, account.groupId)
  return socket
}

/**
 * Creates the folder if it doesn't exist. Returns undefined if its path is too long for a socket. Also returns
 * undefined if it can't be created, or if it is a symbolic link or belongs to another user. Another user can have
 * created the name in /tmp.
 */
async function makeSocketFolder(folder: string, account: Account): Promise<string | undefined> {
  if (Buffer.byteLength(folder) > SOCKET_FOLDER_BYTES_MAX) return undefined
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined)
  const found = await lstat(folder).catch(() => undefined)
  const owners = [process.getuid?.(), account?.userId]
  return found?.isDirectory() === true && owners.includes(found.uid) ? folder : undefined
}

/** Whether the account can enter the folder. Tries it, because ACLs, mounts, and security modules can forbid it too. */
async function canEnter(folder: string, account: Account): Promise<boolean> {
  const { code } = await runProgram('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], account)
  return code === 0
}

/** Creates a folder in `parent`. Returns undefined if this user may not do so. */
async function makeOwn(parent: string): Promise<string | undefined> {
  return mkdtemp(path.join(parent, OWN_PREFIX)).catch(() => undefined)
}

function clusterIn(home: string): string {
  return path.join(home, 'cluster')
}

async function isFolder(folder: string): Promise<boolean> {
  return (await lstat(folder).catch(() => undefined))?.isDirectory() === true
}
