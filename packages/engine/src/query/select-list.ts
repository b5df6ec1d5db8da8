// Writes the select list of a resource: one expression for each field except embedded rows, in the order of the
// contract. The expression of a column that the store lacks is null. Every other expression has the type that the
// encoder expects.

import { columnsOf, type Field, type FieldType, type Resource } from '@store-export/contract'
import { columnExpression } from './column-expression.ts'
import { identifier, textLiteral } from './literal.ts'
import { hasColumn, type PresentColumns, type PresentTables } from './present-columns.ts'
import { type PseudonymSecret, reducedExpression } from './reduced-expression.ts'
import type { Values } from './values.ts'

/** What the expressions of a select list depend on, besides the resource. */
export interface SelectContext {
  readonly present: PresentTables
  /** Alias of the row's table in the statement. */
  readonly alias: string
  /** Row counts by table, for fields of kind `counts`. */
  readonly counts: ReadonlyMap<string, bigint>
  readonly values: Values
  /** Required if the resource comes from `withoutPersonalData`. */
  readonly pseudonymSecret?: PseudonymSecret | undefined
}

/**
 * Returns one expression for each field of `resource`, without fields of kind `many`. Throws if a field is reduced and
 * the context has no `pseudonymSecret`.
 */
export function selectList(resource: Resource, context: SelectContext): string[] {
  return Object.entries(resource.fields)
    .filter(([, { type }]) => type.kind !== 'many')
    .map(([name, field]) => fieldExpression({ resource, name, field, context }))
}

/** Returns the columns of the resource that the store has. */
export function presentColumnsOf(resource: Resource, present: PresentTables): string[] {
  return columnsOf(resource).filter((column) => hasColumn(present, resource.table, column))
}

interface FieldInContext {
  readonly resource: Resource
  readonly name: string
  readonly field: Field
  readonly context: SelectContext
}

function fieldExpression({ resource, name, field, context }: FieldInContext): string {
  const { type } = field
  if (type.kind === 'counts') return countsArray(type.tables, context)
  if (!hasColumn(context.present, resource.table, name)) return 'null'
  const column = columnExpression({ ...context, resource }, name)
  // A reduced value is not the stored one, so the rules for stored values don't apply.
  if (field.reducedTo !== undefined) return reduced({ resource, name, field, context, column })
  return nulledIf({ resource, field, context, column: typedExpression(column, { resource, type, context }) })
}

function reduced({ resource, name, field, context, column }: FieldInContext & { readonly column: string }): string {
  const { present, pseudonymSecret: secret } = context
  if (field.reducedTo === undefined || secret === undefined) throw new Error(`${name} is read without a secret`)
  const type = present.get(resource.table)?.get(name)?.type ?? ''
  return reducedExpression(field.reducedTo, { column, type, secret })
}

function typedExpression(
  column: string,
  { resource, type, context }: { resource: Resource; type: FieldType; context: SelectContext },
) {
  // PostgreSQL rounds half away from zero (R20 in docs/spec/readings.md). JavaScript would need a float to round.
  if (type.kind === 'money') return `round(${column}, 2)`
  if (type.kind !== 'texts' || type.first === undefined) return column
  if (!hasColumn(context.present, resource.table, type.first)) return column
  const first = columnExpression({ ...context, resource }, type.first)
  // Puts `first` in front if the array lacks it (R35). An array of several dimensions stays unchanged, because
  // PostgreSQL can't prepend an element to it. Null stays null.
  const isMissing = `${first} is not null and array_ndims(${column}) is not distinct from 1 and (${first} = any(${column})) is not true`
  // An empty array has no dimensions, so `array_ndims` is null.
  const isPrepended = `${isMissing} or ${first} is not null and ${column} = '{}'`
  return `case when ${isPrepended} then ${first} || ${column} else ${column} end`
}

/**
 * Returns an expression that is null if the field `nullWhen.field` has the value `nullWhen.value`, and `column`
 * otherwise. An example is the processor's ID of a manual order (R34). Also returns `column` if the store lacks that
 * field.
 */
function nulledIf({ resource, field, context, column }: Omit<FieldInContext, 'name'> & { column: string }): string {
  const { nullWhen } = field
  if (nullWhen === undefined || !hasColumn(context.present, resource.table, nullWhen.field)) return column
  const other = columnExpression({ ...context, resource }, nullWhen.field)
  return `case when ${other} = ${textLiteral(nullWhen.value)} then null else ${column} end`
}

/** Returns an array of row counts in the order of `tables`; 0 for a table without a count. */
function countsArray(tables: readonly string[], { counts, values }: SelectContext): string {
  return `array[${tables.map((table) => values.count(counts.get(table) ?? 0n)).join(', ')}]::int8[]`
}

/** Returns the quoted name of the resource's table, with its schema. */
export function tableName({ table }: Pick<Resource, 'table'>, { schemaName }: PresentColumns): string {
  return `${identifier(schemaName)}.${identifier(table)}`
}
