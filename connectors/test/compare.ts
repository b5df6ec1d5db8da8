// Compares what a tool loaded with the rows of the store.

import { type CopyColumn, TABLES } from '../../packages/sync/src/tables.ts'
import type { Rows } from './read-store.ts'

/** Differences between a copy and the store, in rows of all tables. */
export interface Differences {
  readonly rows: number
  /** Rows of the store that are missing from the copy. */
  readonly missing: number
  /** Rows with another value in the copy. */
  readonly stale: number
  /** Rows that the store has deleted and the copy still has. */
  readonly extra: number
  /** The first differences, for people. */
  readonly examples: readonly string[]
}

const EXAMPLES = 5
const SHOWN_CHARACTERS = 100

/** Compares every column of every row, except for the counts of the store. */
export function compareRows(store: Rows, copy: Rows): Differences {
  const found = { rows: 0, missing: 0, stale: 0, extra: 0, examples: [] as string[] }
  const note = (text: string) => found.examples.length < EXAMPLES && found.examples.push(text)
  for (const { name, columns } of comparedTables()) {
    const [rows, copied] = [store.get(name) ?? new Map(), copy.get(name) ?? new Map()]
    found.rows += rows.size
    for (const [id, row] of rows) {
      const stored = copied.get(id)
      const different = stored === undefined ? [] : columns.filter((column) => !isEqual(column, row, stored))
      if (stored === undefined) found.missing++
      if (different.length > 0) found.stale++
      if (stored === undefined) note(`${name} ${id} is missing`)
      for (const column of different)
        note(`${name} ${id} ${column.name}: ${show(row[column.name])}, but ${show(stored?.[column.name])}`)
    }
    for (const id of copied.keys()) {
      if (rows.has(id)) continue
      found.extra++
      note(`${name} ${id} is deleted in the store`)
    }
  }
  return found
}

/** Returns the rows by ID. Throws if two rows have the same ID. */
export function rowsById<Row extends { readonly id?: unknown }>(table: string, rows: readonly Row[]): Map<string, Row> {
  const found = new Map<string, Row>()
  for (const row of rows) {
    const id = String(row.id)
    if (found.has(id)) throw new Error(`${table} has the row ${id} twice`)
    found.set(id, row)
  }
  return found
}

interface ComparedTable {
  readonly name: string
  readonly columns: readonly CopyColumn[]
}

function comparedTables(): ComparedTable[] {
  return TABLES.flatMap(({ name, columns, children }) => [
    { name, columns: columns.filter(({ isCompared }) => isCompared) },
    ...children.map((child) => ({ name: `${name}.${child.field}`, columns: child.columns })),
  ])
}

function isEqual({ name, kind, isMoney }: CopyColumn, row: Record<string, unknown>, stored: Record<string, unknown>) {
  const [one, other] = [row[name] ?? null, stored[name] ?? null]
  // A destination can store coordinates with zeros at their end, and JSON as text.
  if (kind === 'decimal' && !isMoney && one !== null) return Number(one) === Number(other)
  if (kind === 'json' && typeof other === 'string') return canonical(one) === canonical(JSON.parse(other))
  return canonical(one) === canonical(other)
}

function show(value: unknown): string {
  return canonical(value ?? null).slice(0, SHOWN_CHARACTERS)
}

/** Returns the value as JSON, with the members of objects in alphabetical order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  )
}
