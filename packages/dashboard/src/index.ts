// The public API of the package: starts the dashboard, and manages merchants' accounts for the command line.

import { randomBytes } from 'node:crypto'
import type { ControlDatabase } from '@store-export/control'
import type { StoreReader } from '@store-export/engine'
import { Accounts } from './accounts/accounts.ts'
import type { SingleSignOnSettings } from './accounts/single-sign-on.ts'
import { createMailer, type Mailer, type MailSettings } from './alerts/mailer.ts'
import { MuteTokens } from './alerts/mute-tokens.ts'
import { type AlertOptions, startAlerts } from './alerts/send-alerts.ts'
import { createApp } from './app.ts'
import type { DashboardEventHandler } from './dashboard-event.ts'
import { DownloadLimiter } from './data/download-limiter.ts'
import { StoreTimeZones } from './data/store-time-zones.ts'
import { TimeSlicer } from './data/time-slicer.ts'
import { FormTokens } from './security/form-tokens.ts'
import { type Origins, originsOf } from './security/origins.ts'
import { type DashboardLimits, type ListenOptions, type RunningDashboard, serveApp } from './server.ts'
import type { Services } from './services.ts'

export { Accounts } from './accounts/accounts.ts'
export { InvalidIssuerError, type SingleSignOnSettings } from './accounts/single-sign-on.ts'
export type { MailSettings } from './alerts/mailer.ts'
export type { DashboardEvent } from './dashboard-event.ts'
export { InvalidDashboardUrlError, InvalidFrameAncestorError, parseFrameAncestors } from './security/origins.ts'
export type { RunningDashboard } from './server.ts'

/** What the dashboard needs from the service: the control database, the reader of stores, and settings. */
export interface DashboardOptions {
  readonly database: ControlDatabase
  readonly reader: Pick<StoreReader, 'read' | 'columns' | 'exists'>
  /** Key for sessions, forms, new keys, second factors, and links that stop emails. All nodes share it. */
  readonly secret: string
  readonly listen: ListenOptions
  /** Public URL of the dashboard; null to serve only this machine. */
  readonly url: string | null
  /** The origins whose pages may show the dashboard in a frame, as `parseFrameAncestors` returns them. */
  readonly frameAncestors: readonly string[]
  /** Public URL of the API. */
  readonly apiUrl: string
  /** Hours for which the request log is stored. */
  readonly requestLogHours: number
  /** Days for which usage is stored by hour. */
  readonly usageHourDays: number
  /** First characters of new keys. */
  readonly keyPrefix: string
  /** Days for which a session stays valid without a request. */
  readonly sessionDays: number
  /** Minutes for which a one-time sign-in link is valid. */
  readonly linkMinutes: number
  /** The provider of single sign-on; null without single sign-on. */
  readonly singleSignOn: SingleSignOnSettings | null
  /** Number of trusted proxies in front of the dashboard. */
  readonly proxies: number
  /** The SMTP server for emails to merchants; null to send no emails. */
  readonly mail: MailSettings | null
  readonly limits: DashboardLimits
  readonly emit: DashboardEventHandler
}

/**
 * Starts the dashboard, and the checks that send emails. `stop` also waits for the emails that are being sent.
 *
 * Rejects with `InvalidDashboardUrlError` if `url` is not a URL, is insecure, or has a path or a query. Rejects with
 * `InvalidIssuerError` if the issuer of single sign-on is not a secure URL, and with a system error if the port is not
 * available.
 */
export async function startDashboard(options: DashboardOptions): Promise<RunningDashboard> {
  const { listen, limits, url } = options
  let alerts: { close(): Promise<void> } | null = null
  const running = await serveApp(listen, limits, (port) => {
    const origins = originsOf(url ?? `http://127.0.0.1:${port}`, options.frameAncestors)
    const services = createServices(options, origins)
    if (services.mailer !== null) alerts = openAlerts(services, services.mailer)
    return { app: createApp(services), url: origins.url }
  })
  const stop: RunningDashboard['stop'] = async (drainMs) => {
    await Promise.all([running.stop(drainMs), alerts?.close()])
  }
  return { ...running, stop }
}

/** Time in ms from the end of one check of all keys to the start of the next. */
const ALERTS_INTERVAL_MS = 5 * 60_000

function openAlerts(services: Services, mailer: Mailer): { close(): Promise<void> } {
  const timeZoneOf: AlertOptions['timeZoneOf'] = (address) => services.timeZones.of(address)
  return startAlerts({ services, timeZoneOf, mailer, now: () => new Date() }, ALERTS_INTERVAL_MS)
}

function createServices(options: DashboardOptions, origins: Origins): Services {
  const { database, reader, secret, apiUrl, emit, proxies } = options
  const { requestLogHours, usageHourDays, keyPrefix, sessionDays, linkMinutes, singleSignOn } = options
  const timeSlicer = new TimeSlicer()
  return {
    database,
    reader,
    accounts: new Accounts({ database, secret, ...origins, sessionDays, linkMinutes, singleSignOn }),
    muteTokens: new MuteTokens(secret),
    mailer: options.mail === null ? null : createMailer(options.mail),
    formTokens: new FormTokens({ secret, random: randomBytes, now: Date.now }),
    timeSlicer,
    timeZones: new StoreTimeZones({ reader, timeSlicer, now: () => performance.now() }),
    downloads: new DownloadLimiter(),
    origins,
    emit,
    apiUrl: apiUrl.replace(/\/+$/, ''),
    requestLogHours,
    usageHourDays,
    keyPrefix,
    proxies,
  }
}
