// Distributes the control database over the workers of a Citus cluster, so that they share the checks of keys and the
// usage. The other tables stay on the coordinator, because requests to the API neither read nor write them.

import { executeOn, Pool, PostgresError, parseConnectionUrl, queryRows, sql } from '@store-export/postgres'
import { ADMISSIONS_SCHEMA } from './admissions-schema.ts'
import type { ControlDatabase } from './database.ts'
import { MIGRATION_LOCK, MigrationError } from './migrate.ts'

/** The tables that the workers share, and the column that selects the shard of a row. */
const DISTRIBUTED = { admissions: 'key_hash', usage_hours: 'key_id', request_log: 'key_id', walks: 'key_id' }

const HAS_ADMISSIONS = sql`select where to_regclass('admissions') is not null`

/** Whether the control database is distributed, so that the table `admissions` is used to check keys. */
export async function isDistributed({ pool }: ControlDatabase): Promise<boolean> {
  const found = await pool.query(HAS_ADMISSIONS)
  return found.length > 0
}

/**
 * Distributes the migrated control database at `url` with Citus, also after a restore from `pg_dump`. Returns whether
 * this call distributed a table; false if all were distributed before. Rejects with `MigrationError` if the database
 * lacks Citus, or if Citus refuses. The database is then unchanged. Rejects like `Pool.transaction` otherwise.
 */
export async function distribute(url: string): Promise<boolean> {
  const pool = new Pool(parseConnectionUrl(url), { connectionsMax: 1, applicationName: 'store-export migrate' })
  try {
    return await pool.transaction(async (connection) => {
      await executeOn(connection, sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
      const citus = await queryRows(connection, sql`select from pg_extension where extname = 'citus'`)
      if (citus.length === 0)
        throw new MigrationError(
          'the control database lacks the extension citus; create the extension in this database on the coordinator and on each worker, add the workers with citus_add_node, then run this command again',
        )
      const isNew = (await queryRows(connection, HAS_ADMISSIONS)).length === 0
      if (isNew) await connection.script(ADMISSIONS_SCHEMA)
      const found = await queryRows<{ name: string }>(
        connection,
        sql`select logicalrelid::regclass::text as name from pg_dist_partition`,
      )
      const left = Object.entries(DISTRIBUTED).filter(([table]) => !found.some(({ name }) => name === table))
      for (const [table, column] of left)
        await connection.script(`select create_distributed_table('${table}', '${column}');
          select truncate_local_data_after_distributing_table('${table}')`)
      return left.length > 0
    })
  } catch (cause) {
    if (!(cause instanceof PostgresError)) throw cause
    throw new MigrationError('the control database could not be distributed; this command changed nothing', {
      cause,
    })
  } finally {
    await pool.close()
  }
}
