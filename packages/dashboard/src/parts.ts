// What the dashboard is made of, put together once and handed to the routes.

import type { ControlDatabase } from '@store-export/control'
import type { StoreReader } from '@store-export/engine'
import type { Accounts } from './accounts/accounts.ts'
import type { DashboardEventHandler } from './dashboard-event.ts'
import type { Downloads } from './data/downloads.ts'
import type { StoreZones } from './data/store-zones.ts'
import type { Turns } from './data/turns.ts'
import type { FormTokens } from './security/form-tokens.ts'
import type { Origins } from './security/origins.ts'

/** The parts. */
export interface Parts {
  readonly database: ControlDatabase
  readonly reader: Pick<StoreReader, 'read' | 'columns' | 'exists'>
  readonly accounts: Accounts
  readonly tokens: FormTokens
  readonly zones: StoreZones
  readonly turns: Turns
  readonly downloads: Downloads
  readonly origins: Origins
  readonly emit: DashboardEventHandler
  /** Address of the API for clients, without a slash at the end. */
  readonly apiUrl: string
  readonly requestsPerMinute: number
  /** How long the request log and walks are kept. */
  readonly requestLogHours: number
  /** Our proxies before the dashboard. */
  readonly proxies: number
}
