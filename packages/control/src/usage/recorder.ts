// Records the use of each key, for the merchant's dashboard: sums by hour, the request log, and walks. In memory while
// requests run, written in batches; a database that is away costs statistics after a while, never a request. The limit
// per minute is access/admission.ts.

import type { Observe } from '../control-event.ts'
import type { ControlDatabase } from '../database.ts'
import { hourEntry, hoursBuffer, type UsageOutcome } from './hours.ts'
import { RequestLog } from './request-log.ts'
import { type WalkStep, WalksBuffer } from './walks.ts'

/** A request of a key that has its answer. */
export interface RecordedRequest {
  readonly keyId: string
  readonly outcome: UsageOutcome
  /** The endpoint's path as the contract writes it; 'unknown' for any other path. */
  readonly endpoint: string
  readonly status: number
  readonly code: string | null
  readonly rows: number
  readonly durationMs: number
  /** Requests of this key in this clock minute, this one included. */
  readonly minuteRequests: number
  /** How it was part of a walk; null where it was none, or the only page of its list. */
  readonly walk: WalkStep | null
}

/** Notes requests and writes them from time to time. */
export interface UsageRecorder {
  /** Notes one request. Returns at once and never throws. */
  record(request: RecordedRequest): void
  /** Writes what was noted; resolves when done, also after a failure, which is observed. */
  flush(): Promise<void>
  /** Stops writing by itself and writes what is left. */
  close(): Promise<void>
}

/** What a recorder needs. */
export interface UsageRecorderOptions {
  readonly database: ControlDatabase
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly observe: Observe
  readonly flushMs: number
  /** Maximum lines of the request log per key. */
  readonly requestLogLines: number
  /** Pairs of key and hour kept in memory; what comes when it is full is dropped and observed. */
  readonly entriesMax?: number
}

const ENTRIES_MAX = 50_000
const OK = 200

/** A recorder that writes every `flushMs`; its timer keeps no process alive. */
export function createUsageRecorder(options: UsageRecorderOptions): UsageRecorder {
  const { pool } = options.database
  const entriesMax = options.entriesMax ?? ENTRIES_MAX
  const hours = hoursBuffer(pool, entriesMax)
  const log = new RequestLog({ pool, entriesMax, linesPerKey: options.requestLogLines, now: options.now })
  const walks = new WalksBuffer({ pool, segmentsMax: entriesMax, now: options.now })
  let dropped = 0
  let underWay: Promise<void> = Promise.resolve()

  const record = (request: RecordedRequest) => {
    const { keyId, outcome, minuteRequests, endpoint, status, code, rows, walk } = request
    const at = options.now()
    if (!hours.add(`${keyId} ${hourOf(at)}`, hourEntry({ keyId, at, outcome, minuteRequests }))) dropped += 1
    const durationMs = Math.round(request.durationMs)
    log.add({ keyId, at, endpoint, status, code: code ?? '', rows, durationMs })
    if (walk === null) return
    walks.add({ ...walk, keyId, endpoint, at, pages: status === OK ? 1 : 0, rows })
  }
  const writeAll = async (isLast: boolean) => {
    const lost = dropped
    dropped = 0
    const written = await Promise.allSettled([hours.flush(), log.flush(), walks.flush(isLast)])
    const failed = written.find((result) => result.status === 'rejected')
    if (failed === undefined && lost === 0) return
    const cause: unknown = failed?.reason ?? new Error('more pairs of key and hour than fit in memory')
    options.observe({ event: 'usage flush failed', cause, kept: hours.size, dropped: lost })
  }
  const write = (isLast: boolean) => {
    underWay = underWay.then(() => writeAll(isLast))
    return underWay
  }
  const flush = () => write(false)
  const timer = setInterval(() => void flush(), options.flushMs)
  timer.unref()
  const close = () => {
    clearInterval(timer)
    return write(true)
  }
  return { record, flush, close }
}

function hourOf(at: number): number {
  return Math.floor(at / 3_600_000)
}
