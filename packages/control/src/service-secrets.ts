// Stores the two secrets that all nodes share, so that a client can use any node. One seals cursors, and the secrets of
// pseudonyms are derived from it. The other signs the sessions and forms of the dashboard, and is encrypted.

import { executeOn, type Pool, sql } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'
import {
  DecryptionError,
  decryptPassword,
  type EncryptionContext,
  encryptPassword,
  isEncryptedWithCurrent,
} from './password-encryption.ts'
import type { RandomBytes } from './random.ts'

const CURSOR = 'cursor'
/** Name of the dashboard's secret. The encryption uses it in place of a store's ID, as associated data. */
const DASHBOARD = 'dashboard'
const SECRET_BYTES = 32
const LOST =
  'STORE_EXPORT_SECRET is not the secret of the other nodes; give this node the same secret. ' +
  'If you replaced the secret, also set the old one as STORE_EXPORT_SECRET_PREVIOUS. ' +
  'If the secret is lost, see "If the secret is lost" in docs/operate/rotate-secrets.md'

/**
 * Generates the secret that seals cursors, if there is none. If several processes do this at the same time, all use the
 * first one that is written.
 */
export async function makeCursorSecret(pool: Pool, random: RandomBytes): Promise<void> {
  await insert(pool, CURSOR, random(SECRET_BYTES))
}

/** Returns the secret that seals cursors, 32 bytes. Rejects with `Error` if `migrate` has not generated it. */
export async function readCursorSecret({ pool }: ControlDatabase): Promise<Buffer> {
  return required(CURSOR, await read(pool, CURSOR))
}

/**
 * Returns the secret that signs the dashboard's sessions and forms, in base64. The first process that reads the secret
 * generates it. The secret is encrypted, so a copy of the control database alone is not enough to sign in. Rejects with
 * `DecryptionError` if no key decrypts it, unless `replaceUndecryptable` is set.
 */
export async function readDashboardSecret(
  options: EncryptionContext & {
    /** Whether to replace a secret that no key can decrypt. The replacement ends every session. */
    readonly replaceUndecryptable?: boolean
  },
): Promise<string> {
  const { database, keys, random } = options
  const { pool } = database
  const password = random(SECRET_BYTES).toString('base64')
  const made = Buffer.from(encryptPassword({ keys, storeId: DASHBOARD, password, random }))
  await insert(pool, DASHBOARD, made)
  const encrypted = required(DASHBOARD, await read(pool, DASHBOARD))
  try {
    return decryptPassword(keys, DASHBOARD, encrypted.toString())
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    if (options.replaceUndecryptable !== true) throw new DecryptionError(LOST, { cause: error })
    // If another node has replaced the secret in the meantime, the new secret stays.
    await pool.execute(sql`delete from service_secrets where name = ${DASHBOARD} and value = ${encrypted}`)
    return readDashboardSecret({ database, keys, random })
  }
}

/**
 * Encrypts the dashboard's secret with the current key, if the previous key encrypted it. Without a secret, does
 * nothing. Rejects with `DecryptionError` if no key decrypts it.
 */
export async function reencryptDashboardSecret({ database, keys, random }: EncryptionContext): Promise<void> {
  const { pool } = database
  const encrypted = await read(pool, DASHBOARD)
  if (encrypted === null || isEncryptedWithCurrent(keys, DASHBOARD, encrypted.toString())) return
  const password = decryptPassword(keys, DASHBOARD, encrypted.toString())
  const again = Buffer.from(encryptPassword({ keys, storeId: DASHBOARD, password, random }))
  await pool.execute(
    sql`update service_secrets set value = ${again} where name = ${DASHBOARD} and value = ${encrypted}`,
  )
}

async function insert(pool: Pool, name: string, value: Buffer): Promise<void> {
  await pool.transaction(async (connection) => {
    // At another isolation level, PostgreSQL rejects the statement if another process has just written the secret.
    await connection.script('set transaction isolation level read committed')
    await executeOn(
      connection,
      sql`insert into service_secrets (name, value) values (${name}, ${value}) on conflict do nothing`,
    )
  })
}

function required(name: string, secret: Buffer | null): Buffer {
  if (secret === null) throw new Error(`the control database has no ${name} secret; run store-export migrate`)
  return secret
}

async function read(pool: Pool, name: string): Promise<Buffer | null> {
  const [row] = await pool.query<{ value: Buffer }>(sql`select value from service_secrets where name = ${name}`)
  return row?.value ?? null
}
