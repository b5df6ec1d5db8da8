// Converts rows from the JSON bytes of the engine to CSV records. A value can be several megabytes long, so the text is
// written in pieces, and a long value is never a single string.

import type { CsvColumn } from './csv-files.ts'
import { cutBefore, isNull, isString, membersOf, type Span, type Steps, textOf } from './json-bytes.ts'

export type WriteText = (piece: string) => void

/** Maximum number of bytes of a value that is written at once. A longer value is written in several pieces. */
const PIECE_BYTES = 16_384
const NEEDS_QUOTES = /[",\r\n]/
/**
 * Matches text that a spreadsheet would run as a formula. The last four characters are the first four in fullwidth.
 */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/
/** Matches telephone numbers such as +4930123456, which start like a formula but are harmless. */
const DIGITS_AFTER_PLUS = /^\+\d+$/

/**
 * Returns the start of a CSV file: a byte order mark and the header. Without the mark, Excel on Windows reads UTF-8 in
 * the code page of the computer.
 */
export function csvHead(names: readonly string[]): string {
  return `\uFEFF${csvRecord(names)}`
}

/**
 * Returns a CSV record, with quotes where a text needs them. A text that looks like a formula gets an apostrophe before
 * it.
 */
export function csvRecord(texts: readonly string[]): string {
  return `${texts.map((text) => csvCell(withApostrophe(text))).join(',')}\r\n`
}

/**
 * Writes the JSON object that begins at `start` as a CSV record, and returns the offset after the object. A text that
 * looks like a formula gets an apostrophe before it.
 */
export function* writeCsvRow(
  put: WriteText,
  bytes: Uint8Array,
  start: number,
  columns: readonly CsvColumn[],
): Steps<number> {
  const { members, end } = yield* membersOf(bytes, start)
  const addresses = new Map<string, ReadonlyMap<string, Span>>()
  for (const [index, { field, part, isNumber }] of columns.entries()) {
    if (index > 0) put(',')
    const span = members.get(field)
    if (isNull(bytes, span)) continue
    if (part !== null && !addresses.has(field)) {
      const { members: parts } = yield* membersOf(bytes, span.start)
      addresses.set(field, parts)
    }
    yield* writeCell(put, bytes, part === null ? span : addresses.get(field)?.get(part), isNumber)
  }
  put('\r\n')
  return end
}

function* writeCell(put: WriteText, bytes: Uint8Array, span: Span | undefined, isNumber: boolean): Steps<void> {
  if (isNull(bytes, span)) return
  const isText = isString(bytes, span)
  if (span.end - span.start > PIECE_BYTES) return yield* writeLongCell(put, bytes, span, isText)
  const json = textOf(bytes, span)
  const text = isText ? String(JSON.parse(json)) : json
  put(csvCell(isNumber || !isText ? text : withApostrophe(text)))
}

/** Writes a long value in quotes and in pieces, and yields after each piece. */
function* writeLongCell(put: WriteText, bytes: Uint8Array, span: Span, isText: boolean): Steps<void> {
  const end = isText ? span.end - 1 : span.end
  put('"')
  let isFirst = true
  for (let start = isText ? span.start + 1 : span.start; start < end; ) {
    const stop = Math.min(start + PIECE_BYTES, end)
    const cut = stop === end ? end : cutBefore(bytes, { start, end: stop })
    const json = textOf(bytes, { start, end: cut })
    const text = isText ? String(JSON.parse(`"${json}"`)) : json
    put((isFirst && isText ? withApostrophe(text) : text).replaceAll('"', '""'))
    isFirst = false
    start = cut
    yield
  }
  put('"')
}

function withApostrophe(text: string): string {
  return FORMULA.test(text) && !DIGITS_AFTER_PLUS.test(text) ? `'${text}` : text
}

function csvCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
