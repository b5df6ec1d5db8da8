// Records the use of each key for the merchant's dashboard: sums by hour, the request log, and walks (lists that the
// key reads page by page). The recorder writes in batches, separately from the requests. An outage of the database can
// lose statistics, but fails no request.

import type { ControlEventHandler } from '../control-event.ts'
import type { ControlDatabase } from '../database.ts'
import { hourEntry, hoursBuffer } from './hours.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { RejectedKeys, type RejectedRequest } from './rejected-keys.ts'
import { requestLine, requestLogBuffer } from './request-log.ts'
import { WalksBuffer } from './walks.ts'

/** Records requests in memory, and writes them to the control database every `flushMs`, on `flush`, and on `close`. */
export interface UsageRecorder {
  /** Records one request. Returns immediately and never throws. */
  record(request: RecordedRequest): void
  /** Like `record`, for a request that was rejected with 401. It is dropped if its key doesn't exist. */
  recordRejected(request: RejectedRequest): void
  /** Writes the recorded requests, except pages that wait for the first page of their walk. Never rejects. */
  flush(): Promise<void>
  /** Stops the timer and writes the remaining requests. Never rejects. */
  close(): Promise<void>
}

/** The database, the clock, and the limits of a usage recorder. */
export interface UsageRecorderOptions {
  readonly database: ControlDatabase
  /** The current time, in milliseconds since 1970. */
  readonly now: () => number
  readonly emit: ControlEventHandler
  /** Milliseconds between two writes. A crash of the process loses the requests since the last write. */
  readonly flushMs: number
  /** Lines of each key that stay in the request log. */
  readonly requestLogLines: number
  /**
   * Maximum number of pairs of key and hour in memory, and also of log lines and of segments of walks; 50,000 by
   * default. Further entries are dropped. If a distributed control database has lost a server, entries for that server
   * take up at most half of the memory. `emit` gets the number of requests whose pair of key and hour was dropped.
   */
  readonly entriesMax?: number
}

const ENTRIES_MAX = 50_000

/** Returns a recorder that writes every `flushMs`. Its timer doesn't stop the process from exiting. */
export function createUsageRecorder(options: UsageRecorderOptions): UsageRecorder {
  const { pool } = options.database
  const entriesMax = options.entriesMax ?? ENTRIES_MAX
  let dropped = 0
  const onDropped = (requests: number) => {
    dropped += requests
  }
  const hours = hoursBuffer(pool, { entriesMax, onDropped })
  const log = requestLogBuffer({ pool, entriesMax, linesPerKey: options.requestLogLines, now: options.now })
  const walks = new WalksBuffer({ pool, segmentsMax: entriesMax, now: options.now })
  const rejected = new RejectedKeys(pool)
  let underWay: Promise<void> = Promise.resolve()

  const record = (request: RecordedRequest) => {
    const at = options.now()
    hours.add(hourEntry(request, at))
    log.add(requestLine(request, at))
    walks.add(request, at)
  }
  const writeLog = async () => {
    for (const line of await rejected.take()) log.add(line)
    await log.flush()
  }
  const writeAll = async (isLast: boolean) => {
    const written = await Promise.allSettled([hours.flush(), writeLog(), walks.flush(isLast)])
    const lost = dropped
    dropped = 0
    // One event reports the first failure. The other writes usually fail for the same reason.
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
  return { record, recordRejected: (request) => rejected.add(request, options.now()), flush, close }
}
