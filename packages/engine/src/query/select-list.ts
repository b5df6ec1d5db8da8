/**
 * The select list of a resource: one expression a field, in the order of the contract, typed so that the bytes that
 * arrive are of one form whatever the platform's own column is. A column that a store lacks is a null.
 */
import type { Field, FieldType, Resource } from '@store-export/contract'
import { hasColumn, type PresentColumns } from './columns-present.ts'
import { identifier, textLiteral } from './literal.ts'

/** What the expressions of a row need to know. */
export interface SelectContext {
  readonly present: PresentColumns
  /** Name under which the row's table stands in the statement. */
  readonly alias: string
  /** Row counts by table, for a field of kind `counts`. */
  readonly counts: ReadonlyMap<string, bigint>
}

/** Type that a column of a kind is read as; scales and time zones of the session play no part in its bytes. */
const COLUMN_TYPES = {
  uuid: 'uuid',
  text: 'text',
  oneOf: 'text',
  integer: 'int4',
  boolean: 'bool',
  money: 'numeric',
  decimal: 'numeric',
  timestamp: 'timestamptz',
  texts: 'text[]',
  json: 'jsonb',
} as const satisfies Partial<Record<FieldType['kind'], string>>

/** The expressions of a row of `resource`, one a field. */
export function selectList(resource: Resource, context: SelectContext): string[] {
  return Object.entries(resource.fields).map(([name, field]) => expression({ resource, name, field, context }))
}

/** Columns of the resource's table that the statement has to carry to its select list. */
export function presentColumnsOf(resource: Resource, present: PresentColumns): string[] {
  return [...(present.get(resource.table)?.keys() ?? [])]
}

interface FieldInContext {
  readonly resource: Resource
  readonly name: string
  readonly field: Field
  readonly context: SelectContext
}

function expression({ resource, name, field, context }: FieldInContext): string {
  const { type } = field
  if (type.kind === 'many') return embedded(type, context)
  if (type.kind === 'counts') return countsArray(type.tables, context)
  if (!hasColumn(context.present, resource.table, name)) return 'null'
  const column = `${context.alias}.${identifier(name)}::${COLUMN_TYPES[type.kind]}`
  return guarded({ resource, field, context, column: typed(column, { resource, type, context }) })
}

function typed(
  column: string,
  { resource, type, context }: { resource: Resource; type: FieldType; context: SelectContext },
) {
  // Half away from zero, in SQL: numeric never becomes a float (R20).
  if (type.kind === 'money') return `round(${column}, 2)`
  if (type.kind === 'texts' && type.first !== undefined && hasColumn(context.present, resource.table, type.first)) {
    const first = `${context.alias}.${identifier(type.first)}::text`
    return `case when ${first} is not null and (${first} = any(${column})) is not true then ${first} || ${column} else ${column} end`
  }
  return column
}

function guarded({ resource, field, context, column }: Omit<FieldInContext, 'name'> & { column: string }): string {
  const { nullWhen } = field
  if (nullWhen === undefined || !hasColumn(context.present, resource.table, nullWhen.field)) return column
  const other = `${context.alias}.${identifier(nullWhen.field)}::text`
  return `case when ${other} = ${textLiteral(nullWhen.value)} then null else ${column} end`
}

/** Children as an array of records inside their parent's row: one statement, hence one snapshot (R29). */
function embedded({ resource, parent }: Extract<FieldType, { kind: 'many' }>, context: SelectContext): string {
  const { present, alias } = context
  if (!hasColumn(present, resource.table, parent)) return 'null'
  const child = `${alias}_${resource.table}`
  const row = selectList(resource, { ...context, alias: child }).join(', ')
  const order = ['created_at', 'id']
    .filter((column) => hasColumn(present, resource.table, column))
    .map((column) => `${child}.${identifier(column)}`)
  const source = `${tableName(resource)} ${child} where ${child}.${identifier(parent)} = ${alias}."id"`
  return `array(select row(${row}) from ${source} order by ${order.join(', ')})`
}

function countsArray(tables: readonly string[], { counts }: SelectContext): string {
  return `array[${tables.map((table) => counts.get(table) ?? 0n).join(', ')}]::int8[]`
}

/** The resource's table, whatever the search path of the session. */
export function tableName({ table }: Resource): string {
  return `public.${identifier(table)}`
}
