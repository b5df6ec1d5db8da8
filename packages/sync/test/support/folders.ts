// Temporary folders for tests of copies.

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a folder. The caller removes it with `remove`. */
export async function createFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Creates a folder that is removed after the test. */
export async function createTestFolder(): Promise<string> {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  return folder
}
