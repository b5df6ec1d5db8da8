// Writes events as JSON lines. A line leaves out error messages that may quote values of rows. redact.ts removes
// secrets and personal data from the other strings of an event and from its lists of strings.

import type { AuditRecorded } from '@store-export/control'
import type { Config } from './config.ts'
import { EVENTS, type EventHandler, type ServiceEvent } from './events.ts'
import { LineOutput } from './line-output.ts'
import { redactAndCut } from './redact.ts'
import { RejectionSampler, SUM_SECONDS } from './rejection-sampler.ts'

/** The level of a log, and where its lines go. */
export interface LogOptions {
  readonly level: Config['logLevel']
  /** File descriptor for the lines; 1 by default, the standard output. */
  readonly fd?: 1 | 2
  /** Receives each line instead of the file descriptor. Tests use it. */
  readonly to?: { write(line: string): unknown }
  /** Returns milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number
}

/** A log that doesn't block the process (see line-output.ts). */
export interface Log {
  readonly handleEvent: EventHandler
  /**
   * Writes an audit event at any level. Returns whether the output accepted the event; false while the output is
   * stalled. With `to`, returns true.
   */
  record(event: AuditRecorded): boolean
  /** Returns the number of lines that the output dropped since the previous call of `takeDropped`; 0 with `to`. */
  takeDropped(): number
}

type Level = Exclude<Config['logLevel'], 'silent'>

/** The levels, from the most important one to the least. */
const LEVELS: readonly Config['logLevel'][] = ['silent', 'error', 'warn', 'info', 'debug']
/** Maximum length of a string in a line, in UTF-16 code units. */
const TEXT_LENGTH_MAX = 500
/** Maximum number of members that a line contains from a list. */
const LIST_LENGTH_MAX = 50
/** Maximum number of errors that a line contains from a chain of causes. */
const CAUSE_DEPTH_MAX = 4
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** Maximum number of different lines about repeated events in one hour or minute. The log leaves out further lines. */
const GROUPS_MAX = 10_000

/**
 * Returns a log. A line has `level`, `time` (ISO 8601), `pid`, `event`, and the fields of the event. Repeated
 * rejections share a line, for which a timer runs until the process exits; at the level debug, each has its own line.
 */
export function createLog({ level, fd = 1, to, now = Date.now }: LogOptions): Log {
  const isLogged = (event: ServiceEvent) => LEVELS.indexOf(levelOf(event)) <= LEVELS.indexOf(level)
  const output = to === undefined ? new LineOutput({ fd, lossLine: (lines) => lineOf(lossOf(lines), now()) }) : null
  const write = (event: ServiceEvent) => (to ?? output)?.write(lineOf(event, now()))
  const isNews = createNews(now)
  const sampler = level === 'debug' ? null : new RejectionSampler()
  const writeSums = () => {
    for (const sum of sampler?.takeSums() ?? []) write(sum)
  }
  if (sampler !== null) setInterval(writeSums, SUM_SECONDS * 1000).unref()
  return {
    handleEvent: (event) => {
      if (event.event === 'shutdown.started') writeSums()
      // In this order, an event that the level leaves out does not count as the first of its group.
      if (isLogged(event) && isNews(event) && sampler?.isFirst(event) !== false) write(event)
    },
    record: (event) => {
      if (output !== null) return output.writeNow(lineOf(event, now()))
      write(event)
      return true
    },
    takeDropped: () => output?.takeDropped() ?? 0,
  }
}

function lossOf(lines: number): ServiceEvent {
  return { event: 'log.lines_dropped', lines }
}

function lineOf(event: ServiceEvent, now: number): string {
  const time = new Date(now).toISOString()
  return `${JSON.stringify({ level: levelOf(event), time, pid: process.pid, ...fieldsOf(event) })}\n`
}

/**
 * Returns a function that returns whether an event gets a line. Some events get one line for each hour or minute,
 * because they repeat with each request until their cause is fixed.
 */
function createNews(now: () => number): (event: ServiceEvent) => boolean {
  const isFirstInHour = createFirst(HOUR_MS, now)
  const isFirstInMinute = createFirst(MINUTE_MS, now)
  return (event) => {
    if (event.event === 'store.contract_violated') {
      const { storeId, resource, field, kind } = event
      return isFirstInHour([storeId, resource, field, kind].join(' '))
    }
    if (event.event === 'control.query_failed' || event.event === 'usage.write_failed')
      return isFirstInMinute(`${event.event} ${groupOf(event.cause)}`)
    if (event.event === 'leak_report.rejected') return isFirstInMinute(`${event.event} ${event.reason}`)
    return true
  }
}

/** Returns the code of an error; its name if it has none. */
function groupOf(cause: unknown): string {
  const { code, name } = describeCause(cause)
  return String(code ?? name)
}

/** Returns a function that returns whether a string is new in the current period of the clock. */
function createFirst(periodMs: number, now: () => number): (what: string) => boolean {
  const seen = new Set<string>()
  let period = 0
  return (what) => {
    const current = Math.floor(now() / periodMs)
    if (current !== period) seen.clear()
    period = current
    if (seen.has(what) || seen.size >= GROUPS_MAX) return false
    seen.add(what)
    return true
  }
}

function levelOf(event: ServiceEvent): Level {
  if (event.event === 'store.transactions_awaited' && event.stillOpen > 0) return 'info'
  return EVENTS[event.event].level
}

function fieldsOf(event: ServiceEvent): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(event)) {
    fields[name] = name === 'cause' ? describeCause(value) : clean(value)
  }
  return fields
}

/** Returns the value with redacted strings, also in a list, whose length is limited. Objects stay unchanged. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') {
    return redactAndCut(value, TEXT_LENGTH_MAX)
  }
  return Array.isArray(value) ? value.slice(0, LIST_LENGTH_MAX).map(clean) : value
}

/**
 * Returns the fields of an error and of its causes for the log. Leaves out a message that may quote a row's value, and
 * the stack of an error with a code.
 */
export function describeCause(cause: unknown, depth = 1): Record<string, unknown> {
  if (!(cause instanceof Error)) {
    return { message: clean(String(cause)) }
  }
  const { code, routine, severity } = codesOf(cause)
  return {
    name: cause.name,
    ...(code === undefined ? {} : { code }),
    ...(severity === undefined ? {} : { severity }),
    ...(routine === undefined ? {} : { routine }),
    ...(quotesValues(code) ? {} : { message: clean(cause.message) }),
    ...(code === undefined ? { stack: clean(framesOf(cause)) } : {}),
    ...(cause.cause === undefined || depth >= CAUSE_DEPTH_MAX ? {} : { cause: describeCause(cause.cause, depth + 1) }),
  }
}

/**
 * Whether the message may quote values of a row, as in PostgreSQL's data exceptions (22) and constraint violations
 * (23).
 */
function quotesValues(code: string | undefined): boolean {
  return code !== undefined && /^2[23][0-9A-Z]{3}$/.test(code)
}

function codesOf(error: Error & { code?: unknown; routine?: unknown; severity?: unknown }) {
  return { code: word(error.code), routine: word(error.routine), severity: word(error.severity) }
}

/** Returns a value that is safe for the log: a short word, such as a code. Returns undefined for any other value. */
function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w-]{1,60}$/.test(value) ? value : undefined
}

/** Returns the first five calls of the stack, without the message. */
function framesOf(error: Error): string {
  const lines = (error.stack ?? '').split('\n')
  return lines
    .filter((line) => line.startsWith('    at '))
    .slice(0, 5)
    .map((line) => line.trim())
    .join(' | ')
}
