// Starts the dashboard with separate connections to the control database, and explains its errors.

import { randomBytes } from 'node:crypto'
import { type EncryptionKeys, openControlDatabase, readDashboardSecret } from '@store-export/control'
import type { StoreReader } from '@store-export/engine'
import { type Config, InvalidSettingError } from './config.ts'
import type { EventHandler } from './events.ts'
import { explainListenError } from './listen.ts'
import { mailSettings } from './mail-settings.ts'
import { singleSignOnSettings } from './single-sign-on.ts'

/** What the dashboard shares with the service. */
export interface OpenDashboardOptions {
  readonly config: Config
  readonly controlUrl: string
  readonly keys: EncryptionKeys
  readonly emit: EventHandler
  readonly reader: StoreReader
  /** The address at which clients reach the API. */
  readonly apiUrl: string
  /** Aborted when the shutdown starts. */
  readonly ending?: AbortSignal
}

/** A running dashboard. */
export interface OpenDashboard {
  /** Address of the dashboard for merchants. */
  readonly url: string
  /**
   * Stops listening, waits until all requests in flight have ended or `drainMs` have passed, and aborts the rest. Then
   * closes the connections to the control database.
   */
  readonly stop: (drainMs: number) => Promise<void>
}

/**
 * Number of the dashboard's connections to the control database. They are separate from those for API requests, so that
 * pages of the dashboard do not delay requests.
 */
const CONNECTIONS = 4

const NO_PROXIES =
  'STORE_EXPORT_DASHBOARD_PROXIES is 0, but the dashboard has an https:// address: behind a proxy, all sign-in attempts count for the address of the proxy'

/**
 * Starts the dashboard. After an error, closes its connections. Rejects with `UserError` if its port or host is not
 * available. Rejects with `InvalidSettingError` if its address, frame ancestors, single sign-on, or emails are set
 * wrongly. Rejects with `DecryptionError` if no key decrypts the dashboard's secret.
 */
export async function openDashboard(options: OpenDashboardOptions): Promise<OpenDashboard> {
  const { config, controlUrl, keys, emit, reader, apiUrl, ending } = options
  const { preparedStatements, host, dashboardPort: port, dashboardProxies: proxies } = config
  const singleSignOn = singleSignOnSettings(config)
  const mail = mailSettings(config)
  const database = openControlDatabase(controlUrl, { poolSize: CONNECTIONS, preparedStatements })
  // With a dynamic import, a node without the dashboard starts faster.
  const {
    InvalidDashboardUrlError,
    InvalidFrameAncestorError,
    InvalidIssuerError,
    parseFrameAncestors,
    startDashboard,
  } = await import('@store-export/dashboard')
  try {
    const secret = await readDashboardSecret({ database, keys, random: randomBytes })
    const common = { ...config, database, reader, secret, apiUrl, emit, proxies, singleSignOn, mail, limits: config }
    const listen = { host, port, ...(ending === undefined ? {} : { shutdown: ending }) }
    const frameAncestors = parseFrameAncestors(config.dashboardFrameAncestors ?? '')
    const running = await startDashboard({ ...common, listen, url: config.dashboardUrl, frameAncestors })
    emit({ event: 'listener.opened', listener: 'dashboard', address: running.url })
    if (running.url.startsWith('https:') && proxies === 0) emit({ event: 'warning.raised', message: NO_PROXIES })
    return { url: running.url, stop: (drainMs) => running.stop(drainMs).then(() => database.close()) }
  } catch (error) {
    await database.close()
    if (error instanceof InvalidDashboardUrlError)
      throw new InvalidSettingError('STORE_EXPORT_DASHBOARD_URL', error.message, { cause: error })
    if (error instanceof InvalidFrameAncestorError)
      throw new InvalidSettingError('STORE_EXPORT_DASHBOARD_FRAME_ANCESTORS', error.message, { cause: error })
    if (error instanceof InvalidIssuerError)
      throw new InvalidSettingError('STORE_EXPORT_OIDC_ISSUER', error.message, { cause: error })
    throw explainListenError(error, { host, port, portSetting: 'STORE_EXPORT_DASHBOARD_PORT' })
  }
}
