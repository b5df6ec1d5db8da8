// Converts timestamps to the numbers that a spreadsheet shows as dates: days since 30 December 1899, in UTC, with the
// time as a fraction.

const DAY_MS = 86_400_000
/** Day 0, counted back from March 1900, because Excel wrongly has a 29 February 1900. */
const ZERO_MS = Date.UTC(1899, 11, 30)
/** Bounds of the times that `excelDay` converts; `END_MS` is the first time after them. */
const FIRST_MS = Date.UTC(1900, 2, 1)
const END_MS = Date.UTC(10_000, 0, 1)
/**
 * Matches most canonical timestamps without formatting them, which takes longer. The days 29 to 31 are formatted,
 * because `Date.parse` turns 30 February into 2 March.
 */
const CANONICAL = /^\d{4}-\d\d-(?:[01]\d|2[0-8])T(?:[01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z$/

/**
 * Returns the date number of a timestamp; null if a cell cannot represent the same timestamp. Programs disagree on
 * dates before March 1900 and have no year 10000. A cell has no time zone and no microseconds.
 */
export function excelDay(timestamp: string): number | null {
  const ms = Date.parse(timestamp)
  if (!(ms >= FIRST_MS && ms < END_MS)) return null
  const isCanonical = CANONICAL.test(timestamp) || new Date(ms).toISOString() === timestamp
  // The division rounds only once, so whole days are exact. In the year 9999, a double is still exact to 0.02 ms.
  return isCanonical ? (ms - ZERO_MS) / DAY_MS : null
}
