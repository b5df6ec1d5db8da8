// Secrets that all nodes of the service share and nobody sets: made once by `migrate`, read by each node.

import { type Pool, sql } from '@store-export/postgres'
import { type ControlDatabase, queryOne } from './database.ts'
import type { RandomBytes } from './random.ts'
import { isSealedWithCurrent, openPassword, type SealingKeys, SealingProblem, sealPassword } from './sealing.ts'

const NAMES = ['cursor'] as const
const SECRET_BYTES = 32

/** What a shared secret is for. */
export type ServiceSecretName = (typeof NAMES)[number]

/** Makes those that do not exist yet; the first of several processes wins. */
export async function makeServiceSecrets(pool: Pool, random: RandomBytes): Promise<void> {
  for (const name of NAMES) {
    await pool.execute(
      sql`insert into service_secrets (name, value) values (${name}, ${random(SECRET_BYTES)}) on conflict do nothing`,
    )
  }
}

/** The secret's 32 bytes. Throws when `migrate` has not run. */
export async function readServiceSecret(database: ControlDatabase, name: ServiceSecretName): Promise<Buffer> {
  const [row] = await database.pool.query<{ value: Buffer }>(
    sql`select value from service_secrets where name = ${name}`,
  )
  if (row === undefined) {
    throw new Error(`the control database has no ${name} secret: run store-export migrate`)
  }
  return row.value
}

/**
 * The secret that signs the dashboard's sessions and forms, base64. It lies sealed in the database: whoever reads the
 * database alone signs nobody in. Made by the first process that asks. Throws `SealingProblem`.
 */
export async function readDashboardSecret(options: {
  readonly database: ControlDatabase
  readonly keys: SealingKeys
  readonly random: RandomBytes
  /** Makes another one where the secret that sealed it was lost; every session ends then. */
  readonly replaceUnopenable?: boolean
}): Promise<string> {
  const { database, keys, random } = options
  const password = random(SECRET_BYTES).toString('base64')
  const made = Buffer.from(sealPassword({ keys, storeId: DASHBOARD, password, random }))
  await database.pool.execute(
    sql`insert into service_secrets (name, value) values (${DASHBOARD}, ${made}) on conflict do nothing`,
  )
  const row = await queryOne<{ value: Buffer }>(
    database.pool,
    sql`select value from service_secrets where name = ${DASHBOARD}`,
  )
  try {
    return openPassword(keys, DASHBOARD, row.value.toString())
  } catch (error) {
    if (options.replaceUnopenable !== true || !(error instanceof SealingProblem)) throw error
    await database.pool.execute(sql`delete from service_secrets where name = ${DASHBOARD} and value = ${row.value}`)
    return readDashboardSecret({ database, keys, random })
  }
}

/** Seals the dashboard's secret with the current key where the previous one did; whether it did so. */
export async function resealDashboardSecret(options: {
  readonly database: ControlDatabase
  readonly keys: SealingKeys
  readonly random: RandomBytes
}): Promise<boolean> {
  const { database, keys, random } = options
  const [row] = await database.pool.query<{ value: Buffer }>(
    sql`select value from service_secrets where name = ${DASHBOARD}`,
  )
  if (row === undefined || isSealedWithCurrent(keys, DASHBOARD, row.value.toString())) return false
  const password = openPassword(keys, DASHBOARD, row.value.toString())
  const again = Buffer.from(sealPassword({ keys, storeId: DASHBOARD, password, random }))
  const changed = await database.pool.execute(sql`
    update service_secrets set value = ${again} where name = ${DASHBOARD} and value = ${row.value}`)
  return changed === 1
}

/** Its name, which also stands where a store's id does in what is sealed. */
const DASHBOARD = 'dashboard'
