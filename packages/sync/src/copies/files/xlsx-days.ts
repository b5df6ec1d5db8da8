// Instants as a workbook keeps them: days since the end of 1899, in UTC, with the time as a fraction.

const DAY_MS = 86_400_000
/** Day 0 as it is counted back from March 1900: Excel's February has a 29th that year, and no calendar's. */
const ZERO_MS = Date.UTC(1899, 11, 30)
const FIRST_MS = Date.UTC(1900, 2, 1)
const END_MS = Date.UTC(10_000, 0, 1)
/** Texts that are their instant's own for sure. To write an instant again and compare takes three times as long. */
const OWN = /^\d{4}-\d\d-(?:[01]\d|2[0-8])T(?:[01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z$/

/**
 * The day of an instant. null for one that would not come back from it as the same text: programs disagree on days
 * before March 1900, none has a year 10000, and a cell says nothing of other zones than UTC and of less than a
 * millisecond.
 */
export function dayOf(instant: string): number | null {
  const ms = Date.parse(instant)
  if (!(ms >= FIRST_MS && ms < END_MS)) return null
  const isOwn = OWN.test(instant) || new Date(ms).toISOString() === instant
  // rounded once: whole days are whole, and a double is right to a fiftieth of a millisecond even in the year 9999
  return isOwn ? (ms - ZERO_MS) / DAY_MS : null
}
