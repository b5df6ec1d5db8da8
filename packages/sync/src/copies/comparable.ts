// When two values are the same, whatever keeps them: each becomes a text, and the texts are compared.

import { exactJsonText, isRawNumber, isTooDeep } from '../exact-json.ts'
import type { ColumnKind } from '../tables.ts'

/** The text of a value as the service sends it; the same values have the same text, and null has none. */
export function comparable(kind: ColumnKind, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (kind === 'json') return sortedText(value)
  return kind === 'uuid' ? String(value).toLowerCase() : String(value)
}

function sortedText(value: unknown): string {
  try {
    return JSON.stringify(sorted(value))
  } catch (error) {
    if (!isTooDeep(error)) throw error
    return exactJsonText(value, { isSorted: true })
  }
}

/** JSON says nothing of the order of an object's members, and a database may keep its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return value
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, each]) => [name, sorted(each)]))
}
