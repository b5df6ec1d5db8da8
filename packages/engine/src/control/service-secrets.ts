// Secrets that all nodes of the service share and nobody sets: made once by `migrate`, read by each node.

import type { Sql } from '../connection.ts'
import type { RandomBytes } from '../random.ts'
import type { ControlDatabase } from './database.ts'

const NAMES = ['cursor'] as const
const SECRET_BYTES = 32

/** What a shared secret is for. */
export type ServiceSecretName = (typeof NAMES)[number]

/** Makes those that do not exist yet; the first of several processes wins. */
export async function makeServiceSecrets(sql: Sql, random: RandomBytes): Promise<void> {
  for (const name of NAMES) {
    await sql`insert into service_secrets (name, value) values (${name}, ${random(SECRET_BYTES)}) on conflict do nothing`
  }
}

/** The secret's 32 bytes. Throws when `migrate` has not run. */
export async function readServiceSecret(database: ControlDatabase, name: ServiceSecretName): Promise<Buffer> {
  const [row] = await database.sql<{ value: Buffer }[]>`select value from service_secrets where name = ${name}`
  if (row === undefined) {
    throw new Error(`the control database has no ${name} secret: run store-export migrate`)
  }
  return row.value
}
