// Puts new files in the place of the last ones: all of them or none. The last ones are kept beside under another name
// until all are in place, so that they can be put back, by this run or, where it was killed, by the next.

import { createHash } from 'node:crypto'
import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { chmod, type FileHandle, link, lstat, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { CopyProblem } from '../copy.ts'
import type { FileRecord } from './files-records.ts'
import type { FileTable } from './files-tables.ts'

/** A file that was written beside the one whose place it takes. */
export interface NewFile {
  readonly from: string
  readonly to: string
}

/** A file that another program holds open, or that may not be written; a later run may succeed. */
export class FileInUse extends CopyProblem {}

const HELD = new Set(['EBUSY', 'EPERM', 'EACCES', 'ETXTBSY'])
const BLOCK_BYTES = 1 << 20
const PERMISSIONS = 0o777

/** The name under which a file is written before it takes its place: hidden, and beside it. */
export function newName(file: string): string {
  return hidden(file, 'new')
}

/** Writes each table beside the file whose place it is to take; where one fails, none of them stays. */
export async function writeNew(
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
 * Replaces the files, and keeps the last ones for `dropLast`; where one fails, all are as they were. Who may read or write
 * a file stays as it is, and so does a link to it. Throws `FileInUse`.
 */
export async function replaceFiles(files: readonly NewFile[]): Promise<void> {
  const kept: string[] = []
  const placed: string[] = []
  let at = ''
  try {
    for (const { from, to } of files) {
      at = to
      await keepMode(to, from)
      if (await keepLast(to)) kept.push(to)
    }
    for (const { from, to } of files) {
      at = to
      await rename(from, realFile(to))
      placed.push(to)
    }
  } catch (error) {
    for (const file of placed) if (!kept.includes(file)) await removeIfPossible(realFile(file))
    // what cannot be put back now is so by the next run
    for (const file of kept) await putBack(file).catch(() => undefined)
    for (const { from } of files) await removeIfPossible(from)
    throw problemOf(error, at)
  }
}

/** Removes what `replaceFiles` kept; what another program holds is left to the next run. */
export async function dropLast(files: readonly string[]): Promise<void> {
  for (const file of files) await removeIfPossible(oldName(file))
}

/** What stays is removed by the next run. */
async function removeIfPossible(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined)
}

/**
 * Makes up for a run that was killed while it wrote or replaced these files. What it kept is put back, unless `isDone`
 * says that all were in place. Throws `FileInUse`.
 */
export async function recoverFiles(files: readonly string[], isDone: (file: string) => boolean): Promise<void> {
  for (const file of files) {
    await rm(newName(file), { force: true })
    if (isDone(file) || !(await isFile(oldName(file)))) continue
    await putBack(file).catch((error: unknown) => {
      throw problemOf(error, file)
    })
  }
  await dropLast(files)
}

/** The record of a new file that is to have the name `as`; its bytes are on the disk from here on. */
export async function recordOf(file: string, as: string): Promise<Omit<FileRecord, 'format'>> {
  await using handle = await open(file, 'r+')
  await handle.sync()
  const { size, mtimeMs } = await handle.stat()
  return { file: as, sha256: await digestOf(handle), bytes: size, modifiedMs: mtimeMs }
}

/** Whether the file is there as it was written, as far as its size and time tell. */
export async function looksUnchanged(file: string, { bytes, modifiedMs }: FileRecord): Promise<boolean> {
  try {
    const found = await stat(file)
    return found.isFile() && found.size === bytes && found.mtimeMs === modifiedMs
  } catch {
    return false
  }
}

/** Whether the file's bytes are those that were written. */
export async function isUnchanged(file: string, { sha256, bytes }: FileRecord): Promise<boolean> {
  if (!(await isFile(realFile(file)))) return false
  await using handle = await open(file, 'r')
  return (await handle.stat()).size === bytes && (await digestOf(handle)) === sha256
}

async function digestOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  for (;;) {
    const { bytesRead } = await file.read(block, 0, BLOCK_BYTES)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(block.subarray(0, bytesRead))
  }
}

/** Where there is a last file, the new one is for the same people. */
async function keepMode(last: string, file: string): Promise<void> {
  const found = await stat(last).catch(() => null)
  if (found?.isFile() === true) await chmod(file, found.mode & PERMISSIONS)
}

/** Whether there was one. By a second name where the file system has them: so there is a file at every moment. */
async function keepLast(named: string): Promise<boolean> {
  const file = realFile(named)
  if (!(await isFile(file))) return false
  if (await isKept(file)) return true
  await rm(oldName(file), { force: true })
  await link(file, oldName(file)).catch(() => rename(file, oldName(file)))
  return true
}

/** A file that is still itself is left alone: another program may hold it. */
async function putBack(file: string): Promise<void> {
  if (await isKept(file)) await dropLast([file])
  else await rename(oldName(file), realFile(file))
}

/** Whether both names are of one file. */
async function isKept(file: string): Promise<boolean> {
  const find = (name: string) => lstat(name, { bigint: true }).catch(() => null)
  const [one, other] = [await find(realFile(file)), await find(oldName(file))]
  return one !== null && other !== null && one.ino === other.ino && one.dev === other.dev
}

async function isFile(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isFile(),
    () => false,
  )
}

function oldName(file: string): string {
  return hidden(file, 'old')
}

/** Beside the file itself where there is a link to it: a rename does not leave its file system. */
function hidden(file: string, end: string): string {
  const { dir, base } = path.parse(realFile(file))
  return path.join(dir, `.${base}.${end}`)
}

/** What a link leads to, whether it is there or not; any other file is itself. */
function realFile(file: string): string {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return file
  try {
    return realpathSync(file)
  } catch {
    return path.resolve(path.dirname(file), readlinkSync(file))
  }
}

function problemOf(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (HELD.has(code))
    return new FileInUse(`${file} cannot be replaced (${code}): close it in the other program and run again`, {
      cause: error,
    })
  if (code === 'EISDIR' || code === 'ENOTEMPTY' || code === 'EEXIST')
    return new CopyProblem(`${file} is a folder: move it away and run again`, { cause: error })
  return error
}
