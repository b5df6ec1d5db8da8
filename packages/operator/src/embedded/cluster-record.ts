// Reads and writes `cluster.json` in the data folder, which records the folders outside it.
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * Absolute paths of folders outside the data folder. Without `home`, the cluster is in the data folder. Without
 * `socketFolder`, the socket folder is in the same folder as the cluster.
 */
export type ClusterRecord = {
  /** Folder with the cluster and copied binaries. */
  home?: string
  socketFolder?: string
}

/**
 * Returns the record; empty if the file is missing, unreadable, or not JSON. Leaves out entries that are not strings.
 */
export async function readRecord(dataFolder: string): Promise<ClusterRecord> {
  const text = await readFile(recordFile(dataFolder), 'utf8').catch(() => '{}')
  try {
    const { home, socketFolder } = JSON.parse(text) as Record<string, unknown>
    return { ...(typeof home === 'string' && { home }), ...(typeof socketFolder === 'string' && { socketFolder }) }
  } catch {
    return {}
  }
}

/**
 * Replaces the record. Atomic, so that a killed process leaves no half-written record: an empty record would make the
 * next start choose the folders again. Only its owner can read the file. Writes nothing if the record has not changed.
 */
export async function writeRecord(dataFolder: string, record: ClusterRecord): Promise<void> {
  const file = recordFile(dataFolder)
  const text = `${JSON.stringify(record, null, 2)}\n`
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return
  const next = `${file}.${process.pid}`
  await writeFile(next, text, { mode: 0o600 })
  await rename(next, file)
}

function recordFile(dataFolder: string): string {
  return path.join(dataFolder, 'cluster.json')
}
