// Passes the rows of a page to PostgreSQL as JSON, so that one statement writes all of them. Removes or replaces
// characters that PostgreSQL can't store.

import { exactJsonText, isRawNumber, isTooDeep, parseExactJson } from '../../exact-json.ts'
import type { CopyColumn } from '../../tables.ts'
import type { CopyRow } from '../copy.ts'

/**
 * Returns a JSON array of the rows with only these columns. The copy's columns, of type text and jsonb, can hold
 * neither U+0000 nor unpaired surrogates:
 *
 * - In text columns, the function removes U+0000. Stores are PostgreSQL databases, so their text cannot contain it.
 * - In JSON columns, U+0000 becomes U+FFFD, because a store can contain it in a column of type json. A removal could
 *   make two member names the same.
 * - An unpaired surrogate becomes U+FFFD in all columns.
 */
export function rowsAsJson(columns: readonly CopyColumn[], rows: readonly CopyRow[]): string {
  const text = exactJsonText(rows.map((row) => pickColumns(columns, row, unchanged)))
  return UNSUPPORTED_CHARACTERS.test(text)
    ? exactJsonText(rows.map((row) => pickColumns(columns, row, asPostgresStores)))
    : text
}

/** Finds the escapes of these characters in the output of `JSON.stringify`. A false match costs only time. */
const UNSUPPORTED_CHARACTERS = /\\u(?:0000|d[89a-f])/

type ValueChange = (column: CopyColumn, value: unknown) => unknown

function pickColumns(columns: readonly CopyColumn[], row: CopyRow, change: ValueChange): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const column of columns) picked[column.name] = change(column, row[column.name])
  return picked
}

const unchanged: ValueChange = (_column, value) => value

/** Returns the value that a verification must find: the sent value, with the replacements of `rowsAsJson`. */
export function asPostgresStores({ kind }: CopyColumn, value: unknown): unknown {
  if (kind === 'json') return replaceInJson(value)
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value
}

function replaceInJson(value: unknown): unknown {
  try {
    return replaceInShallowJson(value)
  } catch (error) {
    // The recursion ran out of stack. These functions don't recurse for deep JSON.
    if (!isTooDeep(error)) throw error
    return parseExactJson(exactJsonText(value, { mapText: replaceInText }))
  }
}

function replaceInText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}

function replaceInShallowJson(value: unknown): unknown {
  if (typeof value === 'string') return replaceInText(value)
  if (Array.isArray(value)) return value.map(replaceInShallowJson)
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [replaceInShallowJson(name), replaceInShallowJson(each)]),
  )
}
