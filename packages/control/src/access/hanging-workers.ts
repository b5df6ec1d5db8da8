// Rejects the checks of a key at once if its worker hangs. A worker is a server over which Citus distributes the control
// database. Otherwise, these checks occupy the connections of the node until their time limit, and delay other keys.

import { setTimeout as delay } from 'node:timers/promises'
import { type Pool, queryRows, sql, TimeLimitPassed } from '@store-export/postgres'
import type { HashedKey } from './api-key.ts'

/** Time in ms of a check after which its worker may hang. */
const SLOW_MS = 1000
/** Maximum time in ms for the response of a worker. */
const RESPONSE_MS_MAX = 1000
/** Time in ms between two tries to reach a worker that hangs. */
const INTERVAL_MS = 1000
/** Maximum number of keys whose worker is in memory. */
const KEYS_MAX = 10_000

/** The workers that hang, as this node sees them. */
export class HangingWorkers {
  readonly #pool: Pool
  /** Host and port of each worker that may hang, and whether it did not respond in time. */
  readonly #suspected = new Map<string, { isHanging: boolean }>()
  /** Workers of keys that were used while a worker may hang. The names are the hashes in hexadecimal. */
  readonly #workers = new Map<string, string>()

  /** `pool` needs two connections, which the checks don't use: for a worker that hangs, and for finding a key's worker. */
  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Runs the check of a key. Rejects like `check`. If a check takes longer than a second, finds out whether the worker
   * responds. Until it does, rejects the checks of its keys at once with `TimeLimitPassed`.
   */
  async guard<T>(hash: HashedKey, check: () => Promise<T>): Promise<T> {
    if (this.#suspected.size > 0) {
      const worker = await this.#workerOf(hash)
      if (worker !== null && this.#suspected.get(worker)?.isHanging === true)
        throw new TimeLimitPassed(`the worker ${worker} of the control database does not respond`)
    }
    const timer = setTimeout(() => void this.#investigate(hash), SLOW_MS)
    return await check().finally(() => clearTimeout(timer))
  }

  /** Finds out whether the key's worker hangs. If so, tries to reach it until it responds. */
  async #investigate(hash: HashedKey): Promise<void> {
    const worker = await this.#workerOf(hash)
    if (worker === null || this.#suspected.has(worker)) return
    const state = { isHanging: false }
    this.#suspected.set(worker, state)
    while (await this.#hangs(hash)) {
      state.isHanging = true
      await delay(INTERVAL_MS, undefined, { ref: false })
    }
    this.#suspected.delete(worker)
    if (this.#suspected.size === 0) this.#workers.clear()
  }

  /**
   * Whether the key's worker doesn't return the key's row in time. Unlike a check, this query doesn't wait while a change
   * of the key locks the row. If the node can't connect to the server, each check fails at once by itself.
   */
  async #hangs({ bytes }: HashedKey): Promise<boolean> {
    try {
      const query = sql`select from admissions where key_hash = ${bytes}`
      await this.#pool.use((connection) =>
        queryRows(connection, query, { deadline: performance.now() + RESPONSE_MS_MAX }),
      )
      return false
    } catch (error) {
      return error instanceof TimeLimitPassed
    }
  }

  /** Returns the host and port of the key's worker; null if it can't be found, so that its keys are checked. */
  async #workerOf({ bytes }: HashedKey): Promise<string | null> {
    const text = bytes.toString('hex')
    const known = this.#workers.get(text)
    if (known !== undefined) return known
    const worker = await this.#readWorker(bytes)
    if (this.#suspected.size === 0 || worker === null) return worker
    if (this.#workers.size >= KEYS_MAX) this.#workers.clear()
    this.#workers.set(text, worker)
    return worker
  }

  async #readWorker(bytes: Buffer): Promise<string | null> {
    // Every server of the cluster knows the workers, so this query needs no other server.
    const query = sql`
      select nodename || ':' || nodeport as worker from pg_dist_placement join pg_dist_node using (groupid)
      where noderole = 'primary' and shardid = get_shard_id_for_distribution_column('admissions', ${bytes}::bytea)`
    const deadline = performance.now() + RESPONSE_MS_MAX
    const rows = await this.#pool.query<{ worker: string }>(query, { deadline }).catch(() => [])
    return rows[0]?.worker ?? null
  }
}
