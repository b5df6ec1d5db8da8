// Rows as CSV text, from their JSON bytes: in pieces, because one value can be megabytes.

import type { CsvColumn } from './csv-files.ts'
import { cutBefore, isNull, isString, membersOf, type Span, type Steps, textOf } from './json-bytes.ts'

/** Called with the pieces of the text, in their order. */
export type WriteText = (piece: string) => void

/** A value up to this many bytes is one piece. */
const PIECE_BYTES = 16_384
const NEEDS_QUOTES = /[",\r\n]/
/** A spreadsheet takes these for the beginning of a formula; the last four are their wide forms. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/
/** A telephone number is no formula. */
const DIGITS_AFTER_PLUS = /^\+\d+$/

/** A record of strings that need no parsing, such as the names of the columns. */
export function csvRecord(texts: readonly string[]): string {
  return `${texts.map(csvCell).join(',')}\r\n`
}

/** Writes the row that begins at `start` as a record; returns the offset after the row. */
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

/** A long value, always in quotes. */
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
