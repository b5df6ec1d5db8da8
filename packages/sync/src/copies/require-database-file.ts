// Prevents a run from writing to a file of another program. A database file contains known bytes at a fixed position,
// which this module checks before the run creates anything.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { CopyError } from './copy.ts'

/** How the files of a database are recognized: by known bytes at a fixed position. */
export interface FileSignature {
  /** Name of the database for messages. */
  readonly format: string
  readonly bytes: string
  /** Position of the bytes in the file. */
  readonly offset: number
  /** Whether the database opens an empty file as a new database. */
  readonly canBeEmpty: boolean
}

/**
 * Throws `CopyError` if the path exists and is not a database of this format, and errors of the file system unchanged.
 * Creates nothing.
 */
export function requireDatabaseFile(file: string, name: string, signature: FileSignature): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isFile()) throw new CopyError(`${name} is not a file; use the path of a file`)
  if (found.size === 0 && signature.canBeEmpty) return
  const head = Buffer.alloc(signature.bytes.length)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, head, 0, head.length, signature.offset)
  } finally {
    closeSync(descriptor)
  }
  if (head.toString('latin1') !== signature.bytes)
    throw new CopyError(`${name} exists and is not a ${signature.format} database; use another file`)
}
