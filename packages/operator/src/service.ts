// Puts the service together: control database, stores, API, dashboard. The only place where they meet; what starts it
// (a command, a test) brings settings, secrets and an event handler.

import { createSecretKey, randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { hostname } from 'node:os'
import { createApiServer, type ReferenceRoute, Router, referenceRoutes } from '@store-export/api'
import {
  type Admitter,
  announceNode,
  type ControlDatabase,
  connectionUrlOf,
  createAdmitter,
  createUsageRecorder,
  openControlDatabase,
  readCursorSecret,
  type SealingKeys,
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
import { Pool, parseConnectionUrl, within } from '@store-export/postgres'
import { closeRemovedStores } from './close-removed-stores.ts'
import type { Config } from './config.ts'
import type { EventHandler } from './events.ts'
import { type OpenDashboard, openDashboard } from './open-dashboard.ts'

/** What a service is started with. */
export interface ServiceOptions {
  readonly config: Config
  readonly controlUrl: string
  readonly keys: SealingKeys
  readonly emit: EventHandler
  /** Whether the merchant's dashboard is served beside the API. */
  readonly dashboard?: boolean
  /** Aborted when the node is about to leave: from then on each response ends its connection. */
  readonly ending?: AbortSignal
}

/** A service that listens. */
export interface RunningService {
  /** Address of the API, for example `http://127.0.0.1:8080`. */
  readonly url: string
  /** Address of the dashboard; null without one. */
  readonly dashboardUrl: string | null
  readonly control: ControlDatabase
  readonly pools: StorePools
  readonly admitter: Pick<Admitter, 'sums'>
  /** Lets requests under way end, for as long as the settings say, and closes everything. */
  close(): Promise<void>
}

/** Starts the API. Rejects where the control database cannot be read or the port is taken. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { config, emit } = options
  const { preparedStatements } = config
  const control = openControlDatabase(options.controlUrl, { poolSize: BACKGROUND_CONNECTIONS, preparedStatements })
  const admitter = admitterOf(options)
  try {
    const cursorSecret = createSecretKey(await readCursorSecret(control))
    const documents = new Map<string, ReferenceRoute>()
    const connectionUrl = (address: StoreAddress) => connectionUrlOf(options.keys, address)
    const pools = new StorePools({ bounds: config, connectionUrl, emit })
    closeRemovedStores({ pools, database: control, emit })
    const { usageFlushMs: flushMs, requestLogLines } = config
    const usage = createUsageRecorder({ database: control, now: Date.now, emit, flushMs, requestLogLines })
    const reader = readerOf(options, pools)
    const { server, stop } = createApiServer({
      pipeline: {
        admit: admitter.admit,
        reader,
        router: new Router(),
        cursorSecret,
        requestsPerMinute: config.requestsPerMinute,
      },
      documents,
      limits: config,
      emit,
      recordUsage: usage.record,
      ...(options.ending === undefined ? {} : { ending: options.ending }),
    })
    const announcement = await announce(options, control)
    const url = await listen(server, config)
    for (const document of referenceOf(config, url)) documents.set(document.path, document)
    emit({ event: 'listener.opened', listener: 'api', address: url })
    const { drainSeconds } = config
    const parts = { stop, pools, usage, control, admitter, announcement, drainSeconds }
    const running = { url, control, pools, admitter }
    if (options.dashboard !== true) return { ...running, dashboardUrl: null, close: () => close(parts, null) }
    try {
      const dashboard = await openDashboard({ ...options, reader, apiUrl: publicUrlOf(config, url) })
      return { ...running, dashboardUrl: dashboard.url, close: () => close(parts, dashboard) }
    } catch (error) {
      await stop(0)
      throw error
    }
  } catch (error) {
    await Promise.all([control.close(), admitter.close()])
    throw error
  }
}

/** Connections for what is not on the path of a request: usage, and the commands that share the process. */
const BACKGROUND_CONNECTIONS = 2
/** How long a stopping node waits for the control database to delete its row. */
const FAREWELL_MS = 1000

/** Before it listens: from then on, `secrets rotate` waits for this node. */
function announce({ keys, emit }: ServiceOptions, database: ControlDatabase) {
  const name = `${hostname()} (pid ${process.pid})`
  return announceNode({ database, keys, name, random: randomBytes, emit })
}

function admitterOf({ config, controlUrl, emit }: ServiceOptions): Admitter {
  const { controlPoolSize, preparedStatements, requestsPerMinute, storeTimeoutMs } = config
  const pool = new Pool(parseConnectionUrl(controlUrl), {
    connectionsMax: controlPoolSize,
    applicationName: 'store-export',
    preparedStatements,
  })
  return createAdmitter({
    pool,
    poolSize: controlPoolSize,
    requestsPerMinute,
    timeoutMs: storeTimeoutMs,
    emit,
  })
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

/** A wait leaves at least half of a request's time for its rows. */
function transactionWaitMs(config: Config): number {
  return Math.min(config.transactionWaitMs, config.storeTimeoutMs / 2)
}

/** Where clients reach the API: the public address, else where it listens, as a program on this machine opens it. */
function publicUrlOf({ publicUrl, host }: Config, url: string): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
  return host === '0.0.0.0' || host === '::' ? `http://127.0.0.1:${new URL(url).port || '80'}` : url
}

/** The address in its examples is the public one; a demo, where the page sends requests, is reached where it listens. */
function referenceOf({ docsTryIt, publicUrl }: Config, url: string): ReferenceRoute[] {
  const baseUrl = publicUrl?.replace(/\/+$/, '') ?? (docsTryIt ? url : undefined)
  return referenceRoutes({ tryIt: docsTryIt, listensAt: url, ...(baseUrl === undefined ? {} : { baseUrl }) })
}

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

/** What a service closes when it stops. */
interface ServiceResources {
  readonly stop: (drainMs: number) => Promise<void>
  readonly pools: StorePools
  readonly usage: UsageRecorder
  readonly control: ControlDatabase
  readonly admitter: Admitter
  readonly announcement: { close(): Promise<void> }
  readonly drainSeconds: number
}

async function close(parts: ServiceResources, dashboard: OpenDashboard | null): Promise<void> {
  const { stop, pools, usage, control, admitter, announcement, drainSeconds } = parts
  await Promise.all([stop(drainSeconds * 1000), dashboard?.stop(drainSeconds * 1000)])
  await usage.close()
  // if this fails, the node counts as running for a while, which only delays a rotation
  await within(FAREWELL_MS, announcement.close(), () => undefined).catch(() => undefined)
  await Promise.all([pools.close(), control.close(), admitter.close()])
}
