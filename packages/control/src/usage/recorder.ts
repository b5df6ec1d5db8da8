// Records the use of each key, for the merchant's dashboard: sums by hour, the request log, and walks. It writes them in
// batches, apart from the requests: an outage of the database can lose statistics, and fails no request.

import type { ControlEventHandler } from '../control-event.ts'
import type { ControlDatabase } from '../database.ts'
import { hourEntry, hoursBuffer } from './hours.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { requestLine, requestLogBuffer } from './request-log.ts'
import { WalksBuffer } from './walks.ts'

/** Records requests and writes them from time to time. */
export interface UsageRecorder {
  /** Records one request. Returns at once and never throws. */
  record(request: RecordedRequest): void
  /** Writes what was recorded. Never rejects: `emit` gets a failure. */
  flush(): Promise<void>
  /** Stops the timer and writes what is left. */
  close(): Promise<void>
}

export interface UsageRecorderOptions {
  readonly database: ControlDatabase
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly emit: ControlEventHandler
  readonly flushMs: number
  readonly requestLogLines: number
  /** Pairs of key and hour in memory. Further ones are dropped, and `emit` gets their number. */
  readonly entriesMax?: number
}

const ENTRIES_MAX = 50_000

/** A recorder that writes every `flushMs`; its timer keeps no process alive. */
export function createUsageRecorder(options: UsageRecorderOptions): UsageRecorder {
  const { pool } = options.database
  const entriesMax = options.entriesMax ?? ENTRIES_MAX
  const hours = hoursBuffer(pool, entriesMax)
  const log = requestLogBuffer({ pool, entriesMax, linesPerKey: options.requestLogLines, now: options.now })
  const walks = new WalksBuffer({ pool, segmentsMax: entriesMax, now: options.now })
  let dropped = 0
  let underWay: Promise<void> = Promise.resolve()

  const record = (request: RecordedRequest) => {
    const at = options.now()
    if (!hours.add(hourEntry(request, at))) dropped += 1
    log.add(requestLine(request, at))
    walks.add(request, at)
  }
  const writeAll = async (isLast: boolean) => {
    const lost = dropped
    dropped = 0
    const written = await Promise.allSettled([hours.flush(), log.flush(), walks.flush(isLast)])
    const failed = written.find((result) => result.status === 'rejected')
    if (failed === undefined && lost === 0) return
    const cause: unknown = failed?.reason ?? new Error('more pairs of key and hour than fit in memory')
    options.emit({ event: 'usage.write_failed', cause, pending: hours.size, dropped: lost })
  }
  const write = (isLast: boolean) => {
    underWay = underWay.then(() => writeAll(isLast))
    return underWay
  }
  const flush = () => write(false)
  const timer = setInterval(() => void flush(), options.flushMs).unref()
  const close = () => {
    clearInterval(timer)
    return write(true)
  }
  return { record, flush, close }
}
