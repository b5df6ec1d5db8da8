// Replaces files of a copy with new files: all of them, or none. The states of a file `NAME`:
//
// 1. `.NAME.new` is written. `NAME` is the previous file.
// 2. The previous file has a second name, `.NAME.old`. Both are hard links if the file system supports them, so that
//    `NAME` exists at every moment.
// 3. `.NAME.new` is renamed to `NAME`.
// 4. When all files are in state 3, the caller saves their records, and then `.NAME.old` is removed.
//
// If a step fails, this run restores the previous files. If this run is killed, the next run does (`recoverFiles`). In
// between, a reader can see some new and some previous files.

import { createHash } from 'node:crypto'
import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { chmod, type FileHandle, link, lstat, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { CopyError } from '../copy.ts'
import type { FileRecord } from './file-records.ts'
import type { FileTable } from './file-tables.ts'

/** A new file `from`, which will replace the file `to` in the same folder. */
export interface NewFile {
  readonly from: string
  readonly to: string
}

/** Thrown if another program has a file open, or the file is not writable. A later run can succeed. */
export class FileInUseError extends CopyError {}

const IN_USE_CODES = new Set(['EBUSY', 'EPERM', 'EACCES', 'ETXTBSY'])
const BLOCK_BYTES = 1 << 20
/** The bits of a file's mode that are permissions. The other bits are its type. */
const PERMISSIONS = 0o777

/** Returns the hidden name of a new file, next to the file that it will replace. */
export function newName(file: string): string {
  return hiddenName(file, 'new')
}

/** Writes a new file for each table, and returns the files. If `write` throws, removes all new files and throws. */
export async function writeNewFiles(
  tables: Iterable<FileTable>,
  fileOf: (table: string) => string,
  write: (table: FileTable, file: string) => Promise<void>,
): Promise<readonly NewFile[]> {
  const written: NewFile[] = []
  try {
    for (const table of tables) {
      const to = fileOf(table.name)
      const from = newName(to)
      written.push({ from, to })
      await write(table, from)
    }
    return written
  } catch (error) {
    for (const { from } of written) await rm(from, { force: true })
    throw error
  }
}

/**
 * Replaces the files, or restores all of them and removes the new files if one fails. The previous files stay until
 * `removePrevious`. Preserves permissions and symbolic links. Throws `FileInUseError` if another program has a file
 * open or it is not writable, and `CopyError` if a folder has its name. Throws other errors unchanged.
 */
export async function replaceFiles(files: readonly NewFile[]): Promise<void> {
  const previous: string[] = []
  const placed: string[] = []
  let at = ''
  try {
    for (const { from, to } of files) {
      at = to
      await copyMode(to, from)
      if (await keepPrevious(to)) previous.push(to)
    }
    for (const { from, to } of files) {
      at = to
      await rename(from, resolveLink(to))
      placed.push(to)
    }
  } catch (error) {
    // A file without a previous version is new, so restoring means removing it.
    for (const file of placed) if (!previous.includes(file)) await removeIfPossible(resolveLink(file))
    // The next run restores the files that this run cannot restore.
    for (const file of previous) await restorePrevious(file).catch(() => undefined)
    for (const { from } of files) await removeIfPossible(from)
    throw translateError(error, at)
  }
}

/** Removes the previous files. A file that another program has open stays until the next run. */
export async function removePrevious(files: readonly string[]): Promise<void> {
  for (const file of files) await removeIfPossible(previousName(file))
}

/** Tries to remove a file. If the removal fails, the next run removes the file. */
async function removeIfPossible(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined)
}

/**
 * Cleans up after a run that was killed while it wrote or replaced these files. Restores a previous file unless
 * `isDone` returns true because its replacement was complete. Throws like `replaceFiles`.
 */
export async function recoverFiles(files: readonly string[], isDone: (file: string) => boolean): Promise<void> {
  for (const file of files) {
    await rm(newName(file), { force: true })
    if (isDone(file) || !(await isFile(previousName(file)))) continue
    await restorePrevious(file).catch((error: unknown) => {
      throw translateError(error, file)
    })
  }
  await removePrevious(files)
}

/** Returns the record of a new file, under the name `as`, after its bytes have reached the disk (fsync). */
export async function createRecord(file: string, as: string): Promise<Omit<FileRecord, 'format'>> {
  await using handle = await open(file, 'r+')
  await handle.sync()
  const { size, mtimeMs } = await handle.stat()
  return { file: as, sha256: await sha256Of(handle), bytes: size, modifiedMs: mtimeMs }
}

/** Whether the size and time of the file match its record; false if there is no file. Does not read the file. */
export async function looksUnchanged(file: string, { bytes, modifiedMs }: FileRecord): Promise<boolean> {
  try {
    const found = await stat(file)
    return found.isFile() && found.size === bytes && found.mtimeMs === modifiedMs
  } catch {
    return false
  }
}

/** Whether the bytes of the file match the digest of its record; false if there is no file. Reads the whole file. */
export async function isUnchanged(file: string, { sha256, bytes }: FileRecord): Promise<boolean> {
  if (!(await isFile(resolveLink(file)))) return false
  await using handle = await open(file, 'r')
  return (await handle.stat()).size === bytes && (await sha256Of(handle)) === sha256
}

async function sha256Of(file: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  for (;;) {
    const { bytesRead } = await file.read(block, 0, BLOCK_BYTES)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(block.subarray(0, bytesRead))
  }
}

/** Sets the permissions of `file` to those of the previous file `last`, if that file exists. */
async function copyMode(last: string, file: string): Promise<void> {
  const found = await stat(last).catch(() => null)
  if (found?.isFile() === true) await chmod(file, found.mode & PERMISSIONS)
}

/** Gives the previous file the name `.NAME.old`. Returns whether there is a previous file. */
async function keepPrevious(named: string): Promise<boolean> {
  const file = resolveLink(named)
  if (!(await isFile(file))) return false
  // An earlier run could not remove the second name of the same file.
  if (await isSameFile(file)) return true
  await rm(previousName(file), { force: true })
  await link(file, previousName(file)).catch(() => rename(file, previousName(file)))
  return true
}

/**
 * Restores the previous file. Does not touch a file that was not replaced, because another program can have it open.
 */
async function restorePrevious(file: string): Promise<void> {
  if (await isSameFile(file)) await removePrevious([file])
  else await rename(previousName(file), resolveLink(file))
}

/** Whether the file and its previous version are the same file (hard links). */
async function isSameFile(file: string): Promise<boolean> {
  const find = (name: string) => lstat(name, { bigint: true }).catch(() => null)
  const [one, other] = [await find(resolveLink(file)), await find(previousName(file))]
  return one !== null && other !== null && one.ino === other.ino && one.dev === other.dev
}

async function isFile(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isFile(),
    () => false,
  )
}

function previousName(file: string): string {
  return hiddenName(file, 'old')
}

/**
 * Returns a hidden name in the folder of a file. For a symbolic link, this is the folder of its target, because a
 * rename works only within one file system.
 */
function hiddenName(file: string, end: string): string {
  const { dir, base } = path.parse(resolveLink(file))
  return path.join(dir, `.${base}.${end}`)
}

/** Returns the target of a symbolic link, even if it does not exist. Returns any other path unchanged. */
function resolveLink(file: string): string {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return file
  try {
    return realpathSync(file)
  } catch {
    return path.resolve(path.dirname(file), readlinkSync(file))
  }
}

function translateError(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (IN_USE_CODES.has(code))
    return new FileInUseError(
      `cannot replace ${file} (${code}); close it in other programs, or make it writable, and run again`,
      {
        cause: error,
      },
    )
  if (code === 'EISDIR' || code === 'ENOTEMPTY' || code === 'EEXIST')
    return new CopyError(`${file} is a folder; move it away and run again`, { cause: error })
  return error
}
