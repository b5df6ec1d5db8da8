// Runs the service for `serve` and `demo`: the API, the dashboard, the admin API, the operations listener, and a daily
// cleanup. The operations listener starts first, so that /readyz says `starting`. The shutdown reverses the order:
//
// 1. After SIGTERM, waits while load balancers learn from /readyz that this node stops.
// 2. Stops the audit log, which needs the service's connections.
// 3. Drains and closes the admin API, then the API and the dashboard, and writes the usage.
// 4. Closes the operations listener, which reports the steps before, sends the last traces, and closes the connection
//    of /readyz.

import { setTimeout } from 'node:timers/promises'
import {
  type ControlDatabase,
  deleteEndedSignIns,
  deleteEndedWindows,
  deleteFormTokens,
  deleteOldInvitations,
  deleteOldResponses,
  deleteOldUsage,
  type EncryptionKeys,
  endExpiredKeys,
  repairAdmissions,
  startAuditLog,
  sumUpOldHours,
} from '@store-export/control'
import manifest from '../package.json' with { type: 'json' }
import type { Config } from './config.ts'
import { combine, type EventHandler } from './events.ts'
import type { Lifecycle } from './lifecycle.ts'
import { explainListenError } from './listen.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { recordPages, startTelemetry } from './opentelemetry/telemetry.ts'
import { startOperationsListener } from './operations-listener.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import type { RunningService } from './service.ts'

/** What the service runs with. `lifecycle` gets the steps that stop it. */
export interface ServingOptions {
  readonly config: Config
  readonly controlUrl: string
  readonly keys: EncryptionKeys
  readonly log: Log
  readonly lifecycle: Lifecycle
  /** Whether the dashboard runs, too. */
  readonly dashboard: boolean
}

/** The addresses of a running service. */
export interface ServingAddresses {
  /** Address of the API. */
  readonly url: string
  /** Address of the dashboard; null without the dashboard. */
  readonly dashboardUrl: string | null
  /** Address of the operations listener; null if it is off. */
  readonly operationsUrl: string | null
}

/** The state of a start. `service` is null until the API listens. */
interface StartupState {
  service: RunningService | null
}

/**
 * Log levels at which a node writes audit events. Audit events have the level info, so at less verbose levels the node
 * leaves them to other nodes.
 */
const AUDIT_LOG_LEVELS: readonly Config['logLevel'][] = ['info', 'debug']
const DAY_MS = 86_400_000
/** Hours after which a used form token is deleted. The service no longer accepts a form of this age. */
const SENT_FORM_HOURS = 24
/** Time for the other steps of a shutdown, in addition to the lame-duck time and draining. */
const CLOSING_MS = 10_000

/** Returns the maximum time of a shutdown, in ms. */
export function shutdownTimeoutMs({ lameDuckSeconds, drainSeconds }: Config): number {
  return (lameDuckSeconds + drainSeconds) * 1000 + CLOSING_MS
}

/**
 * Starts the service. `lifecycle` gets the steps that stop it. Rejects with `UserError` if a port is not available, and
 * like `startService`. After an error, close the lifecycle, because some listeners can be open.
 */
export async function startServing(options: ServingOptions): Promise<ServingAddresses> {
  const { config, controlUrl, keys, log, lifecycle, dashboard } = options
  // With a dynamic import, other commands start faster.
  const { createMetrics } = await import('./metrics.ts')
  const metrics = createMetrics({
    version: manifest.version,
    connectionLimits: {
      stores: config.storeConnectionsMax,
      store_server: config.storeServerConnectionsMax,
      store: config.storePoolSize,
      control: config.controlPoolSize,
    },
  })
  const telemetry = await startTelemetry(manifest.version, log.handleEvent)
  const emit = combine(
    log.handleEvent,
    metrics.handleEvent,
    ...(telemetry === null ? [] : [recordPages(telemetry.record, config.adminTlsCertFile === null ? 'http' : 'https')]),
  )
  const keyCheckUrl = config.keyCheckUrl?.reveal() ?? null
  const readiness = createReadiness({ controlUrl, keyCheckUrl, keys, signal: lifecycle.signal, emit })
  lifecycle.onClose(() => readiness.close())
  if (telemetry !== null) lifecycle.onClose(() => telemetry.close())
  const started: StartupState = { service: null }
  const operationsUrl = await startOperationsOf(options, { metrics, readiness, started })
  const onRequest = telemetry === null ? {} : { onRequest: telemetry.record }
  const service = await startApi({ config, controlUrl, keys, emit, dashboard, ending: lifecycle.signal, ...onRequest })
  started.service = service
  lifecycle.onClose(() => service.close())
  if (config.adminPort !== 0) {
    // With a dynamic import, a node without the admin API starts faster.
    const { openAdmin } = await import('./open-admin.ts')
    const admin = await openAdmin({ config, controlUrl, keys, emit })
    lifecycle.onClose(() => admin.stop(config.drainSeconds * 1000))
  }
  if (AUDIT_LOG_LEVELS.includes(config.logLevel)) {
    const auditLog = startAuditLog({ database: service.control, record: log.record, emit })
    lifecycle.onClose(() => auditLog.close())
  }
  lifecycle.onClose((reason) => waitForBalancers(reason, config))
  cleanDaily(service.control, config, emit)
  return { url: service.url, dashboardUrl: service.dashboardUrl, operationsUrl }
}

/**
 * Waits only after SIGTERM, which supervisors send. Ctrl-C in a terminal and internal errors stop the node immediately.
 */
async function waitForBalancers(reason: string, { lameDuckSeconds }: Config): Promise<void> {
  if (reason === 'SIGTERM') await setTimeout(lameDuckSeconds * 1000)
}

async function startOperationsOf(
  { config, lifecycle, log }: ServingOptions,
  parts: { readonly metrics: Metrics; readonly readiness: Readiness; readonly started: StartupState },
): Promise<string | null> {
  if (config.operationsPort === 0) return null
  const { metrics, readiness, started } = parts
  const operations = await startOperationsListener({
    host: config.host,
    port: config.operationsPort,
    whyNotReady: async () => (started.service === null ? 'starting' : readiness.whyNotReady()),
    metrics: async () => {
      sampleState(metrics, started, log)
      return { text: await metrics.text(), contentType: metrics.contentType }
    },
  })
  lifecycle.onClose(() => operations.close())
  log.handleEvent({ event: 'listener.opened', listener: 'operations', address: operations.url })
  return operations.url
}

/** Updates the gauges when metrics are requested, because gauges are states, not events. */
function sampleState({ handleEvent }: Metrics, { service }: StartupState, log: Log): void {
  handleEvent({ event: 'log.lines_dropped', lines: log.takeDropped() })
  if (service === null) return
  handleEvent({ event: 'pool.sampled', pool: 'stores', ...service.pools.sums() })
  handleEvent({ event: 'servers.sampled', servers: service.pools.servers() })
  handleEvent({ event: 'pool.sampled', pool: 'control', ...service.admitter.sums() })
}

async function startApi(options: Parameters<typeof import('./service.ts').startService>[0]): Promise<RunningService> {
  const { host, port } = options.config
  const { startService } = await import('./service.ts')
  try {
    return await startService(options)
  } catch (error) {
    throw explainListenError(error, { host, port, portSetting: 'STORE_EXPORT_PORT' })
  }
}

/**
 * Deletes expired data, sums up old usage, repairs the copies of keys in a distributed database, and ends expired keys,
 * now and once a day. An error of one deletion becomes an event, and doesn't stop the others. The timer doesn't prevent
 * the process from exiting.
 */
function cleanDaily(database: ControlDatabase, config: Config, emit: EventHandler): void {
  const { usageHourDays, usageMonths, requestLogHours } = config
  const cleanUsage = async () => {
    // The two cleanups run one after the other, because each skips past hours while the other one changes them.
    await deleteOldUsage({ database, usageMonths, requestLogHours, now: new Date() })
    await sumUpOldHours({ database, usageHourDays, now: new Date() })
  }
  const clean = () => {
    const deletions = [
      cleanUsage(),
      repairAdmissions(database),
      deleteFormTokens(database, SENT_FORM_HOURS),
      deleteEndedWindows(database),
      deleteEndedSignIns(database),
      deleteOldInvitations(database),
      deleteOldResponses(database),
      endExpiredKeys(database),
    ]
    for (const deletion of deletions) {
      deletion.catch((cause: unknown) => emit({ event: 'control.query_failed', requestId: null, cause }))
    }
  }
  clean()
  setInterval(clean, DAY_MS).unref()
}
