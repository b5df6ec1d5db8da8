// Databases for tests: each test file makes its own and drops it, so that files run side by side.
import { randomBytes } from 'node:crypto'
import { Pool, parseConnectionUrl } from '@store-export/postgres'
import postgres from 'postgres'
import { inject } from 'vitest'
import { makeCursorSecret } from '../../packages/control/src/service-secrets.ts'

/** A database of the test's own; `url` is the superuser's, over TCP. */
export type TestDatabase = {
  url: string
  /** Drops the database, cutting the connections that are still open. */
  drop(): Promise<void>
}

/** Makes an empty database with a name that no other test has. */
export function createDatabase(): Promise<TestDatabase> {
  // template1 cannot be copied while somebody is connected to it, template0 admits nobody
  return copyOf('template0')
}

/** Makes a control database as `migrate` leaves one, with secrets of its own: migrating each takes longer than most tests. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  const database = await copyOf(inject('migratedTemplate'))
  const pool = new Pool(parseConnectionUrl(database.url), { connectionsMax: 1, applicationName: 'test' })
  await makeCursorSecret(pool, randomBytes)
  await pool.close()
  return database
}

/** Makes a copy of a database, as a dump restores it. No session may be connected to the database. */
export function copyDatabase({ url }: Pick<TestDatabase, 'url'>): Promise<TestDatabase> {
  return copyOf(new URL(url).pathname.slice(1))
}

async function copyOf(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await administrate(`create database ${name} template ${template}`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return { url: url.href, drop: () => administrate(`drop database if exists ${name} with (force)`) }
}

async function administrate(statement: string): Promise<void> {
  const sql = postgres(inject('postgresUrl'), { max: 1, onnotice: () => undefined })
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
