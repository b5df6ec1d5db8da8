// JSON text read without loss: a number stays the digits that it was written with, so that an order's custom field of
// twenty digits, or a rate of 7.50, is shown and downloaded as the API sends it.

/** A number as it was written. */
export interface ExactNumber {
  readonly rawJSON: string
}

/** A value read from JSON text. */
export type ExactJson =
  | null
  | boolean
  | string
  | ExactNumber
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson }

/** A row as read from JSON text: its fields by name. */
export type ExactRow = Readonly<Record<string, ExactJson>>

/** The value that `text` is. Throws `SyntaxError` where it is no JSON. */
export function parseExact(text: string): ExactJson {
  return exact.parse(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value,
  )
}

/** The rows that `text`, a JSON array of objects, holds. */
export function parseRows(text: string): readonly ExactRow[] {
  return parseExact(text) as readonly ExactRow[]
}

/** The row that `text`, a JSON object, is. */
export function parseRow(text: string): ExactRow {
  return parseExact(text) as ExactRow
}

/** The value in one cell: a text as it is, digits, `true` or `false`, anything nested as JSON text; null for null. */
export function cellText(value: ExactJson | undefined): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The elements of an array; none where the value is something else. */
export function elementsOf(value: ExactJson | undefined): readonly ExactJson[] {
  return Array.isArray(value) ? value : []
}

/** What JSON can do in Node 22 and later, and the type library does not name yet. */
interface ExactReader {
  parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): ExactJson
  rawJSON(text: string): ExactNumber
}

const exact = JSON as unknown as ExactReader
