// The public API of the package: starts the dashboard, and manages merchants' accounts for the command line.

import { randomBytes } from 'node:crypto'
import type { ControlDatabase } from '@store-export/control'
import type { StoreReader } from '@store-export/engine'
import { Accounts } from './accounts/accounts.ts'
import type { SingleSignOnSettings } from './accounts/single-sign-on.ts'
import { createApp } from './app.ts'
import type { DashboardEventHandler } from './dashboard-event.ts'
import { DownloadLimiter } from './data/download-limiter.ts'
import { StoreTimeZones } from './data/store-time-zones.ts'
import { TimeSlicer } from './data/time-slicer.ts'
import { FormTokens } from './security/form-tokens.ts'
import { type Origins, originsOf } from './security/origins.ts'
import { type DashboardLimits, type ListenOptions, type RunningDashboard, serveApp } from './server.ts'
import type { Services } from './services.ts'

export { Accounts, InvalidEmailError } from './accounts/accounts.ts'
export { InvalidIssuerError, type SingleSignOnSettings } from './accounts/single-sign-on.ts'
export type { DashboardEvent } from './dashboard-event.ts'
export { InvalidDashboardUrlError } from './security/origins.ts'
export type { RunningDashboard } from './server.ts'

/** What the dashboard needs from the service: the control database, the reader of stores, and settings. */
export interface DashboardOptions {
  readonly database: ControlDatabase
  readonly reader: Pick<StoreReader, 'read' | 'columns' | 'exists'>
  /** Key that signs sessions and forms. All nodes share it. */
  readonly secret: string
  readonly listen: ListenOptions
  /** Public URL of the dashboard; null to serve only this machine. */
  readonly url: string | null
  /** Public URL of the API. */
  readonly apiUrl: string
  readonly requestLogHours: number
  readonly sessionDays: number
  readonly linkMinutes: number
  /** The provider of single sign-on; null without single sign-on. */
  readonly singleSignOn: SingleSignOnSettings | null
  /** Number of trusted proxies in front of the dashboard. */
  readonly proxies: number
  readonly limits: DashboardLimits
  readonly emit: DashboardEventHandler
}

/**
 * Starts the dashboard. Rejects with `InvalidDashboardUrlError`, with `InvalidIssuerError`, or with a system error if
 * the dashboard can't listen.
 */
export function startDashboard(options: DashboardOptions): Promise<RunningDashboard> {
  const { listen, limits, url } = options
  return serveApp(listen, limits, (port) => {
    const origins = originsOf(url ?? `http://127.0.0.1:${port}`)
    return { app: createApp(createServices(options, origins)), url: origins.url }
  })
}

function createServices(options: DashboardOptions, origins: Origins): Services {
  const { database, reader, secret, apiUrl, emit, proxies } = options
  const { requestLogHours, sessionDays, linkMinutes, singleSignOn } = options
  const timeSlicer = new TimeSlicer()
  return {
    database,
    reader,
    accounts: new Accounts({ database, secret, url: origins.url, sessionDays, linkMinutes, singleSignOn }),
    formTokens: new FormTokens({ secret, random: randomBytes, now: Date.now }),
    timeSlicer,
    timeZones: new StoreTimeZones({ reader, timeSlicer, now: () => performance.now() }),
    downloads: new DownloadLimiter(),
    origins,
    emit,
    apiUrl: apiUrl.replace(/\/+$/, ''),
    requestLogHours,
    proxies,
  }
}
