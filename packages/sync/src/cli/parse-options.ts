// Parses the values of options before the command starts, so that a wrong option costs no request. All functions throw
// `CommandLineError` for a value that they do not accept.

import { type CopyTable, findTable, TABLE_NAMES, TABLES } from '../tables.ts'
import { CommandLineError } from './command-line-error.ts'
import { parseDuration, parseTimestamp, TIMER_MS_MAX } from './parse-time.ts'

/** Returns the tables of `--tables`, in the order of `TABLES`. The name of an embedded table selects its parent. */
export function parseTables(text: string): CopyTable[] {
  const names = text.split(',').map((name) => name.trim())
  const selected = new Set(names.map((name) => parseTable(name)))
  return TABLES.filter((table) => selected.has(table))
}

function parseTable(name: string): CopyTable {
  const table = findTable(name) ?? TABLES.find(({ children }) => children.some((child) => child.name === name))
  if (table !== undefined) return table
  throw new CommandLineError(
    `--tables: must be table names separated by commas (${TABLE_NAMES.join(', ')}); got ${quoteInput(name)}`,
  )
}

/** Returns `--every` or `--overlap` in milliseconds, at most the 24 days of a timer. Only `--overlap` can be 0. */
export function parseDurationOption(option: '--every' | '--overlap', text: string): number {
  const ms = parseDuration(text, TIMER_MS_MAX)
  if (ms !== null && (ms > 0 || option === '--overlap')) return ms
  throw new CommandLineError(
    `${option}: must be a duration such as 90s, 15m, 2h or 1d, at most 24d; got ${quoteInput(text)}`,
  )
}

/** Returns `--since` as a time from 1970 until now. A duration counts back from now. */
export function parseSince(text: string): Date {
  const since = parseTimestamp(text, Date.now())
  if (since !== null) return since
  throw new CommandLineError(
    `--since: must be a past date (2026-01-31), a past timestamp (2026-01-31T08:00:00Z) or a duration (30d); got ${quoteInput(text)}`,
  )
}

/** Returns `--requests-per-minute`, 1 to 999,999. */
export function parseRequestsPerMinute(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (value > 0) return value
  throw new CommandLineError(`--requests-per-minute: must be a whole number from 1 to 999999; got ${quoteInput(text)}`)
}

const DELIMITERS: Readonly<Record<string, string>> = { ',': ',', ';': ';', '|': '|', tab: '\t', '\t': '\t' }

/** Returns `--csv-delimiter` as one character: a comma, a semicolon, a bar, or a tab. */
export function parseCsvDelimiter(text: string): string {
  const delimiter = DELIMITERS[text]
  if (delimiter !== undefined) return delimiter
  throw new CommandLineError(`--csv-delimiter: must be one of "," ";" "|" or tab; got ${quoteInput(text)}`)
}

/**
 * Throws for an `http://` URL of another machine, because the key would cross the network unencrypted. Ignores an
 * invalid URL, which the client rejects.
 */
export function rejectPlainHttp(url: string): void {
  if (!URL.canParse(url)) return
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' || LOOPBACK.test(hostname)) return
  throw new CommandLineError(
    `--url: http:// would send the key to ${hostname} unencrypted; use https://, or add --insecure-http if you trust the network`,
  )
}

/** Host names and addresses of this machine. */
const LOOPBACK = /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/i

/** Returns the value quoted and cut to 40 characters, so that the message stays on one line. */
function quoteInput(text: string): string {
  return JSON.stringify(text.slice(0, 40))
}
