// Prepares the server under test for `npm run test:server`, and empties its database at the end.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { queryRows, sql } from '@store-export/postgres'
import type { TestProject } from 'vitest/node'
import { withConnection } from './client.ts'
import { emptyDatabase, readerRefusal } from './server-database.ts'
import type { StoreServer } from './server-store.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server under test; undefined except in `npm run test:server`. */
    storeServer?: StoreServer
  }
}

/** Called by vitest before the first test. Vitest calls the returned function after the last test. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env.STORE_EXPORT_TEST_STORE_URL ?? ''
  const role = `store_export_check_${randomBytes(4).toString('hex')}`
  const { version, refusal } = await withConnection(url, async (connection) => {
    const [row] = await queryRows<{ version: string }>(connection, sql`select version() as version`)
    return { version: row?.version, refusal: await readerRefusal(connection, url, role) }
  })
  const reader = refusal === null ? role : null
  const reads =
    reader === null
      ? `The service reads as the owner, because the owner can't create a role that signs in: ${refusal}`
      : 'The service reads as a role with the rights that "store-export stores grants" prints.'
  process.stdout.write(`Server: ${version}\n${reads}\n`)
  const file = process.env.STORE_EXPORT_TEST_AFTER_SCHEMA
  const afterSchema = file === undefined ? '' : readFileSync(file, 'utf8')
  project.provide('storeServer', { url, reader, afterSchema })
  return () => withConnection(url, (connection) => emptyDatabase(connection, reader))
}
