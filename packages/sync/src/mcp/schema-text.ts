// Writes the text of the tool `schema`: the tables and columns that an assistant can read, and what they mean.

import type { CopyColumn } from '../tables.ts'
import { ToolError } from './tool-text.ts'
import { ALL_TABLES, personalColumns } from './visible-columns.ts'

type Readable = Readonly<Record<string, readonly string[]>>

const CONVENTIONS = [
  'Columns are text unless marked. money and decimal: a number; NAME_text has its exact digits. money: NAME_cents is an exact integer, in hundredths.',
  'time: UTC, such as 2026-01-31T08:00:00.000Z, which sorts and compares as text. flag: 0 or 1. json: use json_extract and json_each.',
  'TABLE_id refers to the id of that table. An empty orders.currency means store.store_currency.',
]

/**
 * Returns all tables with their columns, or the notes of one table's columns; only the names of columns for a table
 * that the contract doesn't have, such as a view. Throws `ToolError` if the copy has no such table, or if it is hidden.
 */
export function schemaText(readable: Readable, table: string | null, withPersonalData: boolean): string {
  return table === null ? allTablesText(readable, withPersonalData) : oneTableText(readable, table.trim().toLowerCase())
}

function allTablesText(readable: Readable, withPersonalData: boolean): string {
  const known = ALL_TABLES.filter(({ name }) => readable[name] !== undefined)
  const others = Object.keys(readable).filter((name) => known.every((table) => table.name !== name))
  const hidden = `Hidden, because personal: ${personalColumns().join(', ')}.`
  return [
    ...known.map(({ name, columns }) => `${name}: ${present(readable, name, columns).map(columnText).join(', ')}`),
    ...others.map((name) => `${name}: ${readable[name]?.join(', ')}`),
    ...CONVENTIONS,
    ...(withPersonalData ? [] : [hidden]),
  ].join('\n')
}

function oneTableText(readable: Readable, table: string): string {
  const found = ALL_TABLES.find(({ name }) => name === table)
  const names = readable[table]
  if (names === undefined)
    throw new ToolError(
      `table: must be one of ${Object.keys(readable).join(', ')}; got ${JSON.stringify(table.slice(0, 60))}`,
    )
  if (found === undefined) return `${table}: ${names.join(', ')}`
  const columns = present(readable, table, found.columns)
  const note = 'note' in found ? [found.note] : []
  return [`${table}:`, ...note, ...columns.map((column) => `- ${columnText(column)}: ${column.note}.`)].join('\n')
}

function present(readable: Readable, table: string, columns: readonly CopyColumn[]): CopyColumn[] {
  return columns.filter(({ name }) => readable[table]?.includes(name))
}

function columnText({ name, kind, isMoney, isWeight }: CopyColumn): string {
  if (kind === 'decimal') return `${name} ${isMoney && !isWeight ? 'money' : 'decimal'}`
  const mark = MARKS[kind]
  return mark === undefined ? name : `${name} ${mark}`
}

const MARKS: Readonly<Partial<Record<CopyColumn['kind'], string>>> = {
  timestamp: 'time',
  boolean: 'flag',
  integer: 'integer',
  json: 'json',
}
