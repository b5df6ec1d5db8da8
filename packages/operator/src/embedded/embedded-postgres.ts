// The embedded PostgreSQL: one cluster in a data folder, made on the first start, reached over a Unix socket.
// Here is the order of a start; each step is a file of its own. What is in the databases is not known here.
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

/** What to start. `dataFolder` is made when missing. */
export type EmbeddedPostgresOptions = {
  dataFolder: string
  /** Listens on this port of 127.0.0.1 too; by default on the socket only. */
  tcpPort?: number
  /** Server settings over those of server-settings.ts. */
  settings?: ServerSettings
  /** Folder of the npm package with PostgreSQL's programs; by default the one installed for this platform. */
  packageFolder?: string | undefined
  /** Hears what was done about earlier runs, and when the server ends by itself. */
  onNotice?: (notice: EmbeddedNotice) => void
}

/** A running embedded PostgreSQL. */
export type EmbeddedPostgres = {
  /** The superuser's URL of a database: TCP with a password of this run, or a socket's URL (see url.ts). */
  url(database: string): string
  readonly socketFolder: string
  readonly port: number
  /** The process number of the server; another one after a restart. */
  readonly processId: number
  /** True when this start made the cluster. */
  readonly isNew: boolean
  /** Stops and starts the server; its URL stays. 'immediate' is a crash. */
  restart(mode?: StopMode): Promise<void>
  /** Ends open transactions, writes data down and ends the server; safe to call again. */
  stop(): Promise<void>
}

/** Names the socket's file; the folder is ours alone, so any number does. */
const SOCKET_PORT = 5432

/** Starts PostgreSQL on the data folder; throws an EmbeddedPostgresError with one sentence that says what to do. */
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
  return Object.assign(server, { url, socketFolder: folders.socket, port, isNew })
}

/** The superuser's URLs of the server that runs on the data folder, for other commands beside it; else undefined. */
export async function findRunningPostgres(dataFolder: string): Promise<Pick<EmbeddedPostgres, 'url'> | undefined> {
  const cluster = await clusterOf(dataFolder)
  const lock = await readLock(cluster)
  if (lock?.ready !== true || (await findServer(lock.processId, cluster)) === undefined) return undefined
  return { url: (database) => databaseUrl(lock, SUPERUSER, database) }
}

/** Removes the data folder and all that lies elsewhere on its behalf; an EmbeddedPostgresError when the server runs. */
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
  const name = ownedBy((await processIdentity(process.pid)) ?? String(process.pid))
  const fixed = { socketFolder: socket, port, tcp: tcpPort !== undefined, name }
  const parameters = serverParameters(cluster, fixed, settings)
  return { program, parameters, account, cluster, logFile: path.join(data, 'postgres.log'), port }
}

/** Keeps hold of the server that runs now, across restarts. */
function supervise(
  first: PostgresServer,
  wanted: EmbeddedServerOptions,
  onNotice: (notice: EmbeddedNotice) => void,
): Pick<EmbeddedPostgres, 'processId' | 'restart' | 'stop'> {
  let server = first
  const meantToEnd = new WeakSet<PostgresServer>()
  const watch = (watched: PostgresServer): void => {
    const text = `PostgreSQL ended by itself: read ${wanted.logFile}, then start again.`
    void watched.ended.then(() => meantToEnd.has(watched) || onNotice({ type: 'ended', text }))
  }
  const stop = async (mode?: StopMode): Promise<void> => {
    meantToEnd.add(server)
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

/** Over TCP anybody on the machine may knock, so the superuser gets a password that lives as long as this run. */
async function setPassword(socket: string, password: string): Promise<void> {
  const connection = await connect(parseConnectionUrl(socket), { applicationName: 'store-export embedded' })
  try {
    await connection.script(`alter role ${SUPERUSER} password '${password}'`)
  } finally {
    await connection.close()
  }
}
