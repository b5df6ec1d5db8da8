// Bounds what the admission of requests costs the control database. At most one statement runs on each connection, and
// requests that arrive meanwhile share the next statement. A request is counted by one of two statements:
// - The shared statement counts up to 250 requests of several keys. It skips a counter that another statement has
//   locked, because a wait for one counter would delay all keys.
// - The statement of one key waits for the lock on its counter. It counts the requests that the shared statement
//   skipped, and batches with a single key. Only this statement compares addresses with the key's allow list. In a
//   distributed control database, it counts every request.
//
// What must hold:
// - A statement starts after all of its requests have arrived. Otherwise, a revoked key could still work.
// - A request is counted once. It changes to the other statement only if it was skipped or the server rolled back.
// - If the database doesn't respond in time, clients get no data (R5 in docs/spec/readings.md).
//
// For the reasons, see docs/contribute/decisions/023-batch-key-checks.md.

import { type Pool, PostgresError } from '@store-export/postgres'
import type { ControlEventHandler } from '../control-event.ts'
import { type Admission, type AdmissionRequest, admit, admitMany, BUSY, type PresentedKey } from './admission.ts'
import { Batcher } from './batcher.ts'
import { HangingWorkers } from './hanging-workers.ts'

/** Thrown if the control database failed or didn't respond in time, or if too many requests waited for it. */
export class ControlDatabaseError extends Error {
  override readonly name = 'ControlDatabaseError'
}

/** The pool of an admitter, the rate limit, and the limits of a wait. */
export interface AdmitterOptions {
  /** The pool is used only for admission. `close` closes it. */
  readonly pool: Pool
  /** Maximum number of statements that run at the same time: the number of the pool's connections. */
  readonly poolSize: number
  /** Limit of each key in a one-minute window, over all nodes. */
  readonly requestsPerMinute: number
  /** Maximum time of an admission in milliseconds, including the wait for its statement. */
  readonly timeoutMs: number
  /**
   * A connection that finds the worker of a key if the control database is distributed; null by default. Each key then
   * has its own statement. `close` closes this pool, too.
   */
  readonly lookups?: Pool | null
  readonly emit: ControlEventHandler
}

/** Maximum number of requests in one statement. */
const BATCH_SIZE_MAX = 250
/** Maximum number of requests that wait for their statement. Further requests fail immediately. */
const WAITING_MAX = 10_000
const CLOSE_MS = 5000

/** Admits the requests of all keys on a node. Close it after the last request. */
export interface Admitter {
  /**
   * Returns the admission of a request; null if the key is unknown, revoked, expired, or turned off, if its store was
   * removed, or if the key doesn't work from the address. Emits `control.query_failed` and rejects with
   * `ControlDatabaseError` if the database fails or doesn't respond in time. Also does so if 10,000 requests already
   * wait for the shared statement, or for the statement of this key.
   */
  admit(key: PresentedKey): Promise<Admission | null>
  /** Numbers of connections and of waiting requests, for metrics. */
  sums(): { readonly pools: 1; readonly connections: number; readonly busy: number; readonly waiting: number }
  /** Closes the pool. Running statements get up to five seconds. Later requests are rejected. */
  close(): Promise<void>
}

type Admissions = Batcher<PresentedKey, Admission | null>

/** Returns an admitter for one node. Nothing else may use its pool. */
export function createAdmitter({ pool, poolSize, emit, ...options }: AdmitterOptions): Admitter {
  const { requestsPerMinute, timeoutMs, lookups = null } = options
  const bounds = { sizeMax: BATCH_SIZE_MAX, waitingMax: WAITING_MAX, timeoutMs }
  // At its deadline, a statement that hangs is canceled and its connection closed.
  const request = (): AdmissionRequest => ({
    ...{ pool, requestsPerMinute, isDistributed: lookups !== null },
    deadline: performance.now() + timeoutMs,
  })

  const workers = lookups === null ? null : new HangingWorkers({ pool, poolSize, lookups })

  /**
   * A batcher for each key that needs a separate statement. The statement may wait for the lock on the key's counter,
   * and holds one connection meanwhile.
   */
  const alone = new Map<string, Admissions>()
  const admitAlone = (key: PresentedKey) => {
    const text = textOf(key)
    const known = alone.get(text)
    if (known !== undefined) return known.load(key)
    const begun: Admissions = new Batcher({
      ...bounds,
      batchesMax: 1,
      load: (all) => {
        const addresses = all.map(({ address }) => address)
        const check = (started?: () => void) => admit(key.hash, addresses, { ...request(), started })
        return workers === null ? check() : workers.guard(key.hash, check)
      },
      onIdle: () => alone.delete(text),
    })
    alone.set(text, begun)
    return begun.load(key)
  }

  const requests: Admissions = new Batcher({
    ...bounds,
    batchesMax: poolSize,
    load: async (keys) => {
      // The keys are on different servers of the Citus cluster. A server that does not respond must not delay the
      // others.
      if (workers !== null) return keys.map(admitAlone)
      const [text = '', ...others] = new Set(keys.map(textOf))
      // If the key is already being counted, the batch doesn't wait for the result, so that requests of other keys can
      // continue. Otherwise, the batch waits, so that the statement counts toward `poolSize`.
      if (others.length === 0 && alone.has(text)) return keys.map(admitAlone)
      if (others.length === 0) return await Promise.all(keys.map(admitAlone))
      try {
        const admissions = await admitMany(
          keys.map(({ hash }) => hash),
          request(),
        )
        return admissions.map((each, index) => (each === BUSY ? admitAlone(keys[index] as PresentedKey) : each))
      } catch (error) {
        // The server reported an error and rolled back. After any other error, it may have counted the requests.
        if (!(error instanceof PostgresError) || error.isFatal) throw error
        return keys.map(admitAlone)
      }
    },
  })

  const waitingAlone = () => [...alone.values()].reduce((sum, { waitingCount }) => sum + waitingCount, 0)
  return {
    async admit(key) {
      try {
        return await requests.load(key)
      } catch (cause) {
        emit({ event: 'control.query_failed', requestId: null, cause })
        throw new ControlDatabaseError('the control database did not respond', { cause })
      }
    },
    sums() {
      const { open, busy, waiting } = pool.sums
      return { pools: 1, connections: open, busy, waiting: waiting + requests.waitingCount + waitingAlone() }
    },
    async close() {
      await Promise.all([pool.close(CLOSE_MS), lookups?.close()])
    },
  }
}

function textOf({ hash }: PresentedKey): string {
  return hash.bytes.toString('hex')
}
