// A service of a test platform that can be restarted on its address, and whose limit is small: its counts are cleared
// in place of waiting for the next minute.

import postgres from 'postgres'
import type { TestPlatform } from '../../../../test/support/platform.ts'
import { readConfig } from '../../../operator/src/config.ts'
import { type RunningService, startService } from '../../../operator/src/service.ts'

/** Requests of one key in a minute: a few tables' worth. */
const REQUESTS_PER_MINUTE = 25

/** A second service of a platform. */
export class RestartableService {
  readonly url: string
  readonly #platform: TestPlatform
  readonly #control: postgres.Sql
  #running: Promise<RunningService | null>

  private constructor(platform: TestPlatform, running: RunningService) {
    this.#platform = platform
    this.#control = postgres(platform.controlUrl, { max: 1, onnotice: () => undefined })
    this.#running = Promise.resolve(running)
    this.url = running.url
  }

  /** Starts one beside the platform's own. */
  static async start(platform: TestPlatform): Promise<RestartableService> {
    return new RestartableService(platform, await startOn(platform, '0'))
  }

  /** Closes it; requests under way are cut. */
  async stop(): Promise<void> {
    const running = this.#running
    this.#running = running.then(async (service) => {
      await service?.close()
      return null
    })
    await this.#running
  }

  /** Starts it on the same address, unless it runs. */
  async start(): Promise<void> {
    const { port } = new URL(this.url)
    const running = this.#running
    this.#running = running.then((service) => service ?? startOn(this.#platform, port))
    await this.#running
  }

  /** Closes it and starts it. */
  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** As if the minute had passed. */
  async nextMinute(): Promise<void> {
    await this.#control`delete from request_counters`
  }

  /** Closes it for good. */
  async close(): Promise<void> {
    await this.stop()
    await this.#control.end()
  }
}

function startOn({ controlUrl, sealingKey, events }: TestPlatform, port: string): Promise<RunningService> {
  const { config } = readConfig({
    STORE_EXPORT_PORT: port,
    STORE_EXPORT_REQUESTS_PER_MINUTE: String(REQUESTS_PER_MINUTE),
    STORE_EXPORT_DRAIN_SECONDS: '0',
    STORE_EXPORT_COUNTS_MAX_AGE_SECONDS: '0',
  })
  return startService({
    config,
    controlUrl,
    keys: { current: sealingKey, previous: null },
    emit: (event) => events.push(event),
  })
}
