// Writes the expression that reads a column. The expression casts the column to the type that the encoder expects,
// because a platform's type can differ from the contract's.
//
// - A value that does not fit the type becomes null or NaN, so one row does not fail a page.
// - A column of the expected type gets a cast without effect, so PostgreSQL can use the column's indexes. Text columns
//   are the exception (`comparedColumnExpression`).

import { columnsOf, type FieldKind, type Resource } from '@store-export/contract'
import { identifier } from './literal.ts'
import type { PresentTables } from './present-columns.ts'

/** Kinds of fields that are stored in a column. */
export type ColumnKind = Exclude<FieldKind, 'many' | 'counts'>

/** Returns the expression that casts `column`, which is an SQL expression itself. */
type Cast = (column: string) => string

const castTo =
  (type: string): Cast =>
  (column) =>
    `${column}::${type}`
const castIf =
  (condition: string, type: string): Cast =>
  (column) =>
    `case when ${column} ${condition} then ${column}::${type} end`
const forTypes = (types: readonly string[], cast: Cast): Record<string, Cast> =>
  Object.fromEntries(types.map((type) => [type, cast]))

const TEXTS = ['text', 'varchar', 'bpchar']
/**
 * Casts an infinite float to NaN, because PostgreSQL 13 has no infinite numeric. Infinity and NaN both violate the
 * contract.
 */
const floatToNumeric: Cast = (column) =>
  `case when ${column} in ('Infinity', '-Infinity') then 'NaN' else ${column}::numeric end`
const HEX_DIGIT = '[0-9a-fA-F]'
/** Reads a timestamp without a zone as UTC. A plain cast would use the time zone of the session. */
const inUtc: Cast = (column) => `(${column} at time zone 'UTC')`

const text = {
  // Fails if the column's type has changed, so that the service reads the columns again. A cast would accept any type.
  text: (column: string) => `coalesce(${column}, null::text)`,
  ...forTypes(['varchar', 'bpchar', 'name', 'citext', 'enum', 'uuid', 'bool'], castTo('text')),
  ...forTypes(['numeric', 'int2', 'int4', 'int8'], castTo('text')),
}
const uuid = {
  uuid: castTo('uuid'),
  ...forTypes(TEXTS, castIf(`~ '^${HEX_DIGIT}{8}(-${HEX_DIGIT}{4}){3}-${HEX_DIGIT}{12}$'`, 'uuid')),
}
// A cast to int4 rounds fractions.
const integer = {
  ...forTypes(['int2', 'int4'], castTo('int4')),
  ...forTypes(['int8', 'numeric', 'float4', 'float8'], castIf('between -2147483648 and 2147483647', 'int4')),
}
const numeric = {
  ...forTypes(['numeric', 'int2', 'int4', 'int8'], castTo('numeric')),
  ...forTypes(['float4', 'float8'], floatToNumeric),
  ...forTypes(TEXTS, castIf(`~ '^[-+]?[0-9]{1,255}([.][0-9]{1,255})?$'`, 'numeric')),
}
const timestamp = {
  timestamptz: castTo('timestamptz'),
  timestamp: inUtc,
  // A date can be later than every timestamp. Such a date becomes null.
  date: (column: string) =>
    `case when isfinite(${column}) and ${column} > date '294276-12-31' then null else ${inUtc(`${column}::timestamp`)} end`,
}
const json = {
  jsonb: castTo('jsonb'),
  // A cast to jsonb fails on an unpaired surrogate and on huge exponents. The text of a json value is valid JSON, so
  // the expression only adds the version byte of jsonb's binary format.
  json: (column: string) => `E'\\x01' || btrim(${column}::text, E' \\t\\n\\r')`,
}

/** The cast for each kind of field and each type of column. A column of another type is not readable. */
const CASTS: Readonly<Record<ColumnKind, Readonly<Record<string, Cast>>>> = {
  text,
  oneOf: text,
  uuid,
  integer,
  boolean: { bool: castTo('bool') },
  money: numeric,
  decimal: numeric,
  timestamp,
  texts: forTypes(['_text', '_varchar', '_bpchar', '_name', '_citext', '_uuid'], castTo('text[]')),
  json,
}

/** Whether a field of this kind can be read from a column of this type, named as by `TYPE_NAME`. */
export function isReadable(kind: ColumnKind, type: string): boolean {
  return CASTS[kind][type] !== undefined
}

/**
 * Returns the types that the service can read from `column`, named as by `TYPE_NAME`. Returns null if the column is not
 * in the table, or if every type is readable.
 */
export function readableTypes(resource: Resource, column: string): readonly string[] | null {
  const kind = columnKindsOf(resource).get(column) ?? null
  return kind === null ? null : Object.keys(CASTS[kind])
}

/**
 * Returns the columns of the resource's table, each with the kind of its field. The kind is null for the column that
 * marks removed rows, because it is no field.
 */
export function columnKindsOf(resource: Resource): ReadonlyMap<string, ColumnKind | null> {
  return new Map(columnsOf(resource).map((column) => [column, columnKindOf(resource, column)]))
}

/** A table in a statement: its resource, its alias, and the columns that the store has. */
export interface TableReference {
  readonly resource: Resource
  readonly alias: string
  readonly present: PresentTables
}

/**
 * Returns the expression that reads `column`. It has a cast if the contract and the store have the column, and the type
 * is readable. Otherwise, it is the bare column.
 */
export function columnExpression({ resource, alias, present }: TableReference, column: string): string {
  const quoted = `${alias}.${identifier(column)}`
  const kind = columnKindOf(resource, column)
  const type = present.get(resource.table)?.get(column)?.type
  const cast = kind === null || type === undefined ? undefined : CASTS[kind][type]
  return cast === undefined ? quoted : cast(quoted)
}

/**
 * Returns the expression for `column` in a comparison with a string. For a text column, this is the bare column, so
 * PostgreSQL can use an index. The bare column needs no `coalesce`: if its type has changed, the comparison fails
 * anyway.
 */
export function comparedColumnExpression(table: TableReference, column: string): string {
  const isText = table.present.get(table.resource.table)?.get(column)?.type === 'text'
  return isText ? `${table.alias}.${identifier(column)}` : columnExpression(table, column)
}

function columnKindOf({ fields }: Resource, column: string): ColumnKind | null {
  const kind = fields[column]?.type.kind
  return kind === undefined || kind === 'many' || kind === 'counts' ? null : kind
}
