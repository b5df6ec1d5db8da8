// Rows for comparisons: by table and ID, each value as text, whatever program has read them.

import { TABLES } from '../../src/tables.ts'

/** A row: text or null by column. */
export type TextRow = Readonly<Record<string, string | null>>

/** Rows by table and ID. */
export type RowsByTable = ReadonlyMap<string, ReadonlyMap<string, TextRow>>

/** Returns a nested value as JSON with sorted members, because not all destinations keep their order. */
export function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${jsonText(each)}`).join(',')}}`
}

/** Returns rows by ID. Throws if an ID occurs twice. */
export function byId(table: string, rows: readonly TextRow[]): Map<string, TextRow> {
  const known = new Map(rows.map((row) => [String(row.id), row]))
  if (known.size !== rows.length) throw new Error(`${table} has a row twice`)
  return known
}

const JSON_COLUMNS = new Set(
  TABLES.flatMap((table) => [table, ...table.children]).flatMap(({ name, columns }) =>
    columns.filter(({ kind }) => kind === 'json').map((column) => `${name}.${column.name}`),
  ),
)

/** Returns a row with its JSON texts in a common form. */
export function withJson(table: string, row: Record<string, string | null>): TextRow {
  const isJson = (name: string, value: string | null): value is string =>
    value !== null && JSON_COLUMNS.has(`${table}.${name}`)
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isJson(name, value) ? jsonText(JSON.parse(value)) : value]),
  )
}

/**
 * Returns a row of a copy in a database with the digits of decimals instead of numbers, and without computed columns.
 */
export function withDigits(row: Record<string, unknown>): Record<string, unknown> {
  const own = Object.keys(row).filter(
    (name) => !(`${name.replace(/_(?:text|cents)$/, '')}_text` in row && /_(?:text|cents)$/.test(name)),
  )
  return Object.fromEntries(own.map((name) => [name, `${name}_text` in row ? row[`${name}_text`] : row[name]]))
}
