// Parses and writes JSON without losing digits, at any depth. A store can contain numbers that a double rounds, and
// JSON that is nested thousands of levels deep.

import { type JsonWriteOptions, parseDeepJson, writeDeepJson } from './deep-json.ts'

/** A number with all its digits. `JSON.stringify` writes them unchanged. */
export interface RawNumber {
  readonly rawJSON: string
}

/** Functions of `JSON` that are missing from TypeScript's types. */
interface ExactJson {
  parse(text: string, revive: (name: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

const EXACT: ExactJson = JSON as unknown as ExactJson
/** Decimal digits that a double preserves. A double can round a number with more digits. */
const EXACT_DIGITS = 15
/** Finds numbers with more digits or an exponent. A false match, such as one inside a string, costs only time. */
const LONG_NUMBER = /[[:,]\s*-?(?:[\d.]{16}|[\d.]{1,15}[eE])/

/**
 * Parses like `JSON.parse`, but returns a `RawNumber` for a number in an array or object that a double could round. A
 * short number that is too small for a double, such as 1e-400, becomes 0. Throws `SyntaxError` for invalid JSON.
 */
export function parseExactJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  try {
    return EXACT.parse(text, exactNumber)
  } catch (error) {
    if (!isTooDeep(error)) throw error
    return parseDeepJson(text, (literal) => EXACT.parse(literal, exactNumber))
  }
}

/** Returns the JSON of a value from `parseExactJson`, with the changes of `options`. */
export function exactJsonText(value: unknown, options: JsonWriteOptions = {}): string {
  if (Object.keys(options).length > 0) return writeDeepJson(value, isRawNumber, options)
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!isTooDeep(error)) throw error
    return writeDeepJson(value, isRawNumber)
  }
}

/** Whether the error is a `RangeError`, which deep nesting causes when it overflows the stack. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError
}

/** Whether `parseExactJson` returned the value for a number that a double could round. */
export function isRawNumber(value: unknown): value is RawNumber {
  return EXACT.isRawJSON(value)
}

function exactNumber(_name: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  const isExact = Number.isFinite(value) && source.replace(/[eE].*|\D/g, '').length <= EXACT_DIGITS
  return isExact ? value : EXACT.rawJSON(source)
}
