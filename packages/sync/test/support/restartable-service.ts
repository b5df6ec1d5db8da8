// A service that can be restarted on the same address. Its rate limit is small, and a test clears the counts instead of
// waiting for the next window.

import postgres from 'postgres'
import type { TestPlatform } from '../../../../test/support/platform.ts'
import { readConfig } from '../../../operator/src/config.ts'
import { type RunningService, startService } from '../../../operator/src/service.ts'

const REQUESTS_PER_MINUTE = 25

/** A second service of a test platform. */
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

  static async start(platform: TestPlatform): Promise<RestartableService> {
    return new RestartableService(platform, await startOn(platform, '0'))
  }

  /** Stops the service and closes open requests. */
  async stop(): Promise<void> {
    const running = this.#running
    this.#running = running.then(async (service) => {
      await service?.close()
      return null
    })
    await this.#running
  }

  /** Starts the service on the same address unless it runs. */
  async start(): Promise<void> {
    const { port } = new URL(this.url)
    const running = this.#running
    this.#running = running.then((service) => service ?? startOn(this.#platform, port))
    await this.#running
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** Clears the request counts, as if a new window had started. */
  async nextMinute(): Promise<void> {
    await this.#control`delete from request_counters`
  }

  async close(): Promise<void> {
    await this.stop()
    await this.#control.end()
  }
}

function startOn({ controlUrl, encryptionKey, events }: TestPlatform, port: string): Promise<RunningService> {
  const { config } = readConfig({
    STORE_EXPORT_PORT: port,
    STORE_EXPORT_REQUESTS_PER_MINUTE: String(REQUESTS_PER_MINUTE),
    STORE_EXPORT_DRAIN_SECONDS: '0',
    STORE_EXPORT_COUNTS_MAX_AGE_SECONDS: '0',
  })
  return startService({
    config,
    controlUrl,
    keys: { current: encryptionKey, previous: null },
    emit: (event) => events.push(event),
  })
}
