// Encrypts every password again with the current secret, so that you can delete the previous one. Nodes keep running: each
// must hold both secrets, and can decrypt with either.

import { sql } from '@store-export/postgres'
import { requireNodesWith } from './nodes.ts'
import { isSealedWithCurrent, openPassword, type SealedPassword, type SealingContext, sealPassword } from './sealing.ts'
import { resealDashboardSecret } from './service-secrets.ts'

export interface Rotation {
  readonly resealed: number
  readonly unchanged: number
}

/**
 * Encrypts again what the previous secret encrypted: the passwords of stores, and the dashboard's secret. Throws
 * `NodesWithoutSecret` before any change, and `SealingProblem` for a password that no secret opens.
 */
export async function rotateSecrets({ database, keys, random }: SealingContext): Promise<Rotation> {
  await requireNodesWith(database, keys.current)
  const rows = await database.pool.query<{ id: string; sealed: SealedPassword }>(sql`
    select id, database_password as sealed from stores where database_password is not null order by id`)
  let resealed = 0
  for (const { id, sealed } of rows) {
    if (isSealedWithCurrent(keys, id, sealed)) continue
    const password = openPassword(keys, id, sealed)
    const again = sealPassword({ keys, storeId: id, password, random })
    // a password that was set meanwhile is sealed with the current secret already
    resealed += await database.pool.execute(sql`
      update stores set database_password = ${again} where id = ${id} and database_password = ${sealed}
        and set_config('store_export.rotating', 'on', true) = 'on'`)
  }
  await resealDashboardSecret({ database, keys, random })
  await database.pool.execute(sql`
    select audit_record('secrets.rotated', null, null, null, jsonb_build_object('resealed', ${resealed}::int))`)
  return { resealed, unchanged: rows.length - resealed }
}
