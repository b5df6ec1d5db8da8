// Tells one process from another that got the same number later: its number with the moment it started. A server
// carries the identity of the program that started it on its command line, from its first instant to its last.
import { execFile } from 'node:child_process'
import { readFile, realpath } from 'node:fs/promises'
import { promisify } from 'node:util'

/** A word that no other process since the machine started has; undefined when the process is gone. */
export async function processIdentity(processId: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const started = await ps(processId, 'lstart=')
    return started && `${processId}-${started.replaceAll(/[^A-Za-z0-9]+/g, '-')}`
  }
  const status = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => '')
  // the command's name stands in brackets and may hold anything; state is the first field after it, start the 20th
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
  return status === '' || fields[0] === 'Z' ? undefined : `${processId}-${fields[19]}`
}

/** The value of the setting `cluster_name` for a server that the process with this identity starts. */
export function ownedBy(identity: string): string {
  return `store-export-${identity}`
}

/** A PostgreSQL server: `owner` is the identity of the program that started it, undefined when that is not ours. */
export type FoundServer = { owner: string | undefined }

/** The server with this process number, when it is a PostgreSQL for this folder. */
export async function findServer(processId: number, clusterFolder: string): Promise<FoundServer | undefined> {
  if ((await processIdentity(processId)) === undefined) return undefined
  // its working folder would tell too, but root in a container may not read that of another user's process
  const command = await commandLine(processId)
  const names = [clusterFolder, await realpath(clusterFolder)]
  if (!command.includes('postgres') || !names.some((name) => command.includes(name))) return undefined
  return { owner: /cluster_name=store-export-([\w-]+)/.exec(command)?.[1] }
}

async function commandLine(processId: number): Promise<string> {
  if (process.platform !== 'linux') return (await ps(processId, 'command=')) ?? ''
  return readFile(`/proc/${processId}/cmdline`, 'utf8').catch(() => '')
}

async function ps(processId: number, column: string): Promise<string | undefined> {
  const parameters = ['-ww', '-o', column, '-p', String(processId)]
  const answer = await promisify(execFile)('ps', parameters).catch(() => undefined)
  return answer?.stdout.trim() || undefined
}
