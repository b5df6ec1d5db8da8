// The service as it is served, in a process of its own: log lines are written (to nowhere), metrics are counted.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { SealingKey } from '@store-export/control'
import { readConfig } from '../../packages/operator/src/config.ts'
import { combine } from '../../packages/operator/src/events.ts'
import { createLog } from '../../packages/operator/src/log.ts'
import { createMetrics } from '../../packages/operator/src/metrics.ts'
import { type RunningService, startService } from '../../packages/operator/src/service.ts'
import { answerCalls } from './child-calls.ts'

/** What the process needs in order to start. */
export interface ServiceStart {
  readonly controlUrl: string
  readonly secret: Uint8Array
}

/** By how many ms a timer of a millisecond came late: all but one in a hundred, and the latest. */
export interface LoopHolds {
  readonly p99: number
  readonly most: number
}

const RESOLUTION_MS = 1

let service: RunningService | undefined
let watched: ReturnType<typeof monitorEventLoopDelay> | undefined

answerCalls({ start, watchLoop, loopHolds }, async () => service?.close())

/** Starts the service; its address. */
async function start({ controlUrl, secret }: ServiceStart): Promise<string> {
  const { config } = readConfig({ STORE_EXPORT_PORT: '0', STORE_EXPORT_REQUESTS_PER_MINUTE: '1000000000' })
  service = await startService({
    config,
    controlUrl,
    keys: { current: new SealingKey(Buffer.from(secret)), previous: null },
    emit: combine(
      createLog({ level: config.logLevel }).handleEvent,
      createMetrics({ version: 'bench', connectionLimits: {} }).handleEvent,
    ),
  })
  return service.url
}

/** From now on, until `loopHolds`: the timer itself costs something. */
async function watchLoop(): Promise<void> {
  watched = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  watched.enable()
}

async function loopHolds(): Promise<LoopHolds> {
  if (watched === undefined) throw new Error('the loop is not watched')
  watched.disable()
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
  return { p99: late(watched.percentile(99)), most: late(watched.max) }
}
