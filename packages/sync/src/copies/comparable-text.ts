// Decides when two values are equal, whatever kind of database stores them: both become text, and the texts are compared.

import { exactJsonText, isRawNumber, isTooDeep } from '../exact-json.ts'
import type { CopyColumnKind } from '../tables.ts'

/** Returns the text of a value as the service sends it. Equal values have the same text. null stays null. */
export function comparableText(kind: CopyColumnKind, value: unknown): string | null {
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

/** The members of a JSON object have no order, and a database may change it. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return value
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, each]) => [name, sorted(each)]))
}
