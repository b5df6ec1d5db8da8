// PostgreSQL's binary timestamptz becomes ISO 8601 in UTC with milliseconds, cut and never rounded (R18).

import { civilDate } from '../query/literal.ts'
import type { Cell } from './cell.ts'
import type { JsonWriter } from './json-writer.ts'

const DAY_MILLISECONDS = 86_400_000
const FIRST_DAY = dayOf('0001-01-01')
const LAST_DAY = dayOf('9999-12-31')
const ZERO = 0x30
/** `"2026-07-08T` */
const DATE_BYTES = 12

/** First instant of year 1 and last of year 9999: what a stamp outside them is clamped to. */
export const FIRST_INSTANT = Buffer.from('"0001-01-01T00:00:00.000Z"')
export const LAST_INSTANT = Buffer.from('"9999-12-31T23:59:59.999Z"')

/** Where a stamp lies: within the years 1 to 9999, before or after them; infinities lie outside. */
export function rangeOf(cell: Cell): 'before' | 'within' | 'after' {
  const day = Math.floor(millisecondsOf(cell) / DAY_MILLISECONDS)
  if (day < FIRST_DAY) return 'before'
  return day > LAST_DAY ? 'after' : 'within'
}

/** Writes a stamp of the years 1 to 9999. */
export function writeTimestamp(out: JsonWriter, cell: Cell): void {
  const milliseconds = millisecondsOf(cell)
  const day = Math.floor(milliseconds / DAY_MILLISECONDS)
  const inDay = milliseconds - day * DAY_MILLISECONDS
  out.reserve(26)
  const target = out.bytes
  const at = out.length
  putDate(target, at, day)
  const seconds = Math.trunc(inDay / 1000)
  putTwo(target, at + 12, Math.trunc(seconds / 3600))
  target[at + 14] = 0x3a
  putTwo(target, at + 15, Math.trunc(seconds / 60) % 60)
  target[at + 17] = 0x3a
  putTwo(target, at + 18, seconds % 60)
  target[at + 20] = 0x2e
  const fraction = inDay % 1000
  target[at + 21] = ZERO + Math.trunc(fraction / 100)
  putTwo(target, at + 22, fraction % 100)
  target[at + 24] = 0x5a
  target[at + 25] = 0x22
  out.length = at + 26
}

/**
 * Milliseconds since 2000, rounded down. The 64 bits are taken in halves: the whole number of microseconds of a year
 * like 9999 has no exact double, its milliseconds do.
 */
function millisecondsOf({ bytes, start }: Cell): number {
  const high = bytes.readInt32BE(start)
  return high * 4_294_967 + Math.floor((high * 296 + bytes.readUInt32BE(start + 4)) / 1000)
}

/** Texts of days met last, each at its number modulo 64: stamps of rows that follow one another share few days. */
const DATES = Array.from({ length: 64 }, () => ({ day: Number.NaN, text: Buffer.alloc(DATE_BYTES) }))

function putDate(target: Buffer, at: number, day: number): void {
  const date = DATES[day & 63] as (typeof DATES)[number]
  if (date.day !== day) {
    const { year, month, day: dayOfMonth } = civilDate(day)
    date.text.write(`"${String(year).padStart(4, '0')}-${two(month)}-${two(dayOfMonth)}T`, 'latin1')
    date.day = day
  }
  for (let i = 0; i < DATE_BYTES; i++) target[at + i] = date.text[i] as number
}

function putTwo(target: Buffer, at: number, value: number): void {
  target[at] = ZERO + Math.trunc(value / 10)
  target[at + 1] = ZERO + (value % 10)
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function dayOf(date: string): number {
  return (Date.parse(`${date}T00:00:00Z`) - Date.UTC(2000, 0, 1)) / DAY_MILLISECONDS
}
