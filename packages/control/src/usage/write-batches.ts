// Writes the usage of many keys in few statements. In a distributed control database, each key is on one worker, a
// server of the Citus cluster. If a worker is lost, a statement with one of its keys fails. Then the entries are
// written separately for each worker, so that the other workers get theirs.

import { executeOn, type Pool, type Statement, sql } from '@store-export/postgres'
import { isDistributed } from '../distribute.ts'

/** How to write entries. */
export interface BatchOptions<Entry> {
  readonly pool: Pool
  /** Maximum number of entries in a batch. */
  readonly batchSize: number
  /** Writes a batch completely with statements that `execute` runs, or rejects and writes nothing. */
  readonly write: (batch: readonly Entry[], execute: Execute) => Promise<void>
  /** Maximum time in ms of a statement in a distributed control database; 10 s by default. */
  readonly statementMsMax?: number
  /** Time in ms after which no further worker's keys are written; one minute by default. */
  readonly workersMsMax?: number
}

/** Runs a statement. Rejects like `Pool.execute`. */
export type Execute = (statement: Statement) => Promise<unknown>

/** The entries that could not be written. */
export interface Unwritten<Entry> {
  readonly entries: readonly Entry[]
  /** The first error. */
  readonly cause: unknown
  /** Whether the entries of some workers were written, but not those of others. */
  readonly hasLostWorker: boolean
}

/**
 * Limits in a distributed control database. A worker that hangs must delay the others only a little. If many unused
 * replacement keys are on this worker, the rest of them waits for the next write.
 */
const STATEMENT_MS_MAX = 10_000
const WORKERS_MS_MAX = 60_000

interface OfKey {
  readonly keyId: string
}

/**
 * Writes the entries in batches. Stops at the first failure, or at the first failure of each worker if Citus
 * distributes the control database. Returns the entries that were not written; null if there are none. Doesn't reject.
 */
export async function writeBatches<Entry extends OfKey>(
  entries: readonly Entry[],
  options: BatchOptions<Entry>,
): Promise<Unwritten<Entry> | null> {
  const { pool, statementMsMax = STATEMENT_MS_MAX, workersMsMax = WORKERS_MS_MAX } = options
  const end = performance.now() + workersMsMax
  // The time limit of a statement begins when it has a connection, because hanging statements can occupy all of them.
  const limited: Execute = (statement) =>
    pool.use((connection) => executeOn(connection, statement, { deadline: performance.now() + statementMsMax }), {
      deadline: end + statementMsMax,
    })
  let hasWorkers: boolean
  try {
    hasWorkers = await isDistributed({ pool })
  } catch (cause) {
    return { entries, cause, hasLostWorker: false }
  }
  const failed = await writeInOrder(entries, options, hasWorkers ? limited : (statement) => pool.execute(statement))
  if (failed === null || !hasWorkers) return failed
  // If even the workers can't be read, the coordinator is lost, and nothing can be written.
  const groups = await groupByWorker(pool, failed.entries).catch(() => [])
  if (groups.length < 2) return failed
  const unwritten: Entry[] = []
  for (const group of groups) {
    // After the time limit, the rest comes first, so that the next write begins with it.
    if (performance.now() >= end) unwritten.unshift(...group)
    else unwritten.push(...((await writeInOrder(group, options, limited))?.entries ?? []))
  }
  if (unwritten.length === 0) return null
  return { entries: unwritten, cause: failed.cause, hasLostWorker: unwritten.length < failed.entries.length }
}

/** Writes until a batch fails. Returns the entries of this batch and the later ones; null if there are none. */
async function writeInOrder<Entry>(
  entries: readonly Entry[],
  { batchSize, write }: BatchOptions<Entry>,
  execute: Execute,
): Promise<Unwritten<Entry> | null> {
  for (let written = 0; written < entries.length; written += batchSize) {
    try {
      await write(entries.slice(written, written + batchSize), execute)
    } catch (cause) {
      return { entries: entries.slice(written), cause, hasLostWorker: false }
    }
  }
  return null
}

/**
 * Returns the entries of each worker. The first use of a replacement also changes the replaced key, which can be on
 * another worker. So each replacement that was not used yet is alone, after the groups of the workers.
 */
async function groupByWorker<Entry extends OfKey>(pool: Pool, entries: readonly Entry[]): Promise<Entry[][]> {
  const keyIds = [...new Set(entries.map(({ keyId }) => keyId))]
  // All usage tables have the same shards.
  const rows = await pool.query<{ keyId: string; group: string }>(sql`
    select u.key_id as "keyId", coalesce(k.id::text, p.groupid::text) as group
    from unnest(${keyIds}::uuid[]) as u (key_id)
    join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('usage_hours', u.key_id)
    left join api_keys k on k.id = u.key_id and k.replaces is not null and k.last_used_at is null`)
  const groupOf = new Map(rows.map(({ keyId, group }) => [keyId, group]))
  const groups = [...Map.groupBy(entries, ({ keyId }) => groupOf.get(keyId)).values()]
  const isAlone = ([first]: Entry[]) => first !== undefined && groupOf.get(first.keyId) === first.keyId
  return [...groups.filter((group) => !isAlone(group)), ...groups.filter(isAlone)]
}
