// Whether a copy of files can be where it was asked to be. It is looked at before the first request: who asked waits for
// no answer that cannot be kept, and no file of theirs is overwritten.

import { access, constants, lstat, mkdir } from 'node:fs/promises'
import { CopyProblem } from '../copy.ts'

/** Throws `CopyProblem` where one of the files that a new copy would write is there already. */
export async function refuseTaken(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const found = await lstat(file).catch(() => null)
    if (found?.isDirectory() === true)
      throw new CopyProblem(`${file} is a folder, and a file is to have that name: give another place`)
    if (found !== null)
      throw new CopyProblem(`${file} is there, and no copy here has written it: move it away, or give another place`)
  }
}

/** Makes the folder where it is missing. Throws `CopyProblem` where it cannot be, or may not be written. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in its place' : code
    throw new CopyProblem(`the folder ${folder} cannot be made or written (${why}): give another place`, { cause })
  }
}
