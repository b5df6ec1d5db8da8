// Distributes the control database over the servers (workers) of a Citus cluster, so that they share the checks of keys
// and the usage. The other tables stay on the coordinator, because requests to the API neither read nor write them.

import { type Connection, executeOn, PostgresError, queryRows, sql } from '@store-export/postgres'
import { ADMISSIONS_SCHEMA, REPAIR_ADMISSIONS } from './admissions-schema.ts'
import { type ControlDatabase, ControlPool } from './database.ts'
import { LOCK_TIMEOUT, MIGRATION_LOCK, MigrationError } from './migrate.ts'

/**
 * The tables that the workers share, and the column that selects the shard of a row. `admissions`, the copy of the
 * keys, comes last, because changes of keys and stores wait while it is created.
 */
const DISTRIBUTED = { usage_hours: 'key_id', request_log: 'key_id', walks: 'key_id', admissions: 'key_hash' } as const

/** The result of `distribute`. */
export interface Distribution {
  /** Names of the tables that this call distributed. */
  readonly tables: readonly string[]
  /** Number of copies of keys that were missing, different, or left over; 0 if this call distributed the keys. */
  readonly repaired: number
}

const HAS_ADMISSIONS = sql`select where to_regclass('admissions') is not null`
const HAS_CITUS = sql`select from pg_extension where extname = 'citus'`

/** Whether Citus distributes the control database, so that the table `admissions` is used to check keys. */
export async function isDistributed({ pool }: Pick<ControlDatabase, 'pool'>): Promise<boolean> {
  if ((await pool.query(HAS_CITUS)).length === 0) return false
  return (await pool.query(HAS_ADMISSIONS)).length > 0
}

/**
 * Distributes the migrated control database at `url` with Citus. If the keys were distributed before, compares their
 * copies with the keys, and repairs them. Repeat it after a failure and after a restore. Rejects with `MigrationError`
 * if the database lacks Citus, or if a statement fails, and otherwise like `Pool.transaction`.
 */
export async function distribute(url: string): Promise<Distribution> {
  const pool = new ControlPool(url, { connectionsMax: 1, applicationName: 'store-export migrate' })
  try {
    if ((await pool.query(HAS_CITUS)).length === 0)
      throw new MigrationError(
        'the control database lacks the extension citus; create the extension in this database on the coordinator and on each worker, add the workers with citus_add_node, then run this command again',
      )
    const tables: string[] = []
    for (const [table, column] of Object.entries(DISTRIBUTED)) {
      // Each table has a transaction of its own, so that the locks on one table don't last for the copies of all.
      if (await pool.transaction((connection) => distributeTable(connection, table, column))) tables.push(table)
    }
    return {
      tables,
      repaired: tables.includes('admissions') ? 0 : (await pool.query({ text: REPAIR_ADMISSIONS, values: [] })).length,
    }
  } catch (cause) {
    if (!(cause instanceof PostgresError)) throw cause
    throw new MigrationError('the control database could not be distributed; run this command again', { cause })
  } finally {
    await pool.close()
  }
}

/** Distributes a table. Returns false if it was distributed before. */
async function distributeTable(connection: Connection, table: string, column: string): Promise<boolean> {
  await executeOn(connection, sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
  // The method `h` means that the table is distributed by hash.
  const found = await queryRows(
    connection,
    sql`select from pg_dist_partition where logicalrelid = to_regclass(${table}) and partmethod = 'h'`,
  )
  if (found.length > 0) return false
  await connection.script(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
  if (table === 'admissions') await createAdmissions(connection)
  // The first function copies the rows to the workers, and leaves them on the coordinator, too.
  await connection.script(`select create_distributed_table('${table}', '${column}');
    select truncate_local_data_after_distributing_table('${table}')`)
  return true
}

/** Creates `admissions`, unless a restore has created it, and copies the keys. Changes of keys and stores wait. */
async function createAdmissions(connection: Connection): Promise<void> {
  await connection.script('lock table api_keys, stores in share row exclusive mode')
  if ((await queryRows(connection, HAS_ADMISSIONS)).length === 0) await connection.script(ADMISSIONS_SCHEMA)
  await connection.script("select citus_add_local_table_to_metadata('admission_changes')")
  await connection.script(REPAIR_ADMISSIONS)
}

/**
 * Copies the keys again whose copies differ, and deletes left-over copies. Does nothing unless Citus distributes the
 * control database.
 */
export async function repairAdmissions(database: ControlDatabase): Promise<void> {
  if (await isDistributed(database)) await database.pool.query({ text: REPAIR_ADMISSIONS, values: [] })
}
