// Creates a PostgreSQL server for one test, which can be restarted, killed, frozen, and replicated. The server that all
// tests share must not be changed in these ways. If tests run as root, the server runs as another user.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFile, chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { POSTGRES_PACKAGE } from '../../../../test/support/postgres-package.ts'
import { type Account, chooseAccount } from '../../src/embedded/account.ts'
import { binariesPackage, findBinaries } from '../../src/embedded/find-binaries.ts'
import { readLock } from '../../src/embedded/lock-file.ts'
import { ownedBy, processIdentity } from '../../src/embedded/process-identity.ts'
import { runProgram } from '../../src/embedded/run-program.ts'
import type { StopMode } from '../../src/embedded/start-server.ts'
import { freePort, temporaryFolder, waitUntil } from './embedded-server.ts'

/** A server that is stopped and removed after the test. */
export interface PostgresCluster {
  readonly port: number
  /** Returns the superuser's URL of a database, over TCP. */
  url(database?: string): string
  start(): Promise<void>
  stop(mode: StopMode): Promise<void>
  /** Runs `pg_ctl restart`. Resolves when the server accepts connections. */
  restart(mode: StopMode): Promise<void>
  /** Promotes a standby. Resolves when the server is the primary. */
  promote(): Promise<void>
  /** Kills the main process, as the out-of-memory killer does. Resolves when all processes have exited. */
  kill(): Promise<void>
  /** Suspends all processes of the server until `thaw`. */
  freeze(): Promise<void>
  thaw(): void
  /** Creates another server with the data of this stopped server, or a standby of `primary`. */
  copy(primary?: PostgresCluster): Promise<PostgresCluster>
}

interface ClusterFiles {
  readonly folder: string
  readonly cluster: string
  readonly program: string
  readonly account: Account
  readonly port: number
  readonly password: string
}

const SUPERUSER = 'postgres'
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_connections: '60',
  wal_level: 'replica',
  max_wal_senders: '4',
  autovacuum_max_workers: '1',
  log_min_error_statement: 'panic',
}

/** Creates a stopped server with an empty cluster. `settings` override the defaults for tests. */
export async function createCluster(settings: Readonly<Record<string, string>> = {}): Promise<PostgresCluster> {
  const files = await createFiles(randomBytes(12).toString('hex'))
  const passwordFile = path.join(files.cluster, '..', 'password')
  await writeFile(passwordFile, files.password)
  await chmod(passwordFile, 0o644)
  const args = ['-D', files.cluster, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--encoding=UTF8']
  const rest = ['--auth=scram-sha-256', '--locale=C', '--no-sync']
  await command(files, 'initdb', [...args, ...rest])
  await configure(files, { ...SETTINGS, ...settings })
  return clusterAt(files)
}

async function createFiles(password: string): Promise<ClusterFiles> {
  const folder = await temporaryFolder()
  const cluster = path.join(folder, 'cluster')
  const account = await chooseAccount(cluster)
  await mkdir(cluster, { mode: 0o700 })
  if (account !== undefined) await chown(cluster, account.userId, account.groupId)
  const { initdb } = await findBinaries({
    account,
    copyFolder: folder,
    packageFolder: POSTGRES_PACKAGE ?? binariesPackage(),
  })
  return { folder, cluster, program: path.dirname(initdb), account, port: await freePort(), password }
}

function configure({ cluster, port }: ClusterFiles, settings: Readonly<Record<string, string>>): Promise<void> {
  const all = { ...settings, port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' }
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
  return appendFile(path.join(cluster, 'postgresql.conf'), lines.join(''))
}

async function command({ program, account }: ClusterFiles, name: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runProgram(path.join(program, name), args, account)
  if (code !== 0) throw new Error(`${name} ${args.join(' ')}: ${output}`)
}

function clusterAt(files: ClusterFiles): PostgresCluster {
  const { cluster, port, password } = files
  const control = (...args: string[]) => command(files, 'pg_ctl', ['-D', cluster, '-w', '-t', '30', ...args])
  // The log is a file, because the server would keep the output pipe of pg_ctl open.
  const log = ['-l', path.join(cluster, 'server.log')]
  const frozen: number[] = []
  const thaw = () => {
    for (const processId of frozen.splice(0)) signal(processId, 'SIGCONT')
  }
  onTestFinished(async () => {
    thaw()
    if ((await processesOf(cluster)).length > 0) await control('stop', '-m', 'immediate')
  })
  return {
    port,
    url: (database = SUPERUSER) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`,
    async start() {
      // The next run finds the server of a killed test by this name.
      const name = ownedBy((await processIdentity(process.pid)) ?? String(process.pid))
      await control('start', ...log, '-o', `-c cluster_name=${name}`)
    },
    stop: (mode) => control('stop', '-m', mode),
    restart: (mode) => control('restart', ...log, '-m', mode),
    promote: () => control('promote'),
    async kill() {
      const [first = 0, ...others] = await processesOf(cluster)
      signal(first, 'SIGKILL')
      const all = [first, ...others]
      await waitUntil(async () => (await Promise.all(all.map(processIdentity))).every((each) => each === undefined))
    },
    async freeze() {
      // The main process comes first, so that it starts no further processes.
      const [first = 0] = await processesOf(cluster)
      signal(first, 'SIGSTOP')
      const all = await processesOf(cluster)
      for (const processId of all) signal(processId, 'SIGSTOP')
      frozen.push(...all)
    },
    thaw,
    copy: (primary) => copyOf(files, primary),
  }
}

async function copyOf(source: ClusterFiles, primary?: PostgresCluster): Promise<PostgresCluster> {
  const files = await createFiles(source.password)
  const { code, output } = await runProgram('/bin/cp', ['-R', `${source.cluster}/.`, files.cluster], files.account)
  if (code !== 0) throw new Error(`cp: ${output}`)
  if (primary === undefined) await configure(files, {})
  else {
    const connection = `host=127.0.0.1 port=${primary.port} user=${SUPERUSER} password=${source.password}`
    await configure(files, { primary_conninfo: connection })
    await writeFile(path.join(files.cluster, 'standby.signal'), '')
  }
  return clusterAt(files)
}

/** Returns the processes of the server, the main process first; none if the server doesn't run. */
async function processesOf(cluster: string): Promise<number[]> {
  const lock = await readLock(cluster)
  if (lock === undefined || (await processIdentity(lock.processId)) === undefined) return []
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return [lock.processId, ...pairs.flatMap(([own = 0, parent]) => (parent === lock.processId ? [own] : []))]
}

/** Sends a signal. Ignores a process that has exited. */
function signal(processId: number, name: NodeJS.Signals): void {
  try {
    process.kill(processId, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
