// Converts rows from the JSON bytes of the engine to CSV records. A value can be several megabytes long, so the text is
// written in pieces, and a long value is never a single string.

import type { CsvDialect } from './csv-dialect.ts'
import type { CsvColumn } from './csv-files.ts'
import { cutBefore, isNull, isString, membersOf, type Span, type Steps, textOf } from './json-bytes.ts'

/** Appends a piece of text to the output. */
export type WriteText = (piece: string) => void

/** Maximum number of bytes of a value that is written at once. A longer value is written in several pieces. */
const PIECE_BYTES = 16_384
const NEEDS_QUOTES = /[",;\r\n]/
/**
 * Matches text that a spreadsheet would run as a formula. The last four characters are the first four in fullwidth.
 */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/
/**
 * Matches what begins a formula inside a text, if a spreadsheet reads the file with another separator. For this
 * spreadsheet, the quotes around the text are not at the start of a cell, so they protect nothing.
 */
const INNER_FORMULA = /([;,\t\r\n]"*)([=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g
/** Matches a text after which such a formula could begin. */
const BEFORE_FORMULA = /[;,\t\r\n]"*$/
/** Matches telephone numbers such as +4930123456, which start like a formula but are harmless. */
const DIGITS_AFTER_PLUS = /^\+\d+$/

/**
 * Returns the start of a CSV file: a byte order mark and the header. Without the mark, Excel on Windows reads UTF-8 in
 * the code page of the computer.
 */
export function csvHead(names: readonly string[], dialect: CsvDialect): string {
  return `\uFEFF${csvRecord(names, dialect)}`
}

/**
 * Returns a CSV record, with quotes where a text needs them. A text that looks like a formula gets an apostrophe before
 * it.
 */
export function csvRecord(texts: readonly string[], { separator }: CsvDialect): string {
  return `${texts.map((text) => csvCell(harmless(withApostrophe(text), false))).join(separator)}\r\n`
}

/** What the rows of a file have in common. */
export interface CsvRowFormat {
  readonly columns: readonly CsvColumn[]
  readonly dialect: CsvDialect
}

/**
 * Writes the JSON object that begins at `start` as a CSV record, and returns the offset after the object. A text that
 * looks like a formula gets an apostrophe before it.
 */
export function* writeCsvRow(
  put: WriteText,
  bytes: Uint8Array,
  start: number,
  { columns, dialect }: CsvRowFormat,
): Steps<number> {
  const { members, end } = yield* membersOf(bytes, start)
  const addresses = new Map<string, ReadonlyMap<string, Span>>()
  for (const [index, { field, part, isNumber }] of columns.entries()) {
    if (index > 0) put(dialect.separator)
    const span = members.get(field)
    if (isNull(bytes, span)) continue
    if (part !== null && !addresses.has(field)) {
      const { members: parts } = yield* membersOf(bytes, span.start)
      addresses.set(field, parts)
    }
    const cell = part === null ? span : addresses.get(field)?.get(part)
    yield* writeCell(put, bytes, cell, isNumber ? dialect.decimal : null)
  }
  put('\r\n')
  return end
}

/** Writes a cell. `decimal` is the decimal sign of a number; null for another value. */
function* writeCell(
  put: WriteText,
  bytes: Uint8Array,
  span: Span | undefined,
  decimal: CsvDialect['decimal'] | null,
): Steps<void> {
  if (isNull(bytes, span)) return
  const isText = isString(bytes, span)
  if (span.end - span.start > PIECE_BYTES) return yield* writeLongCell(put, bytes, span, isText)
  const json = textOf(bytes, span)
  const text = isText ? String(JSON.parse(json)) : json
  if (decimal !== null) return put(text.replace('.', decimal))
  put(csvCell(harmless(isText ? withApostrophe(text) : text, !isText)))
}

/** Writes a long text, or JSON, in quotes and in pieces, and yields after each piece. No number is that long. */
function* writeLongCell(put: WriteText, bytes: Uint8Array, span: Span, isText: boolean): Steps<void> {
  const end = isText ? span.end - 1 : span.end
  put('"')
  // A comma if a formula could begin with the next piece, otherwise empty. The comma stands for the end of the previous
  // piece, so that `harmless` finds the formula. It isn't written again.
  let before = ''
  let isFirst = true
  for (let start = isText ? span.start + 1 : span.start; start < end; ) {
    const stop = Math.min(start + PIECE_BYTES, end)
    const cut = stop === end ? end : cutBefore(bytes, { start, end: stop })
    const json = textOf(bytes, { start, end: cut })
    const text = isText ? String(JSON.parse(`"${json}"`)) : json
    const piece = before + (isFirst && isText ? withApostrophe(text) : text)
    put(harmless(piece, !isText).slice(before.length).replaceAll('"', '""'))
    before = BEFORE_FORMULA.test(piece) ? ',' : ''
    isFirst = false
    start = cut
    yield
  }
  put('"')
}

function withApostrophe(text: string): string {
  return FORMULA.test(text) && !DIGITS_AFTER_PLUS.test(text) ? `'${text}` : text
}

/**
 * Returns the text without formulas for a spreadsheet with another separator. In a text, an apostrophe comes before
 * each. In JSON, an escape sequence replaces the first character, so that the value of the JSON stays the same.
 */
function harmless(text: string, isJson: boolean): string {
  if (!isJson) return text.replace(INNER_FORMULA, "$1'$2")
  return text.replace(INNER_FORMULA, (_, before: string, sign: string) => {
    const code = sign.charCodeAt(0).toString(16).padStart(4, '0')
    return `${before}\\u${code}`
  })
}

function csvCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
