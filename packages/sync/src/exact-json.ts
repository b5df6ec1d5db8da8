// JSON whose numbers keep every digit, at any depth. A store can hold numbers that a double rounds, and JSON that is
// nested thousands of levels deep; a copy has both as they were.

import { parseDeepJson, type WriteOptions, writeDeepJson } from './deep-json.ts'

/** A number as its digits; JSON.stringify writes them as they are. */
export interface RawNumber {
  readonly rawJSON: string
}

/** What the language has and its types lack. */
interface ExactJson {
  parse(text: string, revive: (name: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

const EXACT: ExactJson = JSON as unknown as ExactJson
/** Beyond so many digits a double may round. */
const EXACT_DIGITS = 15
/** A number of more digits, or one with an exponent, as it stands in a text; met within a string it costs time alone. */
const LONG_NUMBER = /[[:,]\s*-?(?:[\d.]{16}|[\d.]{1,15}[eE])/

/** What JSON.parse returns, with numbers that it would round as `RawNumber`. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  try {
    return EXACT.parse(text, exactNumber)
  } catch (error) {
    if (!isTooDeep(error)) throw error
    return parseDeepJson(text, (literal) => EXACT.parse(literal, exactNumber))
  }
}

/** What JSON.stringify returns for a value that `parseExactJson` made, changed as `options` say. */
export function exactJsonText(value: unknown, options: WriteOptions = {}): string {
  if (Object.keys(options).length > 0) return writeDeepJson(value, isRawNumber, options)
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!isTooDeep(error)) throw error
    return writeDeepJson(value, isRawNumber)
  }
}

/** Whether a function that calls itself for each level has overflowed the stack. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError
}

/** Whether `value` is a number of which every digit is kept. */
export function isRawNumber(value: unknown): value is RawNumber {
  return EXACT.isRawJSON(value)
}

function exactNumber(_name: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  const isExact = Number.isFinite(value) && source.replace(/[eE].*|\D/g, '').length <= EXACT_DIGITS
  return isExact ? value : EXACT.rawJSON(source)
}
