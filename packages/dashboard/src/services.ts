// Declares the objects and settings that all routes share.

import type { ControlDatabase } from '@store-export/control'
import type { StoreReader } from '@store-export/engine'
import type { Accounts } from './accounts/accounts.ts'
import type { Mailer } from './alerts/mailer.ts'
import type { MuteTokens } from './alerts/mute-tokens.ts'
import type { DashboardEventHandler } from './dashboard-event.ts'
import type { DownloadLimiter } from './data/download-limiter.ts'
import type { StoreTimeZones } from './data/store-time-zones.ts'
import type { TimeSlicer } from './data/time-slicer.ts'
import type { FormTokens } from './security/form-tokens.ts'
import type { Origins } from './security/origins.ts'

/** The objects and settings of one dashboard. `startDashboard` creates them once. */
export interface Services {
  readonly database: ControlDatabase
  readonly reader: Pick<StoreReader, 'read' | 'columns' | 'exists'>
  readonly accounts: Accounts
  readonly formTokens: FormTokens
  readonly muteTokens: MuteTokens
  /** Sends emails to merchants; null without an SMTP server. */
  readonly mailer: Mailer | null
  readonly timeZones: StoreTimeZones
  readonly timeSlicer: TimeSlicer
  readonly downloads: DownloadLimiter
  readonly origins: Origins
  readonly emit: DashboardEventHandler
  /** Public URL of the API, without a slash at the end. */
  readonly apiUrl: string
  /** Hours for which the service retains the request log and walks. */
  readonly requestLogHours: number
  /** Days for which usage is stored by hour. Older usage is stored by UTC day. */
  readonly usageHourDays: number
  /** First characters of new keys. */
  readonly keyPrefix: string
  /** Number of trusted proxies in front of the dashboard. */
  readonly proxies: number
}
