// Prevents an assistant from presenting an old copy as the current state of the store: every result of the tools,
// except an error, begins with the time of the data.

import { timeText } from '../cli/format.ts'
import { TABLES } from '../tables.ts'
import type { StateRow } from './query-process.ts'

/** What the data of a result comes from. */
export interface ReadFrom {
  readonly states: readonly StateRow[]
  /** Tables of the copy that the statements read. If none is a table of the store, all tables count. */
  readonly tables: readonly string[]
}

/**
 * Returns sentences with the time of the oldest of these tables, and with what is missing. `now` is in ms since 1970.
 */
export function asOfText({ states, tables }: ReadFrom, now: number): string {
  const names = new Set(tables.map(syncedTable).filter((name) => name !== null))
  const known = states.filter(({ table_name }) => names.size === 0 || names.has(String(table_name)))
  const times = known.flatMap(({ since }) => (since === null ? [] : [since])).toSorted(byTime)
  const [oldest] = times
  const complete = new Set(known.filter(({ since }) => since !== null).map(({ table_name }) => table_name))
  const wanted = names.size === 0 ? TABLES.map(({ name }) => name) : [...names]
  const incomplete = wanted.filter((name) => !complete.has(name))
  return [
    // The clocks of the service and of this computer can differ, so an age is at least 0.
    oldest === undefined
      ? 'As of: no complete run yet.'
      : `As of ${oldest} (${ageText(Math.max(0, now - Date.parse(oldest)))} ago).`,
    ...(incomplete.length > 0 ? [`Incomplete, because no run has finished them: ${incomplete.join(', ')}.`] : []),
    ...known.flatMap(({ table_name, starts_at }) =>
      starts_at === null ? [] : [`${table_name} lacks rows that were last changed before ${starts_at}.`],
    ),
  ].join(' ')
}

/** Returns the table whose state applies to `table`: itself, or the parent of an embedded table; null if unknown. */
export function syncedTable(table: string): string | null {
  const found = TABLES.find(({ name, children }) => name === table || children.some((child) => child.name === table))
  return found?.name ?? null
}

const DAY_MS = 86_400_000

function ageText(ms: number): string {
  return ms < 2 * DAY_MS ? timeText(ms) : `${Math.floor(ms / DAY_MS)} days`
}

function byTime(one: string, other: string): number {
  return Date.parse(one) - Date.parse(other)
}
