// Limits the checks of the keys on a worker that hangs. A worker is a server over which Citus distributes the control
// database. Without the limit, these checks occupy all connections of the node, and the checks of other keys wait.

import { type Pool, PostgresError, sql } from '@store-export/postgres'
import type { HashedKey } from './api-key.ts'

/** Time in ms after which the statement of a check is slow. It is longer than `LOCK_TIMEOUT` of migrations. */
const SLOW_MS = 2500
/** Number of keys with a slow check from which their worker hangs. The row of a single key may only be locked. */
const SLOW_KEYS = 2
/** Share of the connections that the checks of a worker may occupy while it hangs. */
const SHARE = 0.25
/** Maximum time in ms of the query that finds a key's worker. */
const LOOKUP_MS_MAX = 1000
/** Maximum number of keys whose worker is in memory. */
const KEYS_MAX = 10_000

/** Thrown instead of a check if the key's worker hangs. */
export class WorkerHangsError extends Error {
  override readonly name = 'WorkerHangsError'
}

/** The checks of a worker's keys since one of them was slow. */
interface WorkerState {
  /** Hashes, in hexadecimal, of the keys with a slow check. */
  readonly slow: Set<string>
  /** Number of checks that run. Those that began before the first slow check don't count. */
  running: number
}

/** The pools of a node for its checks. */
export interface HangingWorkersOptions {
  /** The pool of the checks. */
  readonly pool: Pool
  /** Number of connections of `pool`. */
  readonly poolSize: number
  /** A pool for finding the worker of a key, so that this doesn't wait for checks. */
  readonly lookups: Pool
}

/** The workers that hang, as this node sees them. */
export class HangingWorkers {
  readonly #options: HangingWorkersOptions
  readonly #runningMax: number
  /** The names are the host and port of each worker that had a slow check, until a later check of it succeeds. */
  readonly #states = new Map<string, WorkerState>()
  /** Workers of keys that were used meanwhile. The names are the hashes in hexadecimal. */
  readonly #workers = new Map<string, string>()

  constructor(options: HangingWorkersOptions) {
    this.#options = options
    this.#runningMax = Math.max(1, Math.floor(options.poolSize * SHARE))
  }

  /**
   * Runs the check of a key, which calls `started` when it has a connection. Rejects like `check`. Also rejects, with
   * `WorkerHangsError`, if the key's worker hangs and a quarter of the connections already wait for it. A worker hangs
   * if checks of two of its keys were slow, until a later check ends in time.
   */
  async guard<T>(hash: HashedKey, check: (started: () => void) => Promise<T>): Promise<T> {
    const worker = this.#states.size === 0 ? null : await this.#workerOf(hash)
    const state = worker === null ? undefined : this.#states.get(worker)
    if (worker === null || state === undefined) return await this.#watch(hash, check)
    if (state.slow.size >= SLOW_KEYS && state.running >= this.#runningMax)
      throw new WorkerHangsError(`the worker ${worker} of the control database does not respond`)
    state.running++
    try {
      const result = await this.#watch(hash, check)
      this.#forget(worker)
      return result
    } catch (error) {
      // The server reports an error at once, for example if it can't connect to the worker.
      if (error instanceof PostgresError) this.#forget(worker)
      throw error
    } finally {
      state.running--
    }
  }

  /** Runs a check, and notes it if it is slow. */
  async #watch<T>(hash: HashedKey, check: (started: () => void) => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    // A check can have several statements, for example after a deadlock.
    const started = () => {
      clearTimeout(timer)
      timer = setTimeout(() => void this.#noteSlow(hash), SLOW_MS)
    }
    return await check(started).finally(() => clearTimeout(timer))
  }

  async #noteSlow(hash: HashedKey): Promise<void> {
    const worker = await this.#workerOf(hash)
    // The server itself doesn't respond, so each idle connection would cost a check its time limit.
    if (worker === null) return this.#options.pool.closeIdle()
    const state = this.#states.get(worker) ?? { slow: new Set(), running: 0 }
    state.slow.add(textOf(hash))
    this.#states.set(worker, state)
  }

  /** Ends the limit of a worker. After the last one, forgets the workers of all keys, because shards can move. */
  #forget(worker: string): void {
    this.#states.delete(worker)
    if (this.#states.size === 0) this.#workers.clear()
  }

  /** Returns the host and port of the key's worker; null if it can't be found. */
  async #workerOf(hash: HashedKey): Promise<string | null> {
    const known = this.#workers.get(textOf(hash))
    if (known !== undefined) return known
    // Every server of the cluster knows the workers, so this query needs no other server.
    const query = sql`
      select nodename || ':' || nodeport as worker from pg_dist_placement join pg_dist_node using (groupid)
      where noderole = 'primary'
        and shardid = (select get_shard_id_for_distribution_column('admissions', ${hash.bytes}::bytea))`
    const deadline = performance.now() + LOOKUP_MS_MAX
    const rows = await this.#options.lookups.query<{ worker: string }>(query, { deadline }).catch(() => [])
    const worker = rows[0]?.worker ?? null
    if (worker === null) return null
    if (this.#workers.size >= KEYS_MAX) this.#workers.clear()
    this.#workers.set(textOf(hash), worker)
    return worker
  }
}

function textOf({ bytes }: HashedKey): string {
  return bytes.toString('hex')
}
