// Creates the store on the server under test (`npm run test:server`). That server has one empty database for all tests.
// The first store of a platform at the latest schema version uses that database. Others use the tests' PostgreSQL.

import { LATEST_REVISION, type RevisionId } from '@store-export/contract'
import { type Connection, executeOn, sql } from '@store-export/postgres'
import { inject } from 'vitest'
import { migrateStore } from '../../packages/operator/src/store-schema/migrate-store.ts'
import { readerGrantsSql } from '../../packages/operator/src/store-schema/reader-role.ts'
import { splitStatements } from '../../packages/operator/src/store-schema/sql-text.ts'
import { withConnection } from './client.ts'
import { createReader, emptyDatabase } from './server-database.ts'

export interface StoreServer {
  /** The owner's URL of the empty database. */
  readonly url: string
  /** Role that reads the store; null if the service reads as the owner. */
  readonly reader: string | null
  /** SQL that runs after the schema is created, before rows are written. */
  readonly afterSchema: string
}

interface Wanted {
  readonly storeId: string
  readonly name: string
  readonly revision: RevisionId
}

/** The owner's and the reader's URL of a store. */
interface StoreUrls {
  readonly databaseUrl: string
  readonly readerUrl: string
}

/**
 * ID of the store that uses the database; null if the database is free. Test files run one after another in one
 * process.
 */
let occupant: string | null = null
let requests = 0

/**
 * Empties the database of the server under test, and creates the store in it. Returns null without such a server, for
 * an older schema version, and if another store uses the database.
 */
export async function provisionOnServer(wanted: Wanted): Promise<StoreUrls | null> {
  const server = inject('storeServer')
  if (server === undefined || occupant !== null || wanted.revision !== LATEST_REVISION) return null
  occupant = wanted.storeId
  try {
    return await withConnection(server.url, (connection) => createStore(connection, server, wanted))
  } catch (error) {
    occupant = null
    throw error
  }
}

async function createStore(
  connection: Connection,
  { url, reader, afterSchema }: StoreServer,
  { storeId, name, revision }: Wanted,
): Promise<StoreUrls> {
  await emptyDatabase(connection, reader)
  await migrateStore(connection, revision)
  await runAsPsql(connection, afterSchema)
  await executeOn(connection, sql`insert into public.store (id, name) values (${storeId}, ${name})`)
  if (reader === null) return { databaseUrl: url, readerUrl: url }
  const readerUrl = await createReader(connection, url, reader)
  await runAsPsql(connection, readerGrantsSql({ role: reader, revision }))
  return { databaseUrl: url, readerUrl }
}

/**
 * Runs each statement in a separate transaction, as `psql -f` does. Citus rejects several of them in one transaction.
 */
async function runAsPsql(connection: Connection, text: string): Promise<void> {
  for (const statement of splitStatements(text)) await connection.script(statement)
}

/** Frees the database of the server under test. Returns false if the store did not use it. */
export function releaseServer(storeId: string): boolean {
  if (occupant !== storeId) return false
  occupant = null
  return true
}

/** Counts a request if it read the store on the server under test. */
export function countRequest(storeId: string | null): void {
  if (storeId !== null && storeId === occupant) requests += 1
}

/** Returns the number of requests so far that read the store on the server under test. */
export function requestsOnServer(): number {
  return requests
}
