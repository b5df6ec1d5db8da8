// Where tests put what they need for a moment: in memory, where the system has a folder for that. PostgreSQL copies three
// hundred files for each database, which takes a disk ten times as long as anything that is done with it.

import { access, constants, readFile, statfs } from 'node:fs/promises'
import os from 'node:os'

/** Linux’s own. */
const IN_MEMORY = '/dev/shm'
/** Half a gigabyte of it was seen in use in the middle of a run. */
const ROOM_BYTES = 4 * 1024 ** 3

/** Folders in which runs may have left something. */
export const FOLDERS: readonly string[] = [...new Set([os.tmpdir(), IN_MEMORY])]

/** The folder for temporary files: in memory where there is room, else the system's own. */
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

/** Some systems mount it so that nothing in it can be run; the commands of packages that tests install lie there. */
async function mayStartPrograms(folder: string): Promise<boolean> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' '))
  const options = mounts.findLast(([, place]) => place === folder)?.[3]
  return options !== undefined && !options.split(',').includes('noexec')
}
