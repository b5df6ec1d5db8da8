// JSON whose numbers keep every digit. A store can hold numbers that a double rounds, within its JSON columns; a copy
// has them as they were.

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

/** `text` as JSON.parse gives it, with numbers that it would round as `RawNumber`. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? EXACT.parse(text, exactNumber) : JSON.parse(text)
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
