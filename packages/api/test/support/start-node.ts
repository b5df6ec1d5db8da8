// Starts further nodes of a platform, on the same control database.

import { pooledSettings, type TestPlatform } from '../../../../test/support/platform.ts'
import { readConfig } from '../../../operator/src/config.ts'
import type { EventHandler } from '../../../operator/src/events.ts'
import { type RunningService, startService } from '../../../operator/src/service.ts'

/** What a further node runs besides the API, and what it calls for events: by default, the platform gets them. */
interface NodeOptions {
  readonly dashboard?: boolean
  readonly emit?: EventHandler
}

/** Starts another node of the platform. The caller closes it. */
export function startNode(
  platform: TestPlatform,
  settings: Record<string, string> = {},
  { dashboard = false, emit = (event) => platform.events.push(event) }: NodeOptions = {},
): Promise<RunningService> {
  const named = Object.entries(settings).map(([name, value]) => [`STORE_EXPORT_${name}`, value])
  const { config } = readConfig({
    STORE_EXPORT_PORT: '0',
    STORE_EXPORT_DASHBOARD_PORT: '0',
    STORE_EXPORT_REQUESTS_PER_MINUTE: '100000',
    ...pooledSettings(),
    ...Object.fromEntries(named),
  })
  return startService({
    config,
    controlUrl: platform.controlUrl,
    keys: { current: platform.encryptionKey, previous: null },
    emit,
    dashboard,
  })
}
