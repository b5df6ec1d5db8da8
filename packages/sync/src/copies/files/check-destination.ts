// Checks where a copy in files will be written, so that a run requests no rows that it cannot write, and overwrites no
// other files.

import { access, constants, lstat, mkdir } from 'node:fs/promises'
import { CopyError } from '../copy.ts'

/**
 * Throws `CopyError` if one of `files` exists, because a new copy would overwrite it. A symbolic link also counts, even
 * without a target.
 */
export async function refuseExistingFiles(files: readonly string[]): Promise<void> {
  for (const file of files) {
    // Each error counts as a missing file. If the folder is not accessible, the next steps of the run report it.
    const found = await lstat(file).catch(() => null)
    if (found?.isDirectory() === true)
      throw new CopyError(`${file} is a folder, but the copy needs a file with this name; use another path`)
    if (found !== null)
      throw new CopyError(`${file} exists and store-sync did not create it; move it away, or use another path`)
  }
}

/** Creates a missing folder. Throws `CopyError` if this user cannot create or write the folder. */
export async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file has this name' : code
    throw new CopyError(`cannot create or write the folder ${folder} (${why}); use another path`, { cause })
  }
}
