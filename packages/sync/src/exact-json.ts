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
/** Significant digits that a double from `NORMAL_MIN` on preserves. A double can round a number with more digits. */
const EXACT_DIGITS = 15
/** Smallest absolute value with all the digits of a double. Smaller values have fewer digits, or become 0. */
const NORMAL_MIN = 2.2250738585072014e-308
/** Finds numbers with more digits or an exponent. A false match, such as one inside a string, costs only time. */
const LONG_NUMBER = /[[:,]\s*-?(?:[\d.]{16}|[\d.]{1,15}[eE])/

/**
 * Parses like `JSON.parse`, but returns a `RawNumber` for a number in an array or object that a double could round, or
 * that exceeds its range. Throws `SyntaxError` for invalid JSON.
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

/**
 * Returns the JSON of a number in a form that is the same for all numbers of the same value. PostgreSQL stores 1e400 as
 * a 1 with 400 zeros.
 */
export function comparableNumber(json: string): string {
  const { sign, digits, exponent } = decimalOf(json)
  return digits === '' ? '0' : `${sign}${digits}e${exponent}`
}

/** Returns the number with this JSON, which must be valid. */
export function rawNumber(json: string): RawNumber {
  return EXACT.rawJSON(json)
}

function exactNumber(_name: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  const { digits } = decimalOf(source)
  const isInRange = digits === '' || (Number.isFinite(value) && Math.abs(value) >= NORMAL_MIN)
  return isInRange && digits.length <= EXACT_DIGITS ? value : rawNumber(source)
}

/** Returns the digits of a number without zeros at the ends, and the exponent of the last digit. 0 has no digits. */
function decimalOf(source: string): { readonly sign: string; readonly digits: string; readonly exponent: number } {
  const [significand = '', power = '0'] = source.split(/e/i)
  const [whole = '', fraction = ''] = significand.split('.')
  const all = (whole + fraction).replace(/^-?0*/, '')
  let end = all.length
  while (all[end - 1] === '0') end -= 1
  const exponent = Number(power) - fraction.length + all.length - end
  return { sign: source.startsWith('-') ? '-' : '', digits: all.slice(0, end), exponent }
}
