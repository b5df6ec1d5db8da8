// Formats the JSON of a row for people, up to a limit. Digits and names stay exactly as the API sends them.

import { cutBefore, textOf } from './json-bytes.ts'

/** The beginning of a row's JSON, formatted. */
export interface FormattedJson {
  /** One line for each member, indented by two spaces per level. */
  readonly text: string
  /** Whether the text is complete. */
  readonly isWhole: boolean
}

/** Maximum characters that a page shows of one row. */
export const JSON_CHARACTERS_MAX = 65_536
/**
 * Maximum number of indented levels. Deeper levels have the same indentation, because lines with thousands of spaces
 * are unreadable.
 */
const INDENTED_LEVELS_MAX = 24
/**
 * Bytes to read for each character of the result. It is more than one, because the result omits the spaces of the
 * source, and a character can have several bytes.
 */
const READ_PER_CHARACTER = 4
/** Matches a string, which the limit can have cut, a punctuation mark, or a number, true, false, or null. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^\s"[\]{},:]+/gs

/** Returns formatted JSON of at most `charactersMax` characters. */
export function formatJson(bytes: Uint8Array, charactersMax: number): FormattedJson {
  const end = Math.min(bytes.length, charactersMax * READ_PER_CHARACTER)
  const source = textOf(bytes, { start: 0, end: end < bytes.length ? cutBefore(bytes, { start: 0, end }) : end })
  const out: string[] = []
  let length = 0
  let depth = 0
  let before = ''
  for (const [token] of source.matchAll(TOKEN)) {
    if (token === '}' || token === ']') depth--
    const piece = spaceBefore(token, before, depth) + token
    if (length + piece.length > charactersMax) {
      out.push(piece.slice(0, charactersMax - length))
      // The cut can split a surrogate pair. `toWellFormed` replaces the half that is left.
      return { text: out.join('').toWellFormed(), isWhole: false }
    }
    out.push(piece)
    length += piece.length
    if (token === '{' || token === '[') depth++
    before = token
  }
  return { text: out.join(''), isWhole: end === bytes.length }
}

/** Returns the line break and the indentation, or the space, between the token `before` and `token`. */
function spaceBefore(token: string, before: string, depth: number): string {
  const isEmpty = (before === '{' && token === '}') || (before === '[' && token === ']')
  if (isEmpty || before === '' || token === ',' || token === ':') return ''
  if (before === ':') return ' '
  return `\n${'  '.repeat(Math.min(depth, INDENTED_LEVELS_MAX))}`
}
