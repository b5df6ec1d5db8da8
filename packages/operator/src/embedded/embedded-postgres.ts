// Runs the embedded PostgreSQL: one cluster in a data folder, with a Unix socket. Also finds a running server, and
// removes a data folder. This file orders the steps of a start, which other files implement.
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { connect, parseConnectionUrl } from '@store-export/postgres'
import { clearLeftovers, clearSockets } from './clear-leftovers.ts'
import { databaseUrl } from './database-url.ts'
import { ensureCluster, SUPERUSER } from './ensure-cluster.ts'
import { binariesPackage, findBinaries } from './find-binaries.ts'
import { clusterOf, type Folders, prepareFolders, removeFolders } from './folders.ts'
import { readLock } from './lock-file.ts'
import type { EmbeddedNotice } from './notice.ts'
import { findServer, ownedBy, processIdentity } from './process-identity.ts'
import { type ServerSettings, serverParameters } from './server-settings.ts'
import { type EmbeddedServerOptions, type PostgresServer, type StopMode, startServer } from './start-server.ts'

/** The data folder and the variable parts of a start. A missing `dataFolder` is created. */
export type EmbeddedPostgresOptions = {
  dataFolder: string
  /** Also listens on this port of 127.0.0.1. By default, the server listens only on the socket. */
  tcpPort?: number
  /** Server settings that override those of server-settings.ts. */
  settings?: ServerSettings
  /**
   * Folder of the npm package with PostgreSQL's programs. By default, the package that is installed for this platform.
   */
  packageFolder?: string | undefined
  /** Called during a start, and if the server exits unexpectedly. notice.ts has the kinds of notices. */
  onNotice?: (notice: EmbeddedNotice) => void
}

/** A running embedded PostgreSQL, and how to connect to it, restart it, and stop it. */
export type EmbeddedPostgres = {
  /**
   * Returns the superuser's URL of a database. With a `tcpPort`, it is a TCP URL with a password for this run.
   * Otherwise, it is a URL of the socket.
   */
  url(database: string): string
  readonly socketFolder: string
  /** The `tcpPort`; without one, the number in the name of the socket file. */
  readonly port: number
  /** Process ID of the server. A restart changes it. */
  readonly processId: number
  /** Whether this start created the cluster. */
  readonly isNew: boolean
  /**
   * Restarts the server, without changing the URL. The mode 'immediate' stops it like a crash; the default is 'fast'.
   * Rejects with `EmbeddedPostgresError` if the server doesn't start again.
   */
  restart(mode?: StopMode): Promise<void>
  /** Rolls back open transactions, writes data to disk, and stops the server. A second call has no effect. */
  stop(): Promise<void>
}

/** Part of the socket file's name. Any number works, because no other server uses the folder. */
const SOCKET_PORT = 5432

/**
 * Starts PostgreSQL on the data folder. First stops a server that a killed run left. Rejects with
 * `EmbeddedPostgresError` if the programs are missing or don't run, or if the server is not ready within 120 s. It also
 * rejects with this error if the folder is not writable, in use, or of another major version. With a `tcpPort`, rejects
 * with the client's error if it can't set the password, and then stops the server.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { tcpPort, onNotice = () => undefined, packageFolder = binariesPackage() } = options
  const folders = await prepareFolders(options.dataFolder, onNotice)
  const { account, cluster } = folders
  const binaries = await findBinaries({ account, copyFolder: folders.home, packageFolder })
  await clearLeftovers(cluster, onNotice)
  await clearSockets(folders.socket, cluster)
  const isNew = await ensureCluster(cluster, binaries, account)
  const wanted = await describeServer(binaries.postgres, folders, options)
  const server = supervise(await startServer(wanted), wanted, onNotice)
  const { port } = wanted
  const socket = { port, socketFolder: folders.socket }
  const address = tcpPort === undefined ? socket : { port, password: randomBytes(18).toString('base64url') }
  if ('password' in address) {
    await setPassword(databaseUrl(socket, SUPERUSER, SUPERUSER), address.password).catch(async (error: unknown) => {
      await server.stop()
      throw error
    })
  }
  const url = (database: string): string => databaseUrl(address, SUPERUSER, database)
  // A spread would copy the current `processId` instead of the getter.
  return Object.assign(server, { url, socketFolder: folders.socket, port, isNew })
}

/**
 * Returns the superuser's URLs, over the socket, of the server that runs on the data folder; undefined if no server is
 * ready.
 */
export async function findRunningPostgres(dataFolder: string): Promise<Pick<EmbeddedPostgres, 'url'> | undefined> {
  const cluster = await clusterOf(dataFolder)
  const lock = await readLock(cluster)
  if (lock?.ready !== true || (await findServer(lock.processId, cluster)) === undefined) return undefined
  return { url: (database) => databaseUrl(lock, SUPERUSER, database) }
}

/**
 * Removes the data folder, and its folders elsewhere. Stops a server that a killed run left. Rejects with
 * `EmbeddedPostgresError` if a running program uses the server.
 */
export async function removeEmbeddedPostgres(dataFolder: string): Promise<void> {
  await clearLeftovers(await clusterOf(dataFolder), () => undefined)
  await removeFolders(dataFolder)
}

async function describeServer(
  program: string,
  { account, cluster, data, socket }: Folders,
  { settings, tcpPort }: EmbeddedPostgresOptions,
): Promise<EmbeddedServerOptions> {
  const port = tcpPort ?? SOCKET_PORT
  // The name says which process started the server, so that a later start can stop the server of a killed run. If the
  // start time can't be read, the process ID alone is the identity.
  const name = ownedBy((await processIdentity(process.pid)) ?? String(process.pid))
  const fixed = { socketFolder: socket, port, tcp: tcpPort !== undefined, name }
  const parameters = serverParameters(cluster, fixed, settings)
  return { program, parameters, account, cluster, logFile: path.join(data, 'postgres.log'), port }
}

/** Controls the running server across restarts, and reports an unexpected exit. */
function supervise(
  first: PostgresServer,
  wanted: EmbeddedServerOptions,
  onNotice: (notice: EmbeddedNotice) => void,
): Pick<EmbeddedPostgres, 'processId' | 'restart' | 'stop'> {
  let server = first
  const stopped = new WeakSet<PostgresServer>()
  const watch = (watched: PostgresServer): void => {
    const text = `PostgreSQL exited unexpectedly; read ${wanted.logFile}, then start it again`
    void watched.ended.then(() => stopped.has(watched) || onNotice({ type: 'ended', text }))
  }
  const stop = async (mode?: StopMode): Promise<void> => {
    stopped.add(server)
    await server.stop(mode)
  }
  watch(first)
  return {
    get processId() {
      return server.processId
    },
    restart: async (mode) => {
      await stop(mode)
      server = await startServer(wanted)
      watch(server)
    },
    stop: () => stop(),
  }
}

/** Sets a password for this run, because every user of the machine can connect over TCP. */
async function setPassword(socket: string, password: string): Promise<void> {
  const connection = await connect(parseConnectionUrl(socket), { applicationName: 'store-export embedded' })
  try {
    await connection.script(`alter role ${SUPERUSER} password '${password}'`)
  } finally {
    await connection.close()
  }
}
