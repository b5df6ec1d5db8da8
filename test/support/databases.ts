// Creates databases for tests. Each test file has its own, so that files can run in parallel.

import { randomBytes } from 'node:crypto'
import { Pool, parseConnectionUrl } from '@store-export/postgres'
import postgres from 'postgres'
import { inject } from 'vitest'
import { makeCursorSecret } from '../../packages/control/src/service-secrets.ts'

/** A database for one test or file. `url` is the superuser's, over TCP. */
export type TestDatabase = {
  url: string
  /** Drops the database, and closes the connections that are still open. */
  drop(): Promise<void>
}

/** Creates an empty database with a unique name. */
export function createDatabase(): Promise<TestDatabase> {
  // Unlike template1, template0 accepts no connections. PostgreSQL can't copy a database that has a connection.
  return copyOf('template0')
}

let migrated = 0

/** Returns how many migrated control databases this test file has created. */
export function migratedDatabases(): number {
  return migrated
}

/**
 * Creates a migrated control database with its own secrets. It is a copy, because a migration takes longer than most
 * tests.
 */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  const database = await copyOf(inject('migratedTemplate'))
  migrated += 1
  const pool = new Pool(parseConnectionUrl(database.url), { connectionsMax: 1, applicationName: 'test' })
  await makeCursorSecret(pool, randomBytes)
  await pool.close()
  return database
}

/** Copies a database, as a restore of a dump does. No session may be connected to the database. */
export async function copyDatabase({ url }: Pick<TestDatabase, 'url'>): Promise<TestDatabase> {
  const name = new URL(url).pathname.slice(1)
  await endCitusSessions(name)
  return copyOf(name)
}

/**
 * Ends the session that Citus has in each database; Citus opens it again. While it tries to connect to a copy of the
 * database that was dropped on another server, PostgreSQL can't end it.
 */
async function endCitusSessions(name: string): Promise<void> {
  if (inject('citusWorkers') !== undefined)
    await administrate(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
}

async function copyOf(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await administrate(`create database ${name} template ${template}`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return {
    url: url.href,
    async drop() {
      await endCitusSessions(name)
      await administrate(`drop database if exists ${name} with (force)`)
    },
  }
}

/** Runs a statement on the server of the control databases, and on its Citus workers. */
async function administrate(statement: string): Promise<void> {
  for (const url of [inject('postgresUrl'), ...(inject('citusWorkers') ?? [])]) {
    const sql = postgres(url, { max: 1, onnotice: () => undefined })
    try {
      await sql.unsafe(statement)
    } finally {
      await sql.end({ timeout: 5 })
    }
  }
}
