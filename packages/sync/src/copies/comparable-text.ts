// Prevents `verify` from reporting two forms of the same value as a difference. For example, the keys of a JSON object
// can have another order, and the digits of a UUID another case.

import { comparableNumber, exactJsonText, isRawNumber, isTooDeep, rawNumber } from '../exact-json.ts'
import type { CopyColumnKind } from '../tables.ts'

/**
 * Returns a value as a string; null for null and undefined. UUIDs and JSON values that are equal have equal strings.
 * Values of other kinds must already have the form in which the service sends them.
 */
export function comparableText(kind: CopyColumnKind, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (kind === 'json') return sortedText(value)
  return kind === 'uuid' ? String(value).toLowerCase() : String(value)
}

/**
 * Returns JSON that is the same for equal values. A value that is nested too deeply for `JSON.stringify` needs a slower
 * function.
 */
function sortedText(value: unknown): string {
  try {
    return JSON.stringify(sorted(value))
  } catch (error) {
    if (!isTooDeep(error)) throw error
    return exactJsonText(value, { isSorted: true, mapNumber: comparableNumber })
  }
}

/** Sorts members by name and gives numbers one form, because a database can change both. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value === 'number') return rawNumber(comparableNumber(String(value)))
  if (value === null || typeof value !== 'object') return value
  if (isRawNumber(value)) return rawNumber(comparableNumber(value.rawJSON))
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, each]) => [name, sorted(each)]))
}
