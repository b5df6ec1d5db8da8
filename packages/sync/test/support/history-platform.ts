// A platform for several histories: a store for each schema version, created on first use, and a service that can be
// restarted.

import type { RevisionId } from '@store-export/contract'
import { inject } from 'vitest'
import { connectOnce, openClient } from '../../../../test/support/client.ts'
import { startPlatform, type TestPlatform } from '../../../../test/support/platform.ts'
import { upgradeStore } from '../../../operator/src/store-schema/provision-store.ts'
import { RestartableService } from './restartable-service.ts'
import { openWrittenStore, type WrittenStore } from './source-store.ts'

export class HistoryPlatform {
  readonly service: RestartableService
  readonly #platform: TestPlatform
  readonly #stores = new Map<RevisionId, WrittenStore>()
  readonly #readingKeys = new Map<string, string>()

  private constructor(platform: TestPlatform, service: RestartableService) {
    this.#platform = platform
    this.service = service
  }

  static async start(): Promise<HistoryPlatform> {
    const platform = await startPlatform()
    return new HistoryPlatform(platform, await RestartableService.start(platform))
  }

  /** Returns a store of this schema version. A store that will be upgraded (`isUpgraded`) is for one history only. */
  async storeAt(revision: RevisionId, isUpgraded: boolean): Promise<WrittenStore> {
    const known = this.#stores.get(revision)
    if (known !== undefined && !isUpgraded) return known
    const created = openWrittenStore(await this.#platform.provision(revision))
    if (!isUpgraded) this.#stores.set(revision, created)
    return created
  }

  /** Returns a second key of the store, so that the test does not use up the limit of the copy's key. */
  async readingKey({ store }: WrittenStore): Promise<string> {
    const key = this.#readingKeys.get(store.id) ?? (await this.#platform.newKey(store.id)).key
    this.#readingKeys.set(store.id, key)
    return key
  }

  /** Upgrades a store to a newer schema version and restarts the service. */
  async upgrade({ store }: WrittenStore, to: RevisionId): Promise<void> {
    const readerRole = decodeURIComponent(new URL(store.readerUrl).username)
    await upgradeStore({ ownerOrAdminUrl: store.ownerUrl, to, readerRole, connect: connectOnce })
    await this.service.restart()
  }

  /** Ends the connections of a store and drops its database. */
  async drop({ store, late }: WrittenStore): Promise<void> {
    await Promise.all([store.sql.end({ timeout: 1 }), late.end({ timeout: 1 })])
    const admin = openClient(inject('postgresUrl'))
    await admin.unsafe(`drop database if exists "${new URL(store.ownerUrl).pathname.slice(1)}" with (force)`)
    await admin.end()
  }

  async close(): Promise<void> {
    for (const { late } of this.#stores.values()) await late.end({ timeout: 1 })
    await this.service.close()
    await this.#platform.close()
  }
}
