// Formats a row's JSON for people. Digits and names stay as the API sends them, at any length and depth. The page omits
// the rest of a large row.

import { cutBefore, textOf } from './json-bytes.ts'

/** Formatted JSON. */
export interface FormattedJson {
  /** A line for each member, indented by two spaces. */
  readonly text: string
  /** Whether the text is complete. */
  readonly isWhole: boolean
}

/** Bounds of the formatted text of one row. */
export const JSON_CHARACTERS_MAX = 65_536
/** Deeper levels get the indentation of this one, because lines of thousands of spaces are unreadable. */
const INDENTED_LEVELS_MAX = 24
/** Spaces between values are not copied, but have to be read. */
const READ_PER_CHARACTER = 4
const TOKEN = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^\s"[\]{},:]+/gs

/** `bytes`, JSON, formatted: at most about `charactersMax` characters of it. */
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
      return { text: out.join('').toWellFormed(), isWhole: false }
    }
    out.push(piece)
    length += piece.length
    if (token === '{' || token === '[') depth++
    before = token
  }
  return { text: out.join(''), isWhole: end === bytes.length }
}

/** Text between two tokens. */
function spaceBefore(token: string, before: string, depth: number): string {
  const isEmpty = (before === '{' && token === '}') || (before === '[' && token === ']')
  if (isEmpty || before === '' || token === ',' || token === ':') return ''
  if (before === ':') return ' '
  return `\n${'  '.repeat(Math.min(depth, INDENTED_LEVELS_MAX))}`
}
