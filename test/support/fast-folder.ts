// Chooses the folder for temporary files of tests: in memory if the system has such a folder. PostgreSQL copies three
// hundred files for each database. On a disk, this takes ten times as long as the work on the database.

import { access, constants, readFile, statfs } from 'node:fs/promises'
import os from 'node:os'

const IN_MEMORY = '/dev/shm'
/** Minimum free space in bytes. A run has used half a gigabyte. */
const ROOM_BYTES = 4 * 1024 ** 3

/** Folders in which earlier runs may have left files. */
export const FOLDERS: readonly string[] = [...new Set([os.tmpdir(), IN_MEMORY])]

/** Returns the folder for temporary files: in memory if there is room, otherwise the system's. */
export async function fastFolder(): Promise<string> {
  return process.env.TMPDIR === undefined && (await hasRoom(IN_MEMORY)) ? IN_MEMORY : os.tmpdir()
}

async function hasRoom(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = await statfs(folder)
    return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES && (await mayStartPrograms(folder))
  } catch {
    return false
  }
}

/**
 * Whether programs can run in a folder. Some systems mount it with `noexec`, and tests run installed commands there.
 */
async function mayStartPrograms(folder: string): Promise<boolean> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' '))
  const options = mounts.findLast(([, mountPoint]) => mountPoint === folder)?.[3]
  return options !== undefined && !options.split(',').includes('noexec')
}
