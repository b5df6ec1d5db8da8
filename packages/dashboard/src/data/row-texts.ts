// Reads short strings for tables from the JSON bytes of a row, without parsing the whole row, which can be several
// megabytes long.

import type { Resource } from '@store-export/contract'
import { cutBefore, eachElement, isNull, isString, membersOf, type Span, type Steps, textOf } from './json-bytes.ts'

/**
 * Strings by field; null for a null value. For a field with embedded rows, such as `items`, the string is their number,
 * and `items.quantity` is the sum of that field over these rows. Only fields with integers have a sum.
 */
export type RowTexts = ReadonlyMap<string, string | null>

/** Maximum characters of a string. A longer string is cut and ends with an ellipsis. */
export const TEXT_CHARACTERS_MAX = 200
/** Maximum bytes of a character outside of surrogate pairs: those of an escape sequence such as `\u00e9`. */
const BYTES_OF_CHARACTER_MAX = 6

/** Returns the strings of the row that begins at `start`, and the offset after the row. */
export function* rowTexts(
  bytes: Uint8Array,
  start: number,
  resource: Resource,
): Steps<{ texts: RowTexts; end: number }> {
  const { members, end } = yield* membersOf(bytes, start)
  const texts = new Map<string, string | null>()
  for (const [name, span] of members) {
    const type = resource.fields[name]?.type
    if (type?.kind === 'many') yield* addEmbedded(texts, name, bytes, span.start)
    else texts.set(name, shortText(bytes, span))
  }
  return { texts, end }
}

/**
 * Returns the value as a string of at most 200 characters; null if the value is null or absent. A longer string is cut
 * and gets an ellipsis. Escaped surrogate pairs have twelve bytes, so a string with many is cut earlier.
 */
export function shortText(bytes: Uint8Array, span: Span | undefined): string | null {
  if (isNull(bytes, span)) return null
  const { start, end } = span
  const bytesMax = TEXT_CHARACTERS_MAX * BYTES_OF_CHARACTER_MAX
  const isWhole = end - start <= bytesMax
  const shown = isWhole ? end : cutBefore(bytes, { start: start + 1, end: start + bytesMax })
  const json = textOf(bytes, { start, end: shown })
  const text = isString(bytes, span) ? String(JSON.parse(isWhole ? json : `${json}"`)) : json
  const characters = isWhole && text.length <= TEXT_CHARACTERS_MAX ? null : [...text]
  if (characters === null || (isWhole && characters.length <= TEXT_CHARACTERS_MAX)) return text
  return `${characters.slice(0, TEXT_CHARACTERS_MAX).join('')}…`
}

/** Adds the number of embedded rows, and the sums of their fields with integers. */
function* addEmbedded(texts: Map<string, string | null>, field: string, bytes: Uint8Array, start: number): Steps<void> {
  const sums = new Map<string, bigint>()
  let count = 0
  yield* eachElement(bytes, start, function* (at) {
    const { members, end } = yield* membersOf(bytes, at)
    count += 1
    for (const [name, span] of members) {
      const digits = isString(bytes, span) ? null : shortText(bytes, span)
      if (digits !== null && /^-?\d+$/.test(digits)) sums.set(name, (sums.get(name) ?? 0n) + BigInt(digits))
    }
    return end
  })
  texts.set(field, String(count))
  for (const [name, sum] of sums) texts.set(`${field}.${name}`, String(sum))
}
