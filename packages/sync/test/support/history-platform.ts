// A platform for many histories: a store at each revision, made when it is first asked for, and a service that is
// restarted.

import type { RevisionId } from '@store-export/contract'
import { inject } from 'vitest'
import { connectOnce, openClient } from '../../../../test/support/client.ts'
import { startPlatform, type TestPlatform } from '../../../../test/support/platform.ts'
import { upgradeStore } from '../../../operator/src/store-schema/provision-store.ts'
import { RestartableService } from './restartable-service.ts'
import { type WrittenStore, writtenStore } from './source-store.ts'

/** Stores and a service. */
export class HistoryPlatform {
  readonly service: RestartableService
  readonly #platform: TestPlatform
  readonly #stores = new Map<RevisionId, WrittenStore>()
  readonly #readingKeys = new Map<string, string>()

  private constructor(platform: TestPlatform, service: RestartableService) {
    this.#platform = platform
    this.service = service
  }

  /** Starts it. */
  static async start(): Promise<HistoryPlatform> {
    const platform = await startPlatform()
    return new HistoryPlatform(platform, await RestartableService.start(platform))
  }

  /** A store at the revision; one that `climbs` is for one history. */
  async storeAt(revision: RevisionId, climbs: boolean): Promise<WrittenStore> {
    const known = this.#stores.get(revision)
    if (known !== undefined && !climbs) return known
    const made = writtenStore(await this.#platform.provision(revision))
    if (!climbs) this.#stores.set(revision, made)
    return made
  }

  /** A key of the store that the copy does not use. */
  async readingKey({ store }: WrittenStore): Promise<string> {
    const key = this.#readingKeys.get(store.id) ?? (await this.#platform.newKey(store.id)).key
    this.#readingKeys.set(store.id, key)
    return key
  }

  /** Brings a store to a newer revision, and starts the service again, as an upgrade of the platform does. */
  async upgrade({ store }: WrittenStore, to: RevisionId): Promise<void> {
    const readerRole = decodeURIComponent(new URL(store.readerUrl).username)
    await upgradeStore({ ownerOrAdminUrl: store.ownerUrl, to, readerRole, connect: connectOnce })
    await this.service.restart()
  }

  /** Drops the database of a store that was for one history. */
  async drop({ store, late }: WrittenStore): Promise<void> {
    await Promise.all([store.sql.end({ timeout: 1 }), late.end({ timeout: 1 })])
    const admin = openClient(inject('postgresUrl'))
    await admin.unsafe(`drop database if exists "${new URL(store.ownerUrl).pathname.slice(1)}" with (force)`)
    await admin.end()
  }

  /** Closes everything. */
  async close(): Promise<void> {
    for (const { late } of this.#stores.values()) await late.end({ timeout: 1 })
    await this.service.close()
    await this.#platform.close()
  }
}
