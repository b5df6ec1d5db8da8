// Writes observations as JSON lines. A cause is reduced to what helps and cannot hold personal data, and every text
// goes through redact.ts.

import type { AuditRecorded } from '@store-export/control'
import type { Config } from './config.ts'
import { LineOutput } from './line-output.ts'
import type { Observation, Observe } from './observe.ts'
import { redactAndCut } from './redact.ts'
import { RefusalSampler, SUM_SECONDS } from './refusal-sampler.ts'

/** Options of the log. */
export interface LogOptions {
  readonly level: Config['logLevel']
  /** File descriptor of the lines; 1, the standard output, by default. */
  readonly fd?: 1 | 2
  /** Receives whole lines instead of the file descriptor. */
  readonly to?: { write(line: string): unknown }
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number
}

/** A log, which never makes the process wait. */
export interface Log {
  readonly observe: Observe
  /** Writes an audit event at any level. Returns whether the output took the line: false while its reader is stalled. */
  record(event: AuditRecorded): boolean
  /** How many lines the output did not take since this was last called. */
  takeDropped(): number
}

type Level = Exclude<Config['logLevel'], 'silent'>

/** Levels from the most important to the least. */
const LEVELS: readonly Config['logLevel'][] = ['silent', 'error', 'warn', 'info', 'debug']
const TEXT_LENGTH_MAX = 500
const LIST_LENGTH_MAX = 50
/** The deepest cause of a cause that is logged. */
const CAUSE_DEPTH_MAX = 4
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** Kinds of odd values that are told apart in one hour; more are counted by the metrics only. */
const SURPRISES_MAX = 10_000

/** A log. Lines have `level` as a word, `time` in ISO 8601, `pid`, `event` and the observation's fields. */
export function createLog({ level, fd = 1, to, now = Date.now }: LogOptions): Log {
  const isLogged = (observation: Observation) => LEVELS.indexOf(levelOf(observation)) <= LEVELS.indexOf(level)
  const output = to === undefined ? new LineOutput({ fd, lossLine: (lines) => lineOf(lossOf(lines), now()) }) : null
  const write = (observation: Observation) => (to ?? output)?.write(lineOf(observation, now()))
  const isNews = createNews(now)
  const sampler = level === 'debug' ? null : new RefusalSampler()
  const writeSums = () => {
    for (const sum of sampler?.takeSums() ?? []) write(sum)
  }
  if (sampler !== null) setInterval(writeSums, SUM_SECONDS * 1000).unref()
  return {
    observe: (observation) => {
      if (observation.event === 'stopping') writeSums()
      if (isLogged(observation) && isNews(observation) && sampler?.isFirst(observation) !== false) write(observation)
    },
    record: (event) => {
      if (output !== null) return output.writeNow(lineOf(event, now()))
      write(event)
      return true
    },
    takeDropped: () => output?.takeDropped() ?? 0,
  }
}

function lossOf(lines: number): Observation {
  return { event: 'log.lines_dropped', lines }
}

function lineOf(observation: Observation, now: number): string {
  const time = new Date(now).toISOString()
  return `${JSON.stringify({ level: levelOf(observation), time, pid: process.pid, ...fieldsOf(observation) })}\n`
}

/** Whether an observation is worth a line: what comes with every page or every request is told once for a while. */
function createNews(now: () => number): (observation: Observation) => boolean {
  const isFirstInHour = createFirst(HOUR_MS, now)
  const isFirstInMinute = createFirst(MINUTE_MS, now)
  return (observation) => {
    const { event } = observation
    if (event === 'value surprise') {
      const { storeId, resource, field, kind } = observation
      return isFirstInHour([storeId, resource, field, kind].join(' '))
    }
    if (event === 'control fault' || event === 'usage flush failed')
      return isFirstInMinute(`${event} ${String(describeCause(observation.cause).code)}`)
    return true
  }
}

/** Whether a text comes for the first time in this period of the clock. */
function createFirst(periodMs: number, now: () => number): (what: string) => boolean {
  const seen = new Set<string>()
  let period = 0
  return (what) => {
    const current = Math.floor(now() / periodMs)
    if (current !== period) seen.clear()
    period = current
    if (seen.has(what) || seen.size >= SURPRISES_MAX) return false
    seen.add(what)
    return true
  }
}

/** Pool states are for metrics; a refused key or framing is the client's affair. */
function levelOf(observation: Observation): Level {
  switch (observation.event) {
    case 'control fault':
    case 'own fault':
      return 'error'
    case 'store fault':
    case 'usage flush failed':
    case 'schema surprise':
    case 'value surprise':
    case 'queue refused':
    case 'log.lines_dropped':
    case 'warning':
      return 'warn'
    case 'barrier passed':
      return observation.outlasting === 0 ? 'debug' : 'info'
    case 'pool state':
    case 'pool opened':
    case 'pool closed':
      return 'debug'
    default:
      return 'info'
  }
}

function fieldsOf(observation: Observation): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(observation)) {
    fields[name] = name === 'cause' ? describeCause(value) : clean(value)
  }
  return fields
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') {
    return redactAndCut(value, TEXT_LENGTH_MAX)
  }
  return Array.isArray(value) ? value.slice(0, LIST_LENGTH_MAX).map(clean) : value
}

/** What of an error may be logged: class, code, place, and a message when that cannot quote a row's value. */
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

/** PostgreSQL's data exceptions (22) and constraint violations (23) quote what a row holds. */
function quotesValues(code: string | undefined): boolean {
  return code !== undefined && /^2[23][0-9A-Z]{3}$/.test(code)
}

function codesOf(error: Error & { code?: unknown; routine?: unknown; severity?: unknown }) {
  return { code: word(error.code), routine: word(error.routine), severity: word(error.severity) }
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w-]{1,60}$/.test(value) ? value : undefined
}

/** The stack without its first lines, which repeat the message. */
function framesOf(error: Error): string {
  const lines = (error.stack ?? '').split('\n')
  return lines
    .filter((line) => line.startsWith('    at '))
    .slice(0, 5)
    .map((line) => line.trim())
    .join(' | ')
}
