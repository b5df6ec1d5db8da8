// Copies of one store, like those of a docs/sync reader: shop.db, folders of CSV and Parquet files, a PostgreSQL
// schema, and connections that query them.

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DuckDBInstance } from '@duckdb/node-api'
import { StoreExportClient } from '@store-export/client'
import { LATEST_REVISION } from '@store-export/contract'
import postgres from 'postgres'
import { vi } from 'vitest'
import { withConnection } from '../../../../test/support/client.ts'
import { createDatabase } from '../../../../test/support/databases.ts'
import { startPlatform, type TestStore } from '../../../../test/support/platform.ts'
import { loadStore } from '../../../operator/src/demo/load-store.ts'
import { type Copy, csvCopy, PostgresCopy, parquetCopy, run, SqliteCopy } from '../../src/index.ts'
import { type BlockValues, docsBlocks, inDuckDb, inPostgres, inSqlite, type RunText } from './docs-blocks.ts'
import type { ResultRow } from './docs-expected-rows.ts'
import { docsShop, type ShopRows } from './docs-shop.ts'

/** The copies, and what runs SQL on them. */
export interface DocsCopies {
  readonly store: TestStore
  readonly shop: ShopRows
  /** Runs a block of a page. `title` is `page/name`, and `values` are its parameters. */
  runBlock(engine: string, title: string, values?: BlockValues): Promise<ResultRow[]>
  /** Runs SQL that is in no page. */
  query(engine: string, text: string): Promise<ResultRow[]>
  sync(isFull?: boolean): Promise<void>
  /** Returns the blocks that no test has run yet. */
  unusedBlocks(): string[]
  close(): Promise<void>
}

/** Creates the copies in a new working directory, with the time zone Europe/Berlin. */
export async function createDocsCopies(): Promise<DocsCopies> {
  const platform = await startPlatform()
  const store = await platform.provision()
  const { rows: shop, batches } = docsShop(store.id)
  await withConnection(store.ownerUrl, (connection) => loadStore(connection, LATEST_REVISION, batches))
  const home = process.cwd()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  process.chdir(folder)
  vi.stubEnv('TZ', 'Europe/Berlin')
  const database = await createDatabase()
  const syncTo = (copy: Copy, isFull: boolean) => {
    const client = new StoreExportClient({ url: platform.service.url, key: store.key })
    return run({ client, copy, isFull })
  }
  const sync = async (isFull = false) => {
    await syncTo(new SqliteCopy('shop.db'), isFull)
    await syncTo(new PostgresCopy({ url: database.url }), isFull)
  }
  await sync()
  await syncTo(csvCopy('shop-csv'), false)
  await syncTo(parquetCopy('shop-parquet'), false)
  const { runners, close } = await openRunners(database.url)
  return {
    ...queriesOf(runners),
    store,
    shop,
    sync,
    async close() {
      await close()
      await database.drop()
      process.chdir(home)
      vi.unstubAllEnvs()
      await rm(folder, { recursive: true, force: true })
      await platform.close()
    },
  }
}

type Runners = Readonly<Record<string, RunText>>

async function openRunners(url: string): Promise<{ runners: Runners; close: () => Promise<void> }> {
  const file = new DatabaseSync('shop.db')
  // The time zone of the connection differs from that of the store.
  const connection = { TimeZone: 'America/New_York' }
  const sql = postgres(url, { max: 1, onnotice: () => undefined, connection })
  const duckDb = await DuckDBInstance.create(':memory:')
  const duck = await duckDb.connect()
  await duck.run(`set timezone = 'America/New_York'`)
  return {
    runners: { sqlite: inSqlite(file), postgres: inPostgres(sql), duckdb: inDuckDb(duck) },
    async close() {
      duck.closeSync()
      duckDb.closeSync()
      file.close()
      await sql.end()
    },
  }
}

function queriesOf(runners: Runners): Pick<DocsCopies, 'runBlock' | 'query' | 'unusedBlocks'> {
  const blocks = docsBlocks().map((block) => ({ ...block, title: `${block.page}/${block.name}` }))
  const used = new Set<unknown>()
  const query = async (engine: string, text: string, values: BlockValues = []) => {
    const runText = runners[engine]
    if (runText === undefined) throw new Error(`no connection to ${engine}`)
    return runText(text, values)
  }
  return {
    query,
    async runBlock(engine, title, values) {
      const block = blocks.find((each) => each.engine === engine && each.title === title)
      if (block === undefined) throw new Error(`docs/sync has no ${title} for ${engine}`)
      used.add(block)
      return query(engine, block.text, values)
    },
    unusedBlocks: () => blocks.filter((block) => !used.has(block)).map(({ engine, title }) => `${title} in ${engine}`),
  }
}
