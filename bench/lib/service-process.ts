// Runs the service in a separate process, which writes log lines to /dev/null and counts metrics.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { EncryptionKey } from '@store-export/control'
import { readConfig } from '../../packages/operator/src/config.ts'
import { combine } from '../../packages/operator/src/events.ts'
import { createLog } from '../../packages/operator/src/log.ts'
import { createMetrics } from '../../packages/operator/src/metrics.ts'
import { type RunningService, startService } from '../../packages/operator/src/service.ts'
import { handleCalls } from './child-calls.ts'

/** The control database of the service, and the secret that decrypts passwords. */
export interface ServiceStart {
  readonly controlUrl: string
  readonly secret: Uint8Array
}

/** Delay of a timer of 1 ms, in ms: the 99th percentile and the maximum. */
export interface LoopDelay {
  readonly p99: number
  readonly maximum: number
}

const RESOLUTION_MS = 1

let service: RunningService | undefined
let watched: ReturnType<typeof monitorEventLoopDelay> | undefined

handleCalls({ start, watchLoop, readLoopDelay }, async () => service?.close())

/** Starts the service. Returns the address of the API. */
async function start({ controlUrl, secret }: ServiceStart): Promise<string> {
  const { config } = readConfig({ STORE_EXPORT_PORT: '0', STORE_EXPORT_REQUESTS_PER_MINUTE: '1000000000' })
  service = await startService({
    config,
    controlUrl,
    keys: { current: new EncryptionKey(Buffer.from(secret)), previous: null },
    emit: combine(
      createLog({ level: config.logLevel }).handleEvent,
      createMetrics({ version: 'bench', connectionLimits: {} }).handleEvent,
    ),
  })
  return service.url
}

/**
 * Measures the delay until `readLoopDelay` is called. The timer takes processor time, so it doesn't run during other
 * measurements.
 */
async function watchLoop(): Promise<void> {
  watched = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  watched.enable()
}

async function readLoopDelay(): Promise<LoopDelay> {
  if (watched === undefined) throw new Error('the loop is not watched')
  watched.disable()
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
  return { p99: late(watched.percentile(99)), maximum: late(watched.max) }
}
