// Opens the merchant's dashboard beside the API, with connections of its own, and translates what keeps it from opening.

import { randomBytes } from 'node:crypto'
import { openControlDatabase, readDashboardSecret, type SealingKeys } from '@store-export/control'
import type { StoreReader } from '@store-export/engine'
import { type Config, InvalidSettingError } from './config.ts'
import type { EventHandler } from './events.ts'
import { explainListenError } from './listen.ts'
import { singleSignOnSettings } from './single-sign-on.ts'

/** What the dashboard is opened with. */
export interface OpenDashboardOptions {
  readonly config: Config
  readonly controlUrl: string
  readonly keys: SealingKeys
  readonly emit: EventHandler
  readonly reader: StoreReader
  /** Address under which clients reach the API. */
  readonly apiUrl: string
  /** Aborted when the node is about to leave. */
  readonly ending?: AbortSignal
}

/** A dashboard that listens. */
export interface OpenDashboard {
  /** Address under which merchants reach it. */
  readonly url: string
  /** Lets answers under way end for `drainMs`, and closes everything. */
  readonly stop: (drainMs: number) => Promise<void>
}

/** Connections of the dashboard: people click, and what they read is small. */
const CONNECTIONS = 4

const NO_PROXIES =
  'STORE_EXPORT_DASHBOARD_PROXIES is 0, and TLS says that there is a proxy: guesses at the sign-in all count for its address'

/** Opens it. Throws a sentence where its port is taken, or a setting cannot be what it says. */
export async function openDashboard(parts: OpenDashboardOptions): Promise<OpenDashboard> {
  const { config, controlUrl, keys, emit, reader, apiUrl, ending } = parts
  const { preparedStatements, host, dashboardPort: port, dashboardProxies: proxies } = config
  const singleSignOn = singleSignOnSettings(config)
  const database = openControlDatabase(controlUrl, { poolSize: CONNECTIONS, preparedStatements })
  // loaded here, so that what serves no dashboard starts faster
  const { InvalidDashboardUrlError, InvalidIssuerError, startDashboard } = await import('@store-export/dashboard')
  try {
    const secret = await readDashboardSecret({ database, keys, random: randomBytes })
    const common = { ...config, database, reader, secret, apiUrl, emit, proxies, singleSignOn, limits: config }
    const listen = { host, port, ...(ending === undefined ? {} : { shutdown: ending }) }
    const running = await startDashboard({ ...common, listen, url: config.dashboardUrl })
    emit({ event: 'listener.opened', listener: 'dashboard', address: running.url })
    if (running.url.startsWith('https:') && proxies === 0) emit({ event: 'warning.raised', message: NO_PROXIES })
    return { url: running.url, stop: (drainMs) => running.stop(drainMs).then(() => database.close()) }
  } catch (error) {
    await database.close()
    if (error instanceof InvalidDashboardUrlError)
      throw new InvalidSettingError('STORE_EXPORT_DASHBOARD_URL', error.message, { cause: error })
    if (error instanceof InvalidIssuerError)
      throw new InvalidSettingError('STORE_EXPORT_OIDC_ISSUER', error.message, { cause: error })
    throw explainListenError(error, { host, port, portSetting: 'STORE_EXPORT_DASHBOARD_PORT' })
  }
}
