// Starts the PostgreSQL of a Linux distribution, so that benchmarks don't depend on how the embedded one was built. The
// server gets the same settings as the embedded one.

import { randomBytes } from 'node:crypto'
import { access, chown, constants, mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { type Account, chooseAccount } from '../../packages/operator/src/embedded/account.ts'
import { databaseUrl } from '../../packages/operator/src/embedded/database-url.ts'
import { runProgram } from '../../packages/operator/src/embedded/run-program.ts'
import { type ServerSettings, serverParameters } from '../../packages/operator/src/embedded/server-settings.ts'
import { startServer } from '../../packages/operator/src/embedded/start-server.ts'
import { openClient } from '../../test/support/client.ts'
import type { BenchServer } from './servers.ts'

/** Folder in which distributions install the programs of each version. */
const VERSIONS_FOLDER = '/usr/lib/postgresql'
const SUPERUSER = 'postgres'

/**
 * Returns the folder with `postgres` and `initdb`. This is `named`, the value of BENCH_POSTGRES_BIN. If `named` is
 * undefined, it is the folder of the newest installed version, or null if there is none. Rejects if `named` does not
 * contain both programs.
 */
export async function findSystemBinaries(named: string | undefined): Promise<string | null> {
  const versions = await readdir(VERSIONS_FOLDER).catch(() => [])
  const installed = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => path.join(VERSIONS_FOLDER, version, 'bin'))
  for (const folder of named === undefined ? installed : [named]) {
    const found = await Promise.all(['postgres', 'initdb'].map((program) => canRun(path.join(folder, program))))
    if (found.every(Boolean)) return folder
  }
  if (named !== undefined) throw new Error(`BENCH_POSTGRES_BIN: no postgres and initdb to run in ${named}`)
  return null
}

/**
 * Creates a cluster in the existing `dataFolder` and starts it. `remove` also deletes the folder. If the benchmark runs
 * as root, the server runs as an unprivileged user.
 */
export async function startSystemPostgres({
  binaries,
  dataFolder,
  port,
  settings,
}: {
  binaries: string
  dataFolder: string
  port: number
  settings: ServerSettings
}): Promise<BenchServer> {
  const cluster = path.join(dataFolder, 'cluster')
  const socketFolder = path.join(dataFolder, 'socket')
  const account = await chooseAccount(cluster)
  for (const folder of [cluster, socketFolder]) await makeOwn(folder, account)
  await makeCluster(path.join(binaries, 'initdb'), cluster, account)
  const parameters = serverParameters(cluster, { socketFolder, port, tcp: true, name: 'bench' }, settings)
  const program = path.join(binaries, 'postgres')
  const logFile = path.join(dataFolder, 'postgres.log')
  const server = await startServer({ program, parameters, account, cluster, logFile, port })
  const password = randomBytes(18).toString('base64url')
  const parts = new URLSearchParams({ host: socketFolder, port: String(port) })
  await setPassword(`postgresql://${SUPERUSER}@localhost/${SUPERUSER}?${parts}`, password)
  return {
    kind: 'system',
    processId: server.processId,
    url: (database) => databaseUrl({ port, password }, SUPERUSER, database),
    remove: async () => {
      // The folder is deleted, so the server needn't write its data to disk first.
      await server.stop('immediate')
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}

async function makeOwn(folder: string, account: Account): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  if (account !== undefined) await chown(folder, account.userId, account.groupId)
}

async function makeCluster(initdb: string, cluster: string, account: Account): Promise<void> {
  // Without `--no-sync`, initdb would wait for the disk. The cluster needn't survive a crash.
  const access = ['--auth-local=trust', '--auth-host=scram-sha-256']
  const parameters = ['-D', cluster, `--username=${SUPERUSER}`, ...access, '--encoding=UTF8', '--locale=C', '--no-sync']
  const { code, output } = await runProgram(initdb, parameters, account)
  if (code !== 0) throw new Error(`initdb failed: ${output}`)
}

/** Sets the password for connections over TCP. Connections over the socket need none (`--auth-local=trust`). */
async function setPassword(socketUrl: string, password: string): Promise<void> {
  const sql = openClient(socketUrl)
  try {
    await sql.unsafe(`alter role ${SUPERUSER} password '${password}'`)
  } finally {
    await sql.end()
  }
}

function canRun(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
}
