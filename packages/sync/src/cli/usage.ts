// Words of the command line: what is accepted, and what is said of the rest.

import { type CopyTable, findTable, TABLE_NAMES, TABLES } from '../tables.ts'
import { LONGEST_TIMER_MS, parseDuration, parseInstant } from './times.ts'

/** A word of the command line that is not accepted; the message names it and what is. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem'
}

/** The tables of `--tables`: names with commas between; a table within another brings that one. Throws `UsageProblem`. */
export function tablesOf(text: string): CopyTable[] {
  const names = text.split(',').map((name) => name.trim())
  const wanted = new Set(names.map((name) => tableNamed(name)))
  return TABLES.filter((table) => wanted.has(table))
}

function tableNamed(name: string): CopyTable {
  const table = findTable(name) ?? TABLES.find(({ children }) => children.some((child) => child.name === name))
  if (table !== undefined) return table
  throw new UsageProblem(
    `--tables: must be names of ${TABLE_NAMES.join(', ')}, with commas between; got ${shown(name)}`,
  )
}

/** Milliseconds of `--every`, or of `--overlap`, which may be none. Throws `UsageProblem`. */
export function durationOf(option: '--every' | '--overlap', text: string): number {
  const ms = parseDuration(text, LONGEST_TIMER_MS)
  if (ms !== null && (ms > 0 || option === '--overlap')) return ms
  throw new UsageProblem(`${option}: must be a time such as 90s, 15m, 2h or 1d, 24d at most; got ${shown(text)}`)
}

/** The instant of `--since`. Throws `UsageProblem`. */
export function instantOf(text: string): Date {
  const instant = parseInstant(text, Date.now())
  if (instant !== null) return instant
  throw new UsageProblem(
    `--since: must be a day that was, such as 2026-01-31, an instant such as 2026-01-31T08:00:00Z, or a time back such as 30d; got ${shown(text)}`,
  )
}

/** The number of `--requests-per-minute`. Throws `UsageProblem`. */
export function paceOf(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (value > 0) return value
  throw new UsageProblem(`--requests-per-minute: must be a whole number from 1; got ${shown(text)}`)
}

const DELIMITERS: Readonly<Record<string, string>> = { ',': ',', ';': ';', '|': '|', tab: '\t', '\t': '\t' }

/** The delimiter of `--csv-delimiter`. Throws `UsageProblem`. */
export function delimiterOf(text: string): string {
  const delimiter = DELIMITERS[text]
  if (delimiter !== undefined) return delimiter
  throw new UsageProblem(`--csv-delimiter: must be one of "," ";" "|" or tab; got ${shown(text)}`)
}

/** Throws `UsageProblem` for an `http://` address of another machine: the key would cross the network unencrypted. */
export function refusePlainHttp(url: string): void {
  if (!URL.canParse(url)) return
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' || LOOPBACK.test(hostname)) return
  throw new UsageProblem(
    `--url: http:// would send the key to ${hostname} unencrypted; use https://, or add --insecure-http if the network is your own`,
  )
}

/** Names and addresses that never leave the machine. */
const LOOPBACK = /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/i

/** What was typed, cut, so that a message stays one. */
function shown(text: string): string {
  return JSON.stringify(text.slice(0, 40))
}
