// Encrypts the passwords of stores and the dashboard's secret again with the current secret, so that you can delete the
// previous secret. The nodes continue to run. Each node must hold both secrets, and can decrypt with either. The stored
// responses of the admin API are not encrypted again. Without the previous secret, a repeated request gets
// `response-unreadable` if its stored response needs that secret.

import { sql } from '@store-export/postgres'
import { requireNodesWith } from './nodes.ts'
import {
  decryptPassword,
  type EncryptedPassword,
  type EncryptionContext,
  encryptPassword,
  isEncryptedWithCurrent,
} from './password-encryption.ts'
import { reencryptDashboardSecret } from './service-secrets.ts'

/** Numbers of store passwords that this call encrypted again, and that it did not change. */
export interface Rotation {
  readonly reencrypted: number
  readonly unchanged: number
}

/**
 * Encrypts again what the previous secret encrypted: the passwords of stores, and the dashboard's secret. Writes one
 * audit event, and returns the numbers of passwords.
 *
 * Rejects with `NodesWithoutSecret`, before any change, if a live node lacks the current secret. Rejects with
 * `DecryptionError` at the first password that no secret decrypts. The passwords before it stay encrypted with the
 * current secret.
 */
export async function rotateSecrets({ database, keys, random }: EncryptionContext): Promise<Rotation> {
  await requireNodesWith(database, keys.current)
  const rows = await database.pool.query<{ id: string; encrypted: EncryptedPassword }>(sql`
    select id, database_password as encrypted from stores where database_password is not null order by id`)
  let reencrypted = 0
  for (const { id, encrypted } of rows) {
    if (isEncryptedWithCurrent(keys, id, encrypted)) continue
    const password = decryptPassword(keys, id, encrypted)
    const again = encryptPassword({ keys, storeId: id, password, random })
    // A password that was set in the meantime is already encrypted with the current secret.
    reencrypted += await database.pool.execute(sql`
      update stores set database_password = ${again} where id = ${id} and database_password = ${encrypted}
        and set_config('store_export.rotating', 'on', true) = 'on'`)
  }
  await reencryptDashboardSecret({ database, keys, random })
  await database.pool.execute(sql`
    select audit_record('secrets.rotated', null, null, null, jsonb_build_object('reencrypted', ${reencrypted}::int))`)
  return { reencrypted, unchanged: rows.length - reencrypted }
}
