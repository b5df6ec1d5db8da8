// Copies of one store as the reader of docs/sync has them: shop.db and a folder shop of files in the folder in which they
// work, a PostgreSQL schema, and the programs to ask them with.

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
import type { AnswerRow } from './docs-answers.ts'
import { docsBlocks, inDuckDb, inPostgres, inSqlite, type RunText } from './docs-blocks.ts'
import { docsShop, type ShopRows } from './docs-shop.ts'

/** What the pages' tests work with. */
export interface DocsCopies {
  readonly store: TestStore
  readonly shop: ShopRows
  /** What a block answers; `title` is `page/name`, `values` are for its places. */
  say(engine: string, title: string, values?: readonly string[]): Promise<AnswerRow[]>
  /** Asks with words that are in no page. */
  ask(engine: string, text: string): Promise<AnswerRow[]>
  /** Brings the copies in SQLite and PostgreSQL up to date. */
  sync(isFull?: boolean): Promise<void>
  /** Blocks that nothing has run yet. */
  unasked(): string[]
  close(): Promise<void>
}

/** Makes them, in a folder that becomes the process's own, with Berlin as its time zone. */
export async function makeDocsCopies(): Promise<DocsCopies> {
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
    ...asking(runners),
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
  // neither computer knows the store's time zone by itself
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

function asking(runners: Runners): Pick<DocsCopies, 'say' | 'ask' | 'unasked'> {
  const blocks = docsBlocks().map((block) => ({ ...block, title: `${block.page}/${block.name}` }))
  const asked = new Set<unknown>()
  const ask = async (engine: string, text: string, values: readonly string[] = []) => {
    const runText = runners[engine]
    if (runText === undefined) throw new Error(`there is no ${engine}`)
    return runText(text, values)
  }
  return {
    ask,
    async say(engine, title, values) {
      const block = blocks.find((each) => each.engine === engine && each.title === title)
      if (block === undefined) throw new Error(`docs/sync has no ${title} for ${engine}`)
      asked.add(block)
      return ask(engine, block.text, values)
    },
    unasked: () => blocks.filter((block) => !asked.has(block)).map(({ engine, title }) => `${title} in ${engine}`),
  }
}
