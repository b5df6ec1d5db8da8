// Admission with bounds: however the control database behaves, a request waits for it a limited time, and no more than a
// limited number wait. Requests that come while a statement is under way share the next. Without an answer there is no
// data (R5).

import { type PoolSettings, Slots, type Sql, TimeLimitPassed, within } from '@store-export/postgres'
import type { Observe } from '../control-event.ts'
import { type Admission, type AdmissionRequest, admit, admitMany, BUSY } from './admission.ts'
import type { HashedKey } from './api-key.ts'
import { Gathering, Gatherings } from './gathering.ts'

/** The control database gave no answer. The message is for the log. */
export class ControlDatabaseFault extends Error {
  override readonly name = 'ControlDatabaseFault'
}

/** What an admitter needs. */
export interface AdmitterOptions {
  /** Opens a pool for nothing but admission; called again when one no longer answers. The hooks count connections. */
  readonly open: (hooks: Pick<PoolSettings, 'onOpen' | 'onClose'>) => Sql
  /** Statements that run at once; as many as the pool has connections. */
  readonly poolSize: number
  readonly requestsPerMinute: number
  readonly timeoutMs: number
  readonly observe: Observe
}

/** Requests that one statement admits, and statements that wait for a connection. */
const GATHERED_MAX = 250
const WAITING_MAX = 250
const WAIT_MS = 1000
const CLOSE_SECONDS = 5
const GRACE_SECONDS = 1
/** Of the time limit, what is kept for the statement: who waited longer for a place is refused. */
const WORK_SHARE = 0.5

/** Admits keys. */
export interface Admitter {
  /** The admission, or null for a key that is not valid. Rejects with `ControlDatabaseFault`, already observed. */
  admit(hash: HashedKey): Promise<Admission | null>
  /** Its pool at this moment, for metrics. */
  sums(): { readonly pools: 1; readonly connections: number; readonly busy: number; readonly waiting: number }
  close(): Promise<void>
}

/** An admitter with a pool of its own. */
export function createAdmitter(options: AdmitterOptions): Admitter {
  const { poolSize, requestsPerMinute, timeoutMs } = options
  const slots = new Slots({ places: poolSize, waitingMax: WAITING_MAX, waitMs: WAIT_MS })
  let connections = 0
  const hooks = { onOpen: () => void connections++, onClose: () => void connections-- }
  let pool = options.open(hooks)
  // The driver can leave a statement without an end when its connection dies at the wrong moment (postgres.js 3.4.9):
  // a pool that was late once is given up, which ends whatever hangs on it. What else runs on it may end by itself.
  const replace = (late: Sql) => {
    if (late !== pool) return
    pool = options.open(hooks)
    void late.end({ timeout: GRACE_SECONDS }).catch(() => undefined)
  }
  const ask = async <T>(since: number, work: (request: AdmissionRequest) => Promise<T>): Promise<T> => {
    const [sql, begunAt] = [pool, performance.now()]
    const leftMs = since + timeoutMs - begunAt
    if (leftMs <= 0) throw new TimeLimitPassed(`there was no connection within ${timeoutMs} ms`)
    return await within(leftMs, work({ sql, requestsPerMinute }), () => {
      // late because it waited long for its turn is not hung
      if (performance.now() - begunAt >= timeoutMs * WORK_SHARE) replace(sql)
    })
  }
  const room = {
    gatheredMax: GATHERED_MAX,
    ready: () => slots.take(performance.now() + timeoutMs * (1 - WORK_SHARE)),
    onAsked: () => slots.giveBack(),
  }
  const alone = new Gatherings<HashedKey, Admission | null>((hash) => ({
    ...room,
    // one statement at a time waits for the key's counter: it takes one connection, not all of them
    gatherMs: timeoutMs,
    ask: (all, since) => ask(since, (request) => admit(hash, all.length, request)),
  }))
  const admitAlone = (hash: HashedKey) => alone.ask(textOf(hash), hash)
  /** Keys that a statement of their own counts now. */
  const counting = new Set<string>()
  const requests = new Gathering<HashedKey, Admission | null>({
    ...room,
    ask: async (hashes, since) => {
      const [hash, text] = onlyOneOf(hashes)
      if (hash !== null && !counting.has(text)) {
        counting.add(text)
        const counted = ask(since, (request) => admit(hash, hashes.length, request))
        return await counted.finally(() => counting.delete(text))
      }
      try {
        const admissions = await ask(since, (request) => admitMany(hashes, request))
        return admissions.map((each, index) => (each === BUSY ? admitAlone(hashes[index] as HashedKey) : each))
      } catch (error) {
        // the server has taken it back whole, so none of them was counted
        if (!isErrorOfServer(error)) throw error
        return hashes.map(admitAlone)
      }
    },
  })
  return {
    async admit(hash) {
      try {
        return await within(timeoutMs, requests.ask(hash), () => undefined)
      } catch (cause) {
        options.observe({ event: 'control fault', requestId: null, cause })
        throw new ControlDatabaseFault('the control database gave no answer', { cause })
      }
    },
    sums: () => ({
      pools: 1,
      connections,
      busy: Math.min(slots.busy, connections),
      waiting: requests.waitingCount + alone.waitingCount + Math.max(0, slots.busy - connections),
    }),
    close: () => pool.end({ timeout: CLOSE_SECONDS }),
  }
}

function textOf({ bytes }: HashedKey): string {
  return bytes.toString('hex')
}

/** The key, where all requests are of one. */
function onlyOneOf(hashes: readonly HashedKey[]): [HashedKey | null, string] {
  const [first] = hashes
  const text = first === undefined ? '' : textOf(first)
  return first !== undefined && hashes.every((each) => textOf(each) === text) ? [first, text] : [null, text]
}

/** Whether a statement failed, and nothing else: its connection goes on. */
function isErrorOfServer(error: unknown): boolean {
  return error instanceof Error && error.name === 'PostgresError' && 'severity' in error && error.severity === 'ERROR'
}
