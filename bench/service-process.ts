// The service as it is served, in a process of its own: log lines are written (to nowhere), metrics are counted.

import { combine, createLog, readConfig, SealingKey } from '@store-export/engine'
import { createMetrics } from '@store-export/engine/metrics'
import { type RunningService, startService } from '../packages/operator/src/service.ts'
import { answerCalls } from './child-calls.ts'

/** What the process needs in order to start. */
export interface ServiceStart {
  readonly controlUrl: string
  readonly secret: Uint8Array
}

let service: RunningService | undefined

answerCalls({ start }, async () => service?.close())

/** Starts the service; its address. */
async function start({ controlUrl, secret }: ServiceStart): Promise<string> {
  const { config } = readConfig({ STORE_EXPORT_PORT: '0', STORE_EXPORT_REQUESTS_PER_MINUTE: '1000000000' })
  service = await startService({
    config,
    controlUrl,
    keys: { current: new SealingKey(Buffer.from(secret)), previous: null },
    observe: combine(createLog({ level: config.logLevel }), createMetrics({ processMetrics: true }).observe),
  })
  return service.url
}
