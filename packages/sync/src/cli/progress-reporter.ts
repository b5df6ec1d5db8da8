// Reports the progress of a run or a verification: a status line on a terminal, lines in a log, or JSON lines for
// programs. A log gets a line at least every 30 seconds, so that a waiting command does not seem to hang.

import type { ClientPause } from '@store-export/client'
import { LIMITS } from '@store-export/contract'
import type { SyncProgress, SyncSummary, TableSummary } from '../run/run.ts'
import { type CliOutput, printEvent } from './cli-output.ts'
import { countText, NUMBER_WIDTH, numberText, rowsText, secondsText, tableText, timeText } from './format.ts'
import type { RequestMeter } from './request-meter.ts'
import { StatusLine } from './status-line.ts'

/** Where the reporter writes, and where its numbers come from. */
export interface ProgressReporterOptions {
  readonly output: CliOutput
  readonly meter: RequestMeter
  /** Returns the milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** Shortest time between two updates of the status line by `page`. */
const SHOW_INTERVAL_MS = 100
/** Longest time between two lines of a log. */
const LOG_INTERVAL_MS = 30_000

/** The rows that a walk reads, in words for people. */
export const MODE_TEXTS = { full: 'all', updated: 'changed', created: 'new' } as const

/** Reports to people: a status line with the progress of the current table, and a permanent line for each table. */
export class ProgressReporter {
  readonly #options: ProgressReporterOptions
  readonly #line: StatusLine
  #startedAt: number
  #shownAt = Number.NEGATIVE_INFINITY
  #lastProgress = ''
  /**
   * Whether the current table has had a page. Only the first page of a table can report that the walk continues an
   * earlier run.
   */
  #hasReportedResume = false
  #countdown: NodeJS.Timeout | undefined
  /** Current text of the status line. A log repeats it after 30 seconds without another line. */
  #status = ''
  #heartbeat: NodeJS.Timeout | undefined
  #isRunning = false

  constructor(options: ProgressReporterOptions) {
    this.#options = options
    this.#line = new StatusLine(options.output)
    this.#startedAt = options.now()
  }

  /** Starts the clock and the periodic lines of a log, until `stop`. */
  start(): void {
    this.#startedAt = this.#options.now()
    this.#isRunning = true
    this.#restartHeartbeat()
  }

  /**
   * Shows the progress of a table after a page, at most every 100 ms. The first page of a table that continues an
   * earlier run also prints a permanent line.
   */
  page(rows: TableProgress): void {
    const { now, meter } = this.#options
    this.#endCountdown()
    this.#reportResume(rows)
    if (now() - this.#shownAt < SHOW_INTERVAL_MS) return
    this.#shownAt = now()
    this.#lastProgress = pageText(rows, this.#elapsedMs(), meter)
    this.show(this.#lastProgress)
  }

  /** Shows how many IDs of a table were read. `of` is the number of its rows; null if the store does not report it. */
  ids({ table, ids, of }: { readonly table: string; readonly ids: number; readonly of: number | null }): void {
    this.#endCountdown()
    this.#lastProgress = `${tableText(table, ids)}${of === null ? '' : ` of ${numberText(of)}`} IDs`
    this.show(this.#lastProgress)
  }

  /**
   * Prints the permanent line of a finished table. For the next table, resets the progress and the clock of the rate of
   * rows.
   */
  done(text: string): void {
    this.print(text)
    this.#startedAt = this.#options.now()
    this.#shownAt = Number.NEGATIVE_INFINITY
    this.#lastProgress = ''
    this.#hasReportedResume = false
  }

  /** Ends a countdown, removes the status line, and prints a permanent line. */
  print(text: string): void {
    this.#endCountdown()
    this.#line.print(text)
    this.#status = ''
    this.#restartHeartbeat()
  }

  /** Replaces the status line. A log shows the text in its next periodic line. */
  show(text: string): void {
    this.#status = text
    this.#line.show(text)
  }

  /** Stops the timers and removes the status line. */
  stop(): void {
    this.#endCountdown()
    this.#isRunning = false
    this.#restartHeartbeat()
    this.#line.clear()
  }

  /**
   * Prints the permanent line of a table whose walk has ended. `rows` does not include `rowsBefore`, unlike in
   * `TableProgress`.
   */
  table({ table, rows, rowsBefore, mode, removed }: TableSummary): void {
    const before = rowsBefore === 0 ? '' : `, ${numberText(rowsBefore)} from the interrupted run`
    const removedText = removed === 0 ? '' : `, ${numberText(removed)} removed`
    this.done(
      `${rowsText(table, rows)}  ${rateText(rows, this.#elapsedMs())}  ${MODE_TEXTS[mode]}${before}${removedText}`,
    )
  }

  /**
   * Reports a pause of the client: a countdown for the rate limit, a line for an error, nothing for the pace of
   * requests.
   */
  pause({ reason, ms, error }: ClientPause): void {
    if (reason === 'pace') return
    if (reason === 'limit') this.#countDown(ms)
    else this.print(`  ${messageOf(error)}; retrying in ${timeText(ms)}`)
  }

  #reportResume({ table, rowsBefore = 0 }: TableProgress): void {
    if (rowsBefore > 0 && !this.#hasReportedResume)
      this.print(`${rowsText(table, rowsBefore)} from the interrupted run; continuing after them`)
    this.#hasReportedResume = true
  }

  #countDown(ms: number): void {
    const until = this.#options.now() + ms
    const update = () => {
      const leftMs = Math.max(0, until - this.#options.now())
      this.show(`${this.#lastProgress}  rate limit: waiting ${timeText(leftMs)}`)
    }
    this.#endCountdown()
    update()
    // A log shows no countdown, so it gets one line at the start.
    if (this.#isLog) this.#log(this.#status)
    this.#countdown = setInterval(update, 1000).unref()
  }

  get #isLog(): boolean {
    return this.#options.output.columns === null
  }

  #log(text: string): void {
    this.#line.print(text)
    this.#restartHeartbeat()
  }

  /** Restarts the timer of the periodic lines, or stops it if the run has ended. */
  #restartHeartbeat(): void {
    clearInterval(this.#heartbeat)
    if (!this.#isLog || !this.#isRunning) return
    this.#heartbeat = setInterval(
      () => this.#line.print(this.#status || '  waiting for the service'),
      LOG_INTERVAL_MS,
    ).unref()
  }

  /** Returns the ms since `start` or the last `done`; at least 1, because rates divide by it. */
  #elapsedMs(): number {
    return Math.max(1, this.#options.now() - this.#startedAt)
  }

  #endCountdown(): void {
    clearInterval(this.#countdown)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns a handler that reports the progress of a run to people. */
export function reportProgress(reporter: ProgressReporter): (progress: SyncProgress) => void {
  return (progress) => {
    if (progress.event === 'page') return reporter.page(progress)
    if (progress.event === 'ids') return reporter.ids(progress)
    if (progress.event === 'prune_unavailable') return reporter.print(`  ${progress.message}`)
    if (progress.event === 'retained')
      return reporter.done(`${rowsText(progress.table, progress.rows)} retained: the store returns none`)
    if (progress.event === 'table') return reporter.table(progress)
    if (progress.event === 'reread')
      return reporter.print(`  the fields of ${progress.table} have changed in the store; reading all rows again`)
    // The last event is `files`: the run writes the files of the copy.
    reporter.show('  writing …')
  }
}

/** Returns the status line of a table after `ms`: rows, rate, used share of the rate limit, and time left. */
export function pageText({ table, rows, rowsBefore = 0, of }: TableProgress, ms: number, meter: RequestMeter): string {
  const total = of === null ? '' : ` of ${numberText(of)}`
  const share = meter.usedShare === null ? '' : `  limit ${Math.round(meter.usedShare * 100)}%`
  const read = rows - rowsBefore
  const left = of === null ? '' : timeLeftText(read, of - rows, ms, meter)
  return `${rowsText(table, rows, total)}  ${rateText(read, ms)}${share}${left}`
}

/** How far a table is, in a run or a verification. */
export interface TableProgress {
  readonly table: string
  /** Rows of the table that were read so far, including `rowsBefore`. */
  readonly rows: number
  /** The part of `rows` that an interrupted run has read; defaults to 0. */
  readonly rowsBefore?: number
  /** Rows of the table in the store; null if the store does not report them. */
  readonly of: number | null
}

/**
 * Returns the estimated time for the rows that are left, in pages of the maximum size; empty if none or all were read.
 */
function timeLeftText(read: number, left: number, ms: number, meter: RequestMeter): string {
  if (read === 0 || left <= 0) return ''
  const requestMs = ms / Math.ceil(read / LIMITS.pageRowsMax)
  return `  ${timeText(meter.estimateMs(Math.ceil(left / LIMITS.pageRowsMax), requestMs))} left`
}

/**
 * Returns a handler that prints a JSON line for each finished, retained or reread table, and if the run cannot prune.
 */
export function printProgressEvents(output: CliOutput): (progress: SyncProgress) => void {
  return (progress) => {
    if (['table', 'prune_unavailable', 'retained', 'reread'].includes(progress.event)) printEvent(output, progress)
  }
}

/** The parts of the last line that are not in `SyncSummary`. */
export interface RunTotals {
  /** Name of the copy for people, from `Copy.name`. */
  readonly copy: string
  /** Whether `--tables` selected the tables. */
  readonly isPart: boolean
  readonly ms: number
  readonly requests: number
}

/** Returns the last line of a run: the copy, rows, requests, and duration. */
export function summaryText({ tables }: SyncSummary, { copy, isPart, ms, requests }: RunTotals): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const removed = tables.reduce((sum, table) => sum + table.removed, 0)
  const part = isPart ? ` (${tables.map(({ table }) => table).join(', ')})` : ''
  const rowsBefore = tables.reduce((sum, table) => sum + table.rowsBefore, 0)
  const before = rowsBefore === 0 ? '' : `, ${numberText(rowsBefore)} from the interrupted run`
  const removedText = removed === 0 ? '' : `, ${numberText(removed)} removed`
  return `  ${copy} is up to date${part}: ${countText(rows, 'row')} read${before}${removedText}, ${countText(requests, 'request')}, ${secondsText(ms)}`
}

/**
 * Returns the rows per second, padded to a fixed width. Returns only spaces for a single page, whose rate depends on
 * the latency of one request.
 */
function rateText(rows: number, ms: number): string {
  if (rows <= LIMITS.pageRowsMax) return ' '.repeat(NUMBER_WIDTH + '/s'.length)
  return `${numberText(Math.round((rows * 1000) / ms)).padStart(NUMBER_WIDTH)}/s`
}
