// Rows as the JSON that PostgreSQL reads them from, a page at a time, without what it cannot hold.

import { exactJsonText, isRawNumber, isTooDeep, parseExactJson } from '../../exact-json.ts'
import type { CopyColumn } from '../../tables.ts'
import type { CopyRow } from '../copy.ts'

/**
 * A JSON array of the rows, each with the columns alone. PostgreSQL holds neither U+0000 nor half a surrogate pair. In
 * text U+0000 is left out, as no store's own text can have it; within JSON, which a store can hold as it was typed, it is
 * U+FFFD: values and names stay readable, no two names become one, and the row stays. Half a pair is U+FFFD everywhere.
 */
export function jsonOfRows(columns: readonly CopyColumn[], rows: readonly CopyRow[]): string {
  const text = exactJsonText(rows.map((row) => picked(columns, row, asItIs)))
  return UNHOLDABLE.test(text) ? exactJsonText(rows.map((row) => picked(columns, row, holdable))) : text
}

/** Rows by their ids, of those with the same id the last: a statement may write a row once. */
export function lastOfEach(rows: readonly CopyRow[]): CopyRow[] {
  return [...new Map(rows.map((row) => [String(row.id).toLowerCase(), row])).values()]
}

/** As JSON.stringify writes them; it may be met in a text that only looks so, which costs time alone. */
const UNHOLDABLE = /\\u(?:0000|d[89a-f])/

type Change = (column: CopyColumn, value: unknown) => unknown

function picked(columns: readonly CopyColumn[], row: CopyRow, change: Change): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const column of columns) kept[column.name] = change(column, row[column.name])
  return kept
}

const asItIs: Change = (_column, value) => value

/** What PostgreSQL keeps of a value. */
export function holdable({ kind }: CopyColumn, value: unknown): unknown {
  if (kind === 'json') return holdableAtAnyDepth(value)
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value
}

function holdableAtAnyDepth(value: unknown): unknown {
  try {
    return holdableJson(value)
  } catch (error) {
    if (!isTooDeep(error)) throw error
    return parseExactJson(exactJsonText(value, { mapText: holdableText }))
  }
}

function holdableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}

function holdableJson(value: unknown): unknown {
  if (typeof value === 'string') return holdableText(value)
  if (Array.isArray(value)) return value.map(holdableJson)
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [holdableJson(name), holdableJson(each)]))
}
