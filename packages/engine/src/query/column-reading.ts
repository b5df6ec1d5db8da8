// Casts a store's column to the type that its field is decoded from. A platform can give a column another type than the
// contract's. No cast fails on a value: a value that does not fit is null, so one row never breaks a page. A column that has
// the right type gets no effective cast, so its indexes serve.

import { columnsOf, type FieldKind, type Resource } from '@store-export/contract'
import type { PresentTables } from './columns-present.ts'
import { identifier } from './literal.ts'

/** Kinds of field that are a column. */
export type ColumnKind = Exclude<FieldKind, 'many' | 'counts'>

type ReadColumn = (column: string) => string

const as =
  (type: string): ReadColumn =>
  (column) =>
    `${column}::${type}`
const asWhen =
  (condition: string, type: string): ReadColumn =>
  (column) =>
    `case when ${column} ${condition} then ${column}::${type} end`
const forEach = (types: readonly string[], reading: ReadColumn): Record<string, ReadColumn> =>
  Object.fromEntries(types.map((type) => [type, reading]))

const TEXTS = ['text', 'varchar', 'bpchar']
/** PostgreSQL 13 has no infinite numeric. Neither value is a number for the client. */
const FLOAT_AS_NUMERIC: ReadColumn = (column) =>
  `case when ${column} in ('Infinity', '-Infinity') then 'NaN' else ${column}::numeric end`
const HEX_GROUP = '[0-9a-fA-F]'
/** A timestamp without a zone is read as UTC, not as the time zone of the session. */
const IN_UTC: ReadColumn = (column) => `(${column} at time zone 'UTC')`

const text = {
  // A cast would accept each type. This fails on another type, so that a column whose type has just changed is noticed.
  text: (column: string) => `coalesce(${column}, null::text)`,
  ...forEach(['varchar', 'bpchar', 'name', 'citext', 'enum', 'uuid', 'bool'], as('text')),
  ...forEach(['numeric', 'int2', 'int4', 'int8'], as('text')),
}
const uuid = {
  uuid: as('uuid'),
  ...forEach(TEXTS, asWhen(`~ '^${HEX_GROUP}{8}(-${HEX_GROUP}{4}){3}-${HEX_GROUP}{12}$'`, 'uuid')),
}
const integer = {
  ...forEach(['int2', 'int4'], as('int4')),
  ...forEach(['int8', 'numeric', 'float4', 'float8'], asWhen('between -2147483648 and 2147483647', 'int4')),
}
const numeric = {
  ...forEach(['numeric', 'int2', 'int4', 'int8'], as('numeric')),
  ...forEach(['float4', 'float8'], FLOAT_AS_NUMERIC),
  ...forEach(TEXTS, asWhen(`~ '^[-+]?[0-9]{1,1000}([.][0-9]{1,1000})?$'`, 'numeric')),
}
const timestamp = {
  timestamptz: as('timestamptz'),
  timestamp: IN_UTC,
  // A date reaches further than a timestamp does.
  date: (column: string) =>
    `case when isfinite(${column}) and ${column} > date '294276-12-31' then null else ${IN_UTC(`${column}::timestamp`)} end`,
}
const json = {
  jsonb: as('jsonb'),
  // Its cast fails on halves of a surrogate pair and on vast exponents. The text is valid JSON as it stands: it gets the
  // byte that jsonb has in front on the wire.
  json: (column: string) => `E'\\x01' || btrim(${column}::text, E' \\t\\n\\r')`,
}

const READINGS: Readonly<Record<ColumnKind, Readonly<Record<string, ReadColumn>>>> = {
  text,
  oneOf: text,
  uuid,
  integer,
  boolean: { bool: as('bool') },
  money: numeric,
  decimal: numeric,
  timestamp,
  texts: forEach(['_text', '_varchar', '_bpchar', '_name', '_citext', '_uuid'], as('text[]')),
  json,
}

/** Whether a field of this kind can be read from a column of this type. */
export function isReadable(kind: ColumnKind, type: string): boolean {
  return READINGS[kind][type] !== undefined
}

/** The kind of field that each column of the resource's table is read as; null where only its presence counts. */
export function kindsOf(resource: Resource): ReadonlyMap<string, ColumnKind | null> {
  return new Map(columnsOf(resource).map((column) => [column, kindOf(resource, column)]))
}

/** What is read, and under which name its table stands in the statement. */
export interface ColumnPlace {
  readonly resource: Resource
  readonly alias: string
  readonly present: PresentTables
}

/** The expression that reads `column` of a table. */
export function columnReading({ resource, alias, present }: ColumnPlace, column: string): string {
  const quoted = `${alias}.${identifier(column)}`
  const kind = kindOf(resource, column)
  const type = present.get(resource.table)?.get(column)?.type
  const reading = kind === null || type === undefined ? undefined : READINGS[kind][type]
  return reading === undefined ? quoted : reading(quoted)
}

/**
 * The expression that compares `column` with a text. Bare where it is one, so that an index serves: the planner keeps the
 * guard of `columnReading`, and none is needed, since a column that just became something else cannot be compared.
 */
export function comparedColumn(place: ColumnPlace, column: string): string {
  const isText = place.present.get(place.resource.table)?.get(column)?.type === 'text'
  return isText ? `${place.alias}.${identifier(column)}` : columnReading(place, column)
}

function kindOf({ fields }: Resource, column: string): ColumnKind | null {
  const kind = fields[column]?.type.kind
  return kind === undefined || kind === 'many' || kind === 'counts' ? null : kind
}
