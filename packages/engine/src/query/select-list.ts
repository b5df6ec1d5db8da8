// The select list of a resource: one expression a field, in the order of the contract, typed so that the bytes that
// arrive are of one form whatever the platform's own column is. A column that a store lacks is a null.

import { columnsOf, type Field, type FieldType, type Resource } from '@store-export/contract'
import { columnReading } from './column-reading.ts'
import { hasColumn, type PresentColumns, type PresentTables } from './columns-present.ts'
import { identifier, textLiteral } from './literal.ts'
import type { Values } from './statement.ts'

export interface SelectContext {
  readonly present: PresentTables
  /** Name under which the row's table stands in the statement. */
  readonly alias: string
  /** Row counts by table, for a field of kind `counts`. */
  readonly counts: ReadonlyMap<string, bigint>
  readonly values: Values
}

/** The expressions of a row of `resource`, one for each field but those of embedded rows. */
export function selectList(resource: Resource, context: SelectContext): string[] {
  return Object.entries(resource.fields)
    .filter(([, { type }]) => type.kind !== 'many')
    .map(([name, field]) => expression({ resource, name, field, context }))
}

/** Columns of the resource's table that the statement has to carry to its select list. */
export function presentColumnsOf(resource: Resource, present: PresentTables): string[] {
  return columnsOf(resource).filter((column) => hasColumn(present, resource.table, column))
}

interface FieldInContext {
  readonly resource: Resource
  readonly name: string
  readonly field: Field
  readonly context: SelectContext
}

function expression({ resource, name, field, context }: FieldInContext): string {
  const { type } = field
  if (type.kind === 'counts') return countsArray(type.tables, context)
  if (!hasColumn(context.present, resource.table, name)) return 'null'
  const column = columnReading({ ...context, resource }, name)
  return guarded({ resource, field, context, column: typed(column, { resource, type, context }) })
}

function typed(
  column: string,
  { resource, type, context }: { resource: Resource; type: FieldType; context: SelectContext },
) {
  // Half away from zero, in SQL: numeric never becomes a float (R20).
  if (type.kind === 'money') return `round(${column}, 2)`
  if (type.kind !== 'texts' || type.first === undefined) return column
  if (!hasColumn(context.present, resource.table, type.first)) return column
  const first = columnReading({ ...context, resource }, type.first)
  // Null stays null; and only a plain array takes an element in front (R35).
  const lacks = `${first} is not null and array_ndims(${column}) is not distinct from 1 and (${first} = any(${column})) is not true`
  const leads = `${lacks} or ${first} is not null and ${column} = '{}'`
  return `case when ${leads} then ${first} || ${column} else ${column} end`
}

function guarded({ resource, field, context, column }: Omit<FieldInContext, 'name'> & { column: string }): string {
  const { nullWhen } = field
  if (nullWhen === undefined || !hasColumn(context.present, resource.table, nullWhen.field)) return column
  const other = columnReading({ ...context, resource }, nullWhen.field)
  return `case when ${other} = ${textLiteral(nullWhen.value)} then null else ${column} end`
}

function countsArray(tables: readonly string[], { counts, values }: SelectContext): string {
  return `array[${tables.map((table) => values.count(counts.get(table) ?? 0n)).join(', ')}]::int8[]`
}

/** The resource's table, whatever the search path of the session. */
export function tableName({ table }: Pick<Resource, 'table'>, { schemaName }: PresentColumns): string {
  return `${identifier(schemaName)}.${identifier(table)}`
}
