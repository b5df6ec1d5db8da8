// The output of a run: a line for each table for people, or lines of JSON for programs. A log also gets a line for each
// wait, and at least one every 30 seconds, which distinguishes a waiting run from a hanging one.

import type { ClientPause } from '@store-export/client'
import { LIMITS } from '@store-export/contract'
import type { Progress, RunSummary, TableSummary } from '../run/run.ts'
import type { Meter } from './meter.ts'
import { LiveLine, NUMBER_WIDTH, numberText, type Output, printEvent, tableText, timeText } from './output.ts'

/** Where progress is printed, and what it is computed from. */
export interface ProgressOutput {
  readonly output: Output
  readonly meter: Meter
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
}

/** So often a line is written over. */
const SHOW_EVERY_MS = 100
/** Longest time between two lines of a log. */
const LOG_EVERY_MS = 30_000

/** What was asked of a list, for people. */
export const MODES = { whole: 'all', updated: 'what changed', created: 'what is new' } as const

/** Tells a person: a line that counts, and stays when its table is done. */
export class PersonTeller {
  readonly #progress: ProgressOutput
  readonly #line: LiveLine
  #startedAt: number
  #shownAt = Number.NEGATIVE_INFINITY
  #last = ''
  /** Whether it was said of this table that its walk goes on. */
  #hasSaidBefore = false
  #countdown: NodeJS.Timeout | undefined
  /** Current line for a terminal. */
  #status = ''
  #heartbeat: NodeJS.Timeout | undefined
  #isAtWork = false

  constructor(progress: ProgressOutput) {
    this.#progress = progress
    this.#line = new LiveLine(progress.output)
    this.#startedAt = progress.now()
  }

  /** Starts the timer and the periodic lines of a log, until `end`. */
  begin(): void {
    this.#startedAt = this.#progress.now()
    this.#isAtWork = true
    this.#beat()
  }

  /** So many rows of a table were read. */
  page(rows: RowsSoFar): void {
    const { now, meter } = this.#progress
    this.#endCountdown()
    this.#sayBefore(rows)
    if (now() - this.#shownAt < SHOW_EVERY_MS) return
    this.#shownAt = now()
    this.#last = pageText(rows, this.#ms(), meter)
    this.show(this.#last)
  }

  /** So many ids of a table were read. */
  ids({ table, ids, of }: { readonly table: string; readonly ids: number; readonly of: number | null }): void {
    this.#endCountdown()
    this.#last = `${tableText(table, ids)}${of === null ? '' : ` of ${numberText(of)}`} ids`
    this.show(this.#last)
  }

  /** A line that stays; what comes next is timed from here. */
  done(text: string): void {
    this.say(text)
    this.#startedAt = this.#progress.now()
    this.#shownAt = Number.NEGATIVE_INFINITY
    this.#last = ''
    this.#hasSaidBefore = false
  }

  /** A line that stays. */
  say(text: string): void {
    this.#endCountdown()
    this.#line.say(text)
    this.#status = ''
    this.#beat()
  }

  /** A line that the next one writes over. */
  show(text: string): void {
    this.#status = text
    this.#line.show(text)
  }

  /** Nothing more goes on: what comes next does not write over what was shown. */
  end(): void {
    this.#endCountdown()
    this.#isAtWork = false
    this.#beat()
    this.#line.clear()
  }

  /** A table is done. */
  table({ table, rows, rowsBefore, mode, removed }: TableSummary): void {
    const before = rowsBefore === 0 ? '' : `, ${numberText(rowsBefore)} were there already`
    const gone = removed === 0 ? '' : `, ${numberText(removed)} removed`
    this.done(`${tableText(table, rows)} rows  ${rate(rows, this.#ms())}  ${MODES[mode]}${before}${gone}`)
  }

  /** The client waits: a limit is counted down, a fault is said. */
  pause({ reason, ms, error }: ClientPause): void {
    if (reason === 'pace') return
    if (reason === 'limit') this.#countDown(ms)
    else this.say(`  ${sentence(error)}: trying again in ${timeText(ms)}`)
  }

  #sayBefore({ table, rowsBefore = 0 }: RowsSoFar): void {
    if (rowsBefore > 0 && !this.#hasSaidBefore)
      this.say(`${tableText(table, rowsBefore)} rows are there already: going on behind them`)
    this.#hasSaidBefore = true
  }

  #countDown(ms: number): void {
    const until = this.#progress.now() + ms
    const tell = () => {
      const leftMs = Math.max(0, until - this.#progress.now())
      this.show(`${this.#last}  waits ${timeText(leftMs)} for the limit`)
    }
    this.#endCountdown()
    tell()
    if (this.#isLog) this.#log(this.#status)
    this.#countdown = setInterval(tell, 1000).unref()
  }

  get #isLog(): boolean {
    return this.#progress.output.columns === null
  }

  #log(text: string): void {
    this.#line.say(text)
    this.#beat()
  }

  /** Restarts the timer of the periodic lines. */
  #beat(): void {
    clearInterval(this.#heartbeat)
    if (!this.#isLog || !this.#isAtWork) return
    this.#heartbeat = setInterval(() => this.#line.say(this.#status || '  waits for the service'), LOG_EVERY_MS).unref()
  }

  #ms(): number {
    return Math.max(1, this.#progress.now() - this.#startedAt)
  }

  #endCountdown(): void {
    clearInterval(this.#countdown)
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What a run tells a person. */
export function tellPerson(teller: PersonTeller): (progress: Progress) => void {
  return (progress) => {
    if (progress.event === 'page') return teller.page(progress)
    if (progress.event === 'ids') return teller.ids(progress)
    if (progress.event === 'unpruned') return teller.say(`  ${progress.message}`)
    if (progress.event === 'kept')
      return teller.done(`${tableText(progress.table, progress.rows)} rows kept: the store returns none`)
    if (progress.event === 'table') return teller.table(progress)
    teller.show('  writing …')
  }
}

/** A line while a table is walked: rows, rate, share of the limit, time left. */
export function pageText({ table, rows, rowsBefore = 0, of }: RowsSoFar, ms: number, meter: Meter): string {
  const total = of === null ? '' : ` of ${numberText(of)}`
  const share = meter.share === null ? '' : `  limit ${Math.round(meter.share * 100)} %`
  const read = rows - rowsBefore
  const left = of === null ? '' : timeLeft(read, of - rows, ms, meter)
  return `${tableText(table, rows)}${total} rows  ${rate(read, ms)}${share}${left}`
}

/** How far a table is. */
export interface RowsSoFar {
  readonly table: string
  readonly rows: number
  /** How many of them an earlier run has read; none unless said. */
  readonly rowsBefore?: number
  readonly of: number | null
}

function timeLeft(read: number, left: number, ms: number, meter: Meter): string {
  if (read === 0 || left <= 0) return ''
  const requestMs = ms / Math.ceil(read / LIMITS.pageRowsMax)
  return `  ${timeText(meter.timeFor(Math.ceil(left / LIMITS.pageRowsMax), requestMs))} left`
}

/** Tells a program: one line of JSON for each table, and where nothing can be pruned. */
export function tellProgram(output: Output): (progress: Progress) => void {
  return (progress) => {
    if (['table', 'unpruned', 'kept'].includes(progress.event)) printEvent(output, progress)
  }
}

/** What is told of a run besides what it did. */
export interface Spent {
  readonly copy: string
  /** Whether only some tables were asked for. */
  readonly isPart: boolean
  readonly ms: number
  readonly requests: number
}

/** The last words of a run, for people. */
export function summaryText({ tables }: RunSummary, { copy, isPart, ms, requests }: Spent): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const removed = tables.reduce((sum, table) => sum + table.removed, 0)
  const what = isPart
    ? `${copy} is up to date in ${tables.map(({ table }) => table).join(', ')}`
    : `${copy} is up to date`
  const rowsBefore = tables.reduce((sum, table) => sum + table.rowsBefore, 0)
  const before = rowsBefore === 0 ? '' : `, ${numberText(rowsBefore)} were there already`
  const gone = removed === 0 ? '' : `, ${numberText(removed)} removed`
  return `  ${what}: ${numberText(rows)} rows read${before}${gone}, ${numberText(requests)} requests, ${secondsText(ms)}`
}

/** `8.4 s` below a minute. */
export function secondsText(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : timeText(ms)
}

/** Of one page it would say nothing but how far away the service is. */
function rate(rows: number, ms: number): string {
  if (rows <= LIMITS.pageRowsMax) return ' '.repeat(NUMBER_WIDTH + '/s'.length)
  return `${numberText(Math.round((rows * 1000) / ms)).padStart(NUMBER_WIDTH)}/s`
}
