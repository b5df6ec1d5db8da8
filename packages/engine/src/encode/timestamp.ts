// PostgreSQL's binary timestamptz becomes ISO 8601 in UTC with milliseconds, cut and never rounded (R18).

import type { Cell } from '@store-export/postgres'
import { civilDate } from '../query/literal.ts'
import type { JsonWriter } from './json-writer.ts'
import { prepare } from './prepared.ts'

const DAY_MILLISECONDS = 86_400_000
const FIRST_DAY = dayOf('0001-01-01')
const LAST_DAY = dayOf('9999-12-31')
const ZERO = 0x30
const COLON = 0x3a
const POINT = 0x2e
/** `Z"` as it lies in memory read from its low end, as are the pairs of digits from 00 to 99. */
const END = 0x225a
const PAIRS = Uint16Array.from({ length: 100 }, (_, value) => Buffer.from(two(value), 'latin1').readUInt16LE())
/** `"2026-07-08T00:00:00.000Z"` */
const TEXT_BYTES = 26

/** First instant of year 1 and last of year 9999: what a stamp outside them is clamped to. */
export const FIRST_INSTANT = '"0001-01-01T00:00:00.000Z"'
export const LAST_INSTANT = '"9999-12-31T23:59:59.999Z"'

/** Where an instant, in milliseconds since 2000, lies: within the years 1 to 9999, before or after; infinities lie outside. */
export function rangeOf(milliseconds: number): 'before' | 'within' | 'after' {
  if (milliseconds < FIRST_DAY * DAY_MILLISECONDS) return 'before'
  return milliseconds >= (LAST_DAY + 1) * DAY_MILLISECONDS ? 'after' : 'within'
}

/** Writes an instant of the years 1 to 9999, in milliseconds since 2000. */
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
 * Milliseconds since 2000, rounded down. The 64 bits are taken in halves: the whole number of microseconds of a year
 * like 9999 has no exact double, its milliseconds do.
 */
export function millisecondsOf({ view, start }: Cell): number {
  const high = view.getInt32(start)
  return high * 4_294_967 + Math.floor((high * 296 + view.getUint32(start + 4)) / 1000)
}

/** Texts of days met last, two words each, at the day's number modulo 1024: the rows of a page share few days. */
const DAYS_KEPT = 1024
const days = new Int32Array(DAYS_KEPT).fill(LAST_DAY + 1)
const texts = new Float64Array(DAYS_KEPT * 2)

/** Puts sixteen bytes, of which the last four are to be written over. */
function putDate(view: DataView, at: number, day: number): void {
  const place = day & (DAYS_KEPT - 1)
  if (days[place] !== day) keepText(place, day)
  view.setFloat64(at, texts[place * 2] as number, true)
  view.setFloat64(at + 8, texts[place * 2 + 1] as number, true)
}

function keepText(place: number, day: number): void {
  const { year, month, day: dayOfMonth } = civilDate(day)
  texts.set(prepare(`"${String(year).padStart(4, '0')}-${two(month)}-${two(dayOfMonth)}T`).words, place * 2)
  days[place] = day
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function dayOf(date: string): number {
  return (Date.parse(`${date}T00:00:00Z`) - Date.UTC(2000, 0, 1)) / DAY_MILLISECONDS
}
