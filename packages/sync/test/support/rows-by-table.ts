// Rows as they are compared: by table and id, each value as one text, whatever program read them.

import { TABLES } from '../../src/tables.ts'

/** A row: column to text, null where there is no value. */
export type TextRow = Readonly<Record<string, string | null>>

/** Every table's rows by their ids. */
export type RowsByTable = ReadonlyMap<string, ReadonlyMap<string, TextRow>>

/** A nested value as text, its members in the order of their names: not every destination keeps another one. */
export function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${jsonText(each)}`).join(',')}}`
}

/** Rows by id; throws where one is there twice. */
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

/** What a copy's reader read: texts, of which some hold JSON. */
export function withJson(table: string, row: Record<string, string | null>): TextRow {
  const isJson = (name: string, value: string | null): value is string =>
    value !== null && JSON_COLUMNS.has(`${table}.${name}`)
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isJson(name, value) ? jsonText(JSON.parse(value)) : value]),
  )
}

/** A row of a SQLite copy with the digits of its decimals in place of their numbers, and without what is computed. */
export function withDigits(row: Record<string, unknown>): Record<string, unknown> {
  const own = Object.keys(row).filter(
    (name) => !(`${name.replace(/_(?:text|cents)$/, '')}_text` in row && /_(?:text|cents)$/.test(name)),
  )
  return Object.fromEntries(own.map((name) => [name, `${name}_text` in row ? row[`${name}_text`] : row[name]]))
}
