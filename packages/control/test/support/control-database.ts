// Creates a migrated control database for tests, and registers stores in it.

import { randomBytes } from 'node:crypto'
import type { Sql } from 'postgres'
import { inject } from 'vitest'
import { openClient, withConnection } from '../../../../test/support/client.ts'
import { createMigratedDatabase } from '../../../../test/support/databases.ts'
import { ADMISSIONS_SCHEMA, REPAIR_ADMISSIONS } from '../../src/admissions-schema.ts'
import { type ControlDatabase, openControlDatabase } from '../../src/database.ts'
import { EncryptionKey } from '../../src/password-encryption.ts'
import { addStore, type RegisteredStore, type RegistryContext } from '../../src/stores.ts'

/** A control database of one test, with the keys and the random bytes for changes. */
export interface TestControl extends RegistryContext {
  readonly url: string
  readonly database: ControlDatabase
  /** Runs statements in the database, as another client. */
  readonly sql: Sql
  /** Opens another pool on the database, as a second node does. */
  secondNode(): ControlDatabase
  store(name?: string): Promise<RegisteredStore>
  drop(): Promise<void>
}

/** Creates a control database. With `hasAdmissions`, it has the tables and triggers of a distributed one. */
export async function createControlDatabase({ hasAdmissions = false } = {}): Promise<TestControl> {
  const { url, drop } = await createMigratedDatabase()
  if (hasAdmissions) await createAdmissions(url)
  const opened: ControlDatabase[] = []
  const open = () => {
    const database = openControlDatabase(url, { poolSize: 10 })
    opened.push(database)
    return database
  }
  const context = {
    database: open(),
    random: randomBytes,
    keys: { current: new EncryptionKey(randomBytes(32)), previous: null },
  }
  const databaseUrl = 'postgres://reader:p%40ss@127.0.0.1:5432/shop?sslmode=verify-full'
  const sql = openClient(url, 2)
  return {
    ...context,
    url,
    sql,
    secondNode: open,
    store: (name = 'Shop') => addStore(context, { name, origin: 'generated', state: 'ready', databaseUrl }),
    drop: async () => {
      await Promise.all(opened.map((database) => database.close()))
      await sql.end()
      await drop()
    },
  }
}

/**
 * Creates the tables and triggers of a distributed control database on one server, unless Citus has distributed them.
 */
async function createAdmissions(url: string): Promise<void> {
  if (inject('citusWorkers') !== undefined) return
  await withConnection(url, (connection) => connection.script(`${ADMISSIONS_SCHEMA}; ${REPAIR_ADMISSIONS}`))
}
