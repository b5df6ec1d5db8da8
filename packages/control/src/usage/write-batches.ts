// Writes the usage of many keys in few statements. In a distributed control database, each key is on one worker, a
// server of the Citus cluster. If a worker is lost, a statement with one of its keys fails. Then the entries are
// written separately for each worker, so that the other workers get theirs.

import { type Pool, sql } from '@store-export/postgres'
import { isDistributed } from '../distribute.ts'

/** How to write entries. */
export interface BatchOptions<Entry> {
  readonly pool: Pool
  /** Maximum number of entries in a batch. */
  readonly batchSize: number
  /** Writes a batch completely, or rejects and writes nothing. */
  readonly write: (batch: readonly Entry[]) => Promise<void>
}

/** The entries that could not be written. */
export interface Unwritten<Entry> {
  readonly entries: readonly Entry[]
  /** The first error. */
  readonly cause: unknown
  /** Whether the entries of some workers were written, but not those of others. */
  readonly hasLostWorker: boolean
}

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
  const failed = await writeInOrder(entries, options)
  if (failed === null) return null
  // If even the workers can't be read, the coordinator is lost, and nothing can be written.
  const groups = await groupByWorker(options.pool, failed.entries).catch(() => [])
  if (groups.length < 2) return failed
  const failures = []
  for (const group of groups) failures.push(await writeInOrder(group, options))
  const [first, ...others] = failures.filter((failure) => failure !== null)
  if (first === undefined) return null
  const unwritten = [first, ...others].flatMap((failure) => failure.entries)
  return { entries: unwritten, cause: first.cause, hasLostWorker: unwritten.length < failed.entries.length }
}

/** Writes until a batch fails. Returns the entries of this batch and the later ones; null if there are none. */
async function writeInOrder<Entry>(
  entries: readonly Entry[],
  { batchSize, write }: BatchOptions<Entry>,
): Promise<Unwritten<Entry> | null> {
  for (let written = 0; written < entries.length; written += batchSize) {
    try {
      await write(entries.slice(written, written + batchSize))
    } catch (cause) {
      return { entries: entries.slice(written), cause, hasLostWorker: false }
    }
  }
  return null
}

/**
 * Returns the entries of each worker; none if the control database is on one server. The first use of a replacement
 * also changes the replaced key, which can be on another worker. So each replacement that was not used yet is alone.
 */
async function groupByWorker<Entry extends OfKey>(pool: Pool, entries: readonly Entry[]): Promise<Entry[][]> {
  if (!(await isDistributed({ pool }))) return []
  const keyIds = [...new Set(entries.map(({ keyId }) => keyId))]
  // All usage tables have the same shards.
  const rows = await pool.query<{ keyId: string; group: string }>(sql`
    select u.key_id as "keyId", coalesce(k.id::text, p.groupid::text) as group
    from unnest(${keyIds}::uuid[]) as u (key_id)
    join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('usage_hours', u.key_id)
    left join api_keys k on k.id = u.key_id and k.replaces is not null and k.last_used_at is null`)
  const groupOf = new Map(rows.map(({ keyId, group }) => [keyId, group]))
  return [...Map.groupBy(entries, ({ keyId }) => groupOf.get(keyId)).values()]
}
