// Creates the databases of a benchmark: a control database with a key, and a demo store with a given number of orders.

import { randomBytes } from 'node:crypto'
import { LATEST_REVISION, type RevisionId } from '@store-export/contract'
import { addStore, createKey, EncryptionKey, migrate, openControlDatabase } from '@store-export/control'
import type { Connection } from '@store-export/postgres'
import type { Sql } from 'postgres'
import { DEMO_SEED, DEMO_STORES } from '../../packages/operator/src/demo/demo-stores.ts'
import { generateStore } from '../../packages/operator/src/demo/generate-store.ts'
import { loadStore } from '../../packages/operator/src/demo/load-store.ts'
import type { Row, RowBatch } from '../../packages/operator/src/demo/rows.ts'
import { HISTORY_END, timestampText } from '../../packages/operator/src/demo/timestamps.ts'
import { provisionStore } from '../../packages/operator/src/store-schema/provision-store.ts'
import { connectOnce, openClient, withConnection } from '../../test/support/client.ts'
import type { BenchServer } from './servers.ts'

/** The databases of a benchmark, and how to reach them. */
export interface Dataset {
  readonly controlUrl: string
  /** The 32 bytes that encrypt the password in the store's URL. */
  readonly secret: Buffer
  /** API key of the store. */
  readonly key: string
  /** URL of the role with which the service reads the store. */
  readonly readerUrl: string
  /** URL of the role that owns the store. */
  readonly ownerUrl: string
  /** A client of the owner. End it after use. */
  readonly sql: Sql
  /** Version of PostgreSQL, such as `PostgreSQL 15.4 …`. */
  readonly version: string
  /** Number of rows of the store, in all tables. */
  readonly rows: number
}

const CONTROL_DATABASE = 'bench_control'

/** Creates and fills both databases on an empty server. `orders` is the number of orders of the store. */
export async function makeDataset(
  server: BenchServer,
  orders: number,
  revision: RevisionId = LATEST_REVISION,
): Promise<Dataset> {
  const [{ id: storeId, name }] = DEMO_STORES
  const secret = randomBytes(32)
  const urls = await provisionStore({
    adminUrl: server.url('postgres'),
    storeId,
    name,
    revision,
    random: randomBytes,
    connect: connectOnce,
  })
  const key = await register({ server, secret, readerUrl: urls.readerUrl })
  const sql = openClient(urls.databaseUrl)
  const rows = await withConnection(urls.databaseUrl, (connection) => fill(connection, orders, revision))
  await checkpoint(server)
  const [{ version }] = await sql<[{ version: string }]>`select split_part(version(), ',', 1) as version`
  const { readerUrl, databaseUrl: ownerUrl } = urls
  return { controlUrl: server.url(CONTROL_DATABASE), secret, key, readerUrl, ownerUrl, sql, version, rows }
}

/** Loads the store and returns the number of rows. Customers and products grow with the orders, as in real shops. */
function fill(connection: Connection, orders: number, revision: RevisionId): Promise<number> {
  const [{ id, name, shop, size }] = DEMO_STORES
  const grown = { ...size, orders, customers: Math.ceil(orders / 5), products: Math.ceil(orders / 40) }
  const rows = generateStore({ seed: DEMO_SEED, storeId: id, name, revision, shop, size: grown })
  return loadStore(connection, revision, withoutSharedTimestamp(rows))
}

/**
 * Sets `updated_at` to `created_at` if it is the end of the demo's history, which many orders have. A filter on
 * `updated_at` that matches one of these orders would otherwise match all of them.
 */
function* withoutSharedTimestamp(batches: Iterable<RowBatch>): Generator<RowBatch> {
  const end = timestampText(HISTORY_END)
  const spreadOut = (row: Row): Row => (row.updated_at === end ? { ...row, updated_at: row.created_at ?? end } : row)
  for (const { table, rows } of batches) yield { table, rows: table === 'orders' ? rows.map(spreadOut) : rows }
}

/** Creates the control database, registers the store with its reader URL, and returns an API key of the store. */
async function register({
  server,
  secret,
  readerUrl,
}: {
  server: BenchServer
  secret: Buffer
  readerUrl: string
}): Promise<string> {
  const [{ id, name }] = DEMO_STORES
  // Unlike template1, template0 accepts no connections. PostgreSQL can't copy a database that has a connection.
  await administrate(server, `create database ${CONTROL_DATABASE} template template0`)
  await migrate({ url: server.url(CONTROL_DATABASE), random: randomBytes })
  const database = openControlDatabase(server.url(CONTROL_DATABASE), { poolSize: 1 })
  try {
    const keys = { current: new EncryptionKey(secret), previous: null }
    const store = { id, name, origin: 'generated', state: 'ready', databaseUrl: readerUrl } as const
    await addStore({ database, keys, random: randomBytes }, store)
    const made = await createKey({ database, random: randomBytes, storeId: id, name: 'bench', createdBy: null })
    return made.key.reveal()
  } finally {
    await database.close()
  }
}

/** Runs a checkpoint. Otherwise, PostgreSQL would write the loaded rows to disk during the measurement. */
function checkpoint(server: BenchServer): Promise<void> {
  return administrate(server, 'checkpoint')
}

async function administrate(server: BenchServer, statement: string): Promise<void> {
  const sql = openClient(server.url('postgres'))
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}
