// Identifies a process by its ID and start time, because process IDs are reused. The command line of a server contains
// the identity of the process that started it.
import { execFile } from 'node:child_process'
import { readFile, realpath } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * Returns the process ID and start time as one string; undefined if the process has ended, also if it is a zombie.
 * Outside of Linux, the time has whole seconds, so a process ID that is reused within a second gets the same identity.
 */
export async function processIdentity(processId: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const started = await ps(processId, 'lstart=')
    return started && `${processId}-${started.replaceAll(/[^A-Za-z0-9]+/g, '-')}`
  }
  const status = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => '')
  // The command name is in parentheses and can contain anything. Of the fields after it, the first is the state, and
  // the 20th is the start time.
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
  return status === '' || fields[0] === 'Z' ? undefined : `${processId}-${fields[19]}`
}

/** Returns the `cluster_name` that marks a server as started by the process with this identity. */
export function ownedBy(identity: string): string {
  return `store-export-${identity}`
}

/**
 * A PostgreSQL server. `owner` is the identity of the process that started it; undefined if another program started it.
 */
export type FoundServer = { owner: string | undefined }

/**
 * Returns the server with this process ID; undefined if the process is not a PostgreSQL server of this cluster.
 * Recognizes the server by its command line, which contains `postgres` and the folder. If the process exists, but not
 * the folder, rejects with the error of the file system.
 */
export async function findServer(processId: number, clusterFolder: string): Promise<FoundServer | undefined> {
  if ((await processIdentity(processId)) === undefined) return undefined
  // Reads the command line and not the working directory: in a container, root may be unable to read the latter.
  const command = await commandLine(processId)
  const names = [clusterFolder, await realpath(clusterFolder)]
  if (!command.includes('postgres') || !names.some((name) => command.includes(name))) return undefined
  return { owner: /cluster_name=store-export-([\w-]+)/.exec(command)?.[1] }
}

async function commandLine(processId: number): Promise<string> {
  if (process.platform !== 'linux') return (await ps(processId, 'command=')) ?? ''
  return readFile(`/proc/${processId}/cmdline`, 'utf8').catch(() => '')
}

/** Returns a column of `ps` for the process; undefined if the process has ended or `ps` fails. */
async function ps(processId: number, column: string): Promise<string | undefined> {
  const parameters = ['-ww', '-o', column, '-p', String(processId)]
  const result = await promisify(execFile)('ps', parameters).catch(() => undefined)
  return result?.stdout.trim() || undefined
}
