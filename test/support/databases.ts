// Databases for tests: each test file makes its own and drops it, so that files run side by side.
import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { inject } from 'vitest'

/** A database of the test's own; `url` is the superuser's, over TCP. */
export type TestDatabase = {
  url: string
  /** Drops the database, cutting the connections that are still open. */
  drop(): Promise<void>
}

/** Makes an empty database with a name that no other test has. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  // template1 cannot be copied while somebody is connected to it, template0 admits nobody
  await administrate(`create database ${name} template template0`)
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
