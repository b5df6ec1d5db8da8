// A store of a test platform, and a SQLite copy of it.

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreExportClient } from '@store-export/client'
import { LATEST_REVISION, type RevisionId } from '@store-export/contract'
import { onTestFinished } from 'vitest'
import type { TestPlatform, TestStore } from '../../../../test/support/platform.ts'
import { run, SqliteCopy, type SyncOptions, type SyncSummary } from '../../src/index.ts'
import { withWatermark } from './faulty-connection.ts'

export interface Shop {
  readonly store: TestStore
  readonly client: StoreExportClient
  /** A client of an older service without watermarks, so that a run uses its own clock. */
  readonly olderClient: StoreExportClient
  readonly file: string
  sync(more?: Partial<SyncOptions>): Promise<SyncSummary>
  /** Returns the IDs of a table of the copy, sorted. */
  ids(table: string): string[]
  /** Returns the first value of a query of the copy. */
  queryValue(query: string): unknown
  /** Changes the copy outside of a run. */
  changeCopy(statements: string): void
}

/**
 * Creates a store, and a folder for its copy. The folder is removed after the test, and the store with the platform.
 */
export async function createShop(platform: TestPlatform, revision: RevisionId = LATEST_REVISION): Promise<Shop> {
  const store = await platform.provision(revision)
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'shop.db')
  const address = { url: platform.service.url, key: store.key }
  const client = new StoreExportClient(address)
  const olderFetch: typeof fetch = async (input, init) => withWatermark(await fetch(input, init), null)
  const withDatabase = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(file)
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  return {
    store,
    client,
    olderClient: new StoreExportClient({ ...address, fetch: olderFetch }),
    file,
    sync: (more = {}) => run({ client, copy: new SqliteCopy(file), ...more }),
    ids: (table) =>
      withDatabase((database) =>
        database
          .prepare(`select id from ${table} order by id`)
          .all()
          .map((row) => String(row.id)),
      ),
    queryValue: (query) => withDatabase((database) => Object.values(database.prepare(query).get() ?? {})[0]),
    changeCopy: (statements) => withDatabase((database) => database.exec(statements)),
  }
}

export async function addOrders({ store }: Shop, count: number): Promise<void> {
  await store.sql`
    with made as (
      insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
      select gen_random_uuid(), 'o@example.com', 'paid', 10, 0, 0, 10.50, now(), now() from generate_series(1, ${count}::int)
      returning id
    )
    insert into order_items (id, order_id, product_id, name, price, quantity, created_at)
    select gen_random_uuid(), id, gen_random_uuid(), 'line ' || n, 5.25, 1, now() from made, generate_series(1, 2) n`
}
