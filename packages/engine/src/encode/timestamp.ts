// Writes PostgreSQL's binary timestamptz as ISO 8601 in UTC. Microseconds are truncated, not rounded (R18 in
// docs/spec/readings.md).

import type { Cell } from '@store-export/postgres'
import { civilDate } from '../query/literal.ts'
import { jsonLiteral } from './json-literal.ts'
import type { JsonWriter } from './json-writer.ts'

const DAY_MILLISECONDS = 86_400_000
// Days since 2000-01-01.
const FIRST_DAY = dayOf('0001-01-01')
const LAST_DAY = dayOf('9999-12-31')
const ZERO = 0x30
const COLON = 0x3a
const POINT = 0x2e
/** The characters `Z"` in little-endian order. */
const END = 0x225a
/** The digits from 00 to 99 in little-endian order. */
const PAIRS = Uint16Array.from({ length: 100 }, (_, value) => Buffer.from(two(value), 'latin1').readUInt16LE())
/** Length of a timestamp with its quotes, such as `"2026-07-08T00:00:00.000Z"`. */
const TEXT_BYTES = 26

/** JSON that replaces a timestamp before year 1. */
export const EARLIEST_TIMESTAMP = '"0001-01-01T00:00:00.000Z"'
/** JSON that replaces a timestamp after year 9999. */
export const LATEST_TIMESTAMP = '"9999-12-31T23:59:59.999Z"'

/**
 * Returns whether a timestamp is before, within, or after the years 1 to 9999. `milliseconds` counts from 2000-01-01 in
 * UTC.
 */
export function rangeOf(milliseconds: number): 'before' | 'within' | 'after' {
  if (milliseconds < FIRST_DAY * DAY_MILLISECONDS) return 'before'
  return milliseconds >= (LAST_DAY + 1) * DAY_MILLISECONDS ? 'after' : 'within'
}

/** Writes a timestamp of the years 1 to 9999. `milliseconds` counts from 2000-01-01 in UTC. */
export function writeTimestamp(out: JsonWriter, milliseconds: number): void {
  const day = Math.floor(milliseconds / DAY_MILLISECONDS)
  const inDay = milliseconds - day * DAY_MILLISECONDS
  out.reserve(TEXT_BYTES)
  const { view, length: at } = out
  const seconds = (inDay / 1000) | 0
  const minutes = (seconds / 60) | 0
  const hours = (minutes / 60) | 0
  const fraction = inDay - seconds * 1000
  const hundreds = (fraction / 100) | 0
  putDate(view, at, day)
  view.setUint16(at + 12, PAIRS[hours] as number, true)
  view.setInt32(at + 14, COLON | ((PAIRS[minutes - hours * 60] as number) << 8) | (COLON << 24), true)
  view.setInt32(at + 18, (PAIRS[seconds - minutes * 60] as number) | (POINT << 16) | ((ZERO + hundreds) << 24), true)
  view.setInt32(at + 22, (PAIRS[fraction - hundreds * 100] as number) | (END << 16), true)
  out.length = at + TEXT_BYTES
}

/**
 * Returns the milliseconds since 2000-01-01 in UTC, rounded down. The function reads two halves of 32 bits, because a
 * double can hold the milliseconds of every year but not the microseconds.
 */
export function millisecondsOf({ view, start }: Cell): number {
  const high = view.getInt32(start)
  // 2 ** 32 = 4,294,967 * 1000 + 296.
  return high * 4_294_967 + Math.floor((high * 296 + view.getUint32(start + 4)) / 1000)
}

/** Number of cached dates. It is a power of two, because `putDate` finds the entry of a day with a bit mask. */
const CACHED_DAYS_MAX = 1024
/** The day of each entry in `cachedDates`. The initial value is after year 9999, so no timestamp has it. */
const cachedDays = new Int32Array(CACHED_DAYS_MAX).fill(LAST_DAY + 1)
/**
 * Text of the last date written for each day number modulo 1024, as two words. Most rows of a page share their day with
 * other rows.
 */
const cachedDates = new Float64Array(CACHED_DAYS_MAX * 2)

/** Writes the date, and the `T` after it, as 16 bytes. `writeTimestamp` overwrites the last four. */
function putDate(view: DataView, at: number, day: number): void {
  const slot = day & (CACHED_DAYS_MAX - 1)
  if (cachedDays[slot] !== day) cacheDate(slot, day)
  view.setFloat64(at, cachedDates[slot * 2] as number, true)
  view.setFloat64(at + 8, cachedDates[slot * 2 + 1] as number, true)
}

function cacheDate(slot: number, day: number): void {
  const { year, month, day: dayOfMonth } = civilDate(day)
  cachedDates.set(jsonLiteral(`"${String(year).padStart(4, '0')}-${two(month)}-${two(dayOfMonth)}T`).words, slot * 2)
  cachedDays[slot] = day
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function dayOf(date: string): number {
  return (Date.parse(`${date}T00:00:00Z`) - Date.UTC(2000, 0, 1)) / DAY_MILLISECONDS
}
