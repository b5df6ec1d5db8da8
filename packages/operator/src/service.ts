// Assembles the service: control database, stores, API, and dashboard.

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { hostname } from 'node:os'
import {
  createApiServer,
  type LeakReportOptions,
  type ReferenceRoute,
  Router,
  referenceRoutes,
  type TelemetryHandler,
} from '@store-export/api'
import {
  type Admitter,
  announceNode,
  type ControlDatabase,
  ControlDatabaseError,
  connectionUrlOf,
  createAdmitter,
  createUsageRecorder,
  type EncryptionKeys,
  isDistributed,
  openControlDatabase,
  readCursorSecret,
  revokeLeakedKeys,
  type UsageRecorder,
} from '@store-export/control'
import {
  type StoreAddress,
  StoreColumns,
  StoreCounts,
  StorePools,
  StoreReader,
  TransactionWait,
} from '@store-export/engine'
import { type ConnectionTarget, InvalidUrlError, Pool, parseConnectionUrl, within } from '@store-export/postgres'
import manifest from '../package.json' with { type: 'json' }
import { closeRemovedStores } from './close-removed-stores.ts'
import { type Config, InvalidSettingError } from './config.ts'
import type { EventHandler } from './events.ts'
import { readReportKeys } from './leak-report-keys.ts'
import { type OpenDashboard, openDashboard } from './open-dashboard.ts'

/** The settings and secrets of a node, and which parts of the service it runs. */
export interface ServiceOptions {
  readonly config: Config
  readonly controlUrl: string
  readonly keys: EncryptionKeys
  readonly emit: EventHandler
  /** Whether the dashboard runs, too; false by default. */
  readonly dashboard?: boolean
  /** Gets each completed request to the API, for traces and metrics. */
  readonly onRequest?: TelemetryHandler
  /** Aborted when the shutdown starts. After that, each response closes its connection. */
  readonly ending?: AbortSignal
}

/** A running service. The control database and the pools stay open until `close`. */
export interface RunningService {
  /** Address of the API, such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** Address of the dashboard; null if it is not started. */
  readonly dashboardUrl: string | null
  readonly control: ControlDatabase
  readonly pools: StorePools
  /** Checks the keys of requests. `sums` counts its connections, for metrics. */
  readonly admitter: Pick<Admitter, 'sums'>
  /** Waits for requests in flight, up to the time in the settings, and then closes everything. */
  close(): Promise<void>
}

/**
 * Starts the service. Rejects with PostgreSQL client errors if the control database can't be read, and with the
 * system's error if the API's port is not available. Rejects with `InvalidSettingError` if the public keys of scanners
 * or the URL for key checks are invalid, and like `openDashboard`. After an error, closes what it has opened.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { config, emit, keys } = options
  const { control, admitter, secret } = await openControl(options)
  const connectionUrl = (address: StoreAddress) => connectionUrlOf(keys, address)
  const pools = new StorePools({ bounds: config, connectionUrl, emit })
  closeRemovedStores({ pools, database: control, emit })
  const { usageFlushMs: flushMs, requestLogLines } = config
  const usage = createUsageRecorder({ database: control, now: Date.now, emit, flushMs, requestLogLines })
  const parts: ServiceParts = { control, admitter, pools, usage, stopApi: null, announcement: null, dashboard: null }
  try {
    const url = await openListeners(options, parts, secret)
    const dashboardUrl = parts.dashboard?.url ?? null
    return { url, dashboardUrl, control, pools, admitter, close: () => close(parts, config.drainSeconds) }
  } catch (error) {
    await close(parts, 0)
    throw error
  }
}

/** Announces the node, and opens the API and the dashboard. Adds them to `parts`. Returns the address of the API. */
async function openListeners(options: ServiceOptions, parts: ServiceParts, secret: KeyObject): Promise<string> {
  const { config, emit, ending, onRequest } = options
  const { control, admitter, pools, usage } = parts
  const documents = new Map<string, ReferenceRoute>()
  const reader = readerOf(options, pools)
  const { admit } = admitter
  const { requestsPerMinute } = config
  const { server, stop } = createApiServer({
    pipeline: { admit, reader, router: new Router(), secret, requestsPerMinute },
    documents,
    limits: config,
    leakReports: leakReportsOf(options, control),
    emit,
    usage,
    ...(ending === undefined ? {} : { ending }),
    ...(onRequest === undefined ? {} : { onRequest }),
  })
  parts.stopApi = stop
  parts.announcement = await announce(options, control, pools)
  const url = await listen(server, config)
  // The examples in the documents can have the address of the listener, so they are created last.
  for (const document of referenceOf(config, url)) documents.set(document.path, document)
  emit({ event: 'listener.opened', listener: 'api', address: url })
  if (options.dashboard === true)
    parts.dashboard = await openDashboard({ ...options, reader, apiUrl: publicUrlOf(config, url) })
  return url
}

/**
 * Opens the control database. Reads the secret that seals cursors, and whether the keys are distributed over a cluster.
 * Creates the admitter.
 */
async function openControl(options: ServiceOptions) {
  const { preparedStatements } = options.config
  const control = openControlDatabase(options.controlUrl, { poolSize: BACKGROUND_CONNECTIONS, preparedStatements })
  try {
    const secret = createSecretKey(await readCursorSecret(control))
    return { control, secret, admitter: admitterOf(options, await isDistributed(control)) }
  } catch (error) {
    await control.close()
    throw error
  }
}

/** Number of connections for background work, such as usage and the daily cleanup. */
const BACKGROUND_CONNECTIONS = 2
/** Maximum time for a stopping node to delete its row in the control database. */
const UNREGISTER_MS_MAX = 1000

/** Registers the node before it listens, so that `secrets rotate` checks the node's secrets. */
function announce({ keys, emit }: ServiceOptions, database: ControlDatabase, pools: StorePools) {
  const name = `${hostname()} (pid ${process.pid})`
  const { version } = manifest
  return announceNode({ database, keys, name, version, servers: () => pools.servers(), random: randomBytes, emit })
}

/**
 * Returns the admitter, which checks keys with connections of its own. Throws `InvalidSettingError` for an invalid URL.
 */
function admitterOf({ config, controlUrl, emit }: ServiceOptions, isDistributed: boolean): Admitter {
  const { controlPoolSize, preparedStatements, requestsPerMinute, storeTimeoutMs } = config
  const target = keyCheckTarget(config) ?? parseConnectionUrl(controlUrl)
  const poolOf = (connectionsMax: number) =>
    new Pool(target, { connectionsMax, applicationName: 'store-export', preparedStatements })
  return createAdmitter({
    pool: poolOf(controlPoolSize),
    poolSize: controlPoolSize,
    lookups: isDistributed ? poolOf(1) : null,
    requestsPerMinute,
    timeoutMs: storeTimeoutMs,
    emit,
  })
}

/** Returns the server that checks keys; null without the setting. Throws `InvalidSettingError` for an invalid URL. */
function keyCheckTarget({ keyCheckUrl }: ServiceOptions['config']): ConnectionTarget | null {
  try {
    return keyCheckUrl === null ? null : parseConnectionUrl(keyCheckUrl.reveal())
  } catch (error) {
    if (!(error instanceof InvalidUrlError)) throw error
    throw new InvalidSettingError('STORE_EXPORT_KEY_CHECK_URL', error.message, { cause: error })
  }
}

/**
 * Returns what the endpoint for leak reports needs; null without the setting. Throws `InvalidSettingError` if the file
 * with the public keys can't be read or is invalid.
 */
function leakReportsOf({ config, emit }: ServiceOptions, control: ControlDatabase): LeakReportOptions | null {
  if (config.leakReportKeysFile === null) return null
  const keys = readReportKeys(config.leakReportKeysFile, emit)
  return {
    publicKeyOf: (identifier) => keys.find(identifier),
    async revoke(leaked) {
      try {
        return await revokeLeakedKeys(control, leaked)
      } catch (cause) {
        emit({ event: 'control.query_failed', requestId: null, cause })
        throw new ControlDatabaseError('the control database did not respond', { cause })
      }
    },
  }
}

function readerOf({ config, emit }: ServiceOptions, pools: StorePools): StoreReader {
  const now = () => performance.now()
  return new StoreReader({
    pools,
    columns: new StoreColumns({ refreshSeconds: config.schemaRefreshSeconds, emit, now }),
    transactionWait: new TransactionWait({ bounds: { ...config, transactionWaitMs: transactionWaitMs(config) }, emit }),
    counts: new StoreCounts({ maxAgeMs: config.countsMaxAgeSeconds * 1000, now }),
    emit,
    timeoutMs: config.storeTimeoutMs,
    pageBytesMax: config.pageBytesMax,
    scanBatchRows: config.scanBatchRows,
    preparedStatements: config.storePreparedStatements,
  })
}

/** Returns the maximum wait for open transactions, in ms: at most half of a request's time limit. */
function transactionWaitMs(config: Config): number {
  return Math.min(config.transactionWaitMs, config.storeTimeoutMs / 2)
}

/**
 * Returns the address for clients: the public address, or the address on this machine. The parsed URL of port 80 has no
 * port.
 */
function publicUrlOf({ publicUrl, host }: Config, url: string): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
  return host === '0.0.0.0' || host === '::' ? `http://127.0.0.1:${new URL(url).port || '80'}` : url
}

/**
 * Returns the reference pages. Their examples have the public address, or the listener's if the pages can send
 * requests.
 */
function referenceOf({ docsTryIt, publicUrl, securityContact, keyPrefix }: Config, url: string): ReferenceRoute[] {
  const baseUrl = publicUrl?.replace(/\/+$/, '') ?? (docsTryIt ? url : undefined)
  const addresses = { listensAt: url, ...(baseUrl === undefined ? {} : { baseUrl }) }
  return referenceRoutes({ tryIt: docsTryIt, securityContact, keyPrefix, ...addresses })
}

/** Listens, and resolves to the URL of the server. Rejects with the system's error, which `startServing` explains. */
function listen(server: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      const address = server.address()
      const actual = typeof address === 'object' && address !== null ? address.port : port
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`)
    })
  })
}

/** What a service has opened. A part is null until it has started. */
interface ServiceParts {
  readonly control: ControlDatabase
  readonly admitter: Admitter
  readonly pools: StorePools
  readonly usage: UsageRecorder
  stopApi: ((drainMs: number) => Promise<void>) | null
  announcement: { close(): Promise<void> } | null
  dashboard: OpenDashboard | null
}

/** Closes each part before the parts that it uses. Usage is written after the last request. */
async function close(parts: ServiceParts, drainSeconds: number): Promise<void> {
  const { stopApi, dashboard, pools, usage, control, admitter, announcement } = parts
  await Promise.all([stopApi?.(drainSeconds * 1000), dashboard?.stop(drainSeconds * 1000)])
  await usage.close()
  // After an error, the node counts as running for some time, which only delays a rotation of secrets.
  if (announcement !== null)
    await within(UNREGISTER_MS_MAX, announcement.close(), () => undefined).catch(() => undefined)
  await Promise.all([pools.close(), control.close(), admitter.close()])
}
