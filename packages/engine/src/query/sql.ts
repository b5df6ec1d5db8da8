// A plan and the columns present become one statement. Pure: no connection, no clock.

import { LIMITS, type Microseconds, type Resource } from '@store-export/contract'
import type { Statement } from '@store-export/postgres'
import { comparedColumn } from './column-reading.ts'
import { hasColumn, type PresentColumns } from './columns-present.ts'
import { identifier, instantLiteral, textLiteral, uuidLiteral } from './literal.ts'
import { onceForSchema } from './once-for-schema.ts'
import { afterId, datedRange, key, keys, orderInIndex, orderOf, type SqlContext } from './order.ts'
import type { AllOfPlan, Filter, PagePlan, Plan, Position } from './plan.ts'
import { searchCondition } from './search.ts'
import { presentColumnsOf, selectList, tableName } from './select-list.ts'
import { LITERALS, Parameters } from './statement.ts'

/** Usual limits of pages. For another limit, the server would store a plan that one client uses once. */
const REPEATED_LIMITS: ReadonlySet<number> = new Set([LIMITS.pageRowsDefault, LIMITS.pageRowsMax, LIMITS.pageRowsOfIds])

/**
 * The statement that reads the rows of `plan`, without their embedded rows. Outside of a transaction it takes its snapshot
 * after it has locked its tables, so it does not find a table empty that was being rewritten (R28). `prepares` tells
 * whether the connection keeps statements.
 */
export function statementOf(plan: Plan, present: PresentColumns, { prepares }: { prepares: boolean }): Statement {
  const isRepeated = prepares && isRepeatable(plan)
  const parameters = new Parameters()
  const context: SqlContext = { present, values: isRepeated ? parameters : LITERALS, columns: 'all' }
  const text = `select ${list(plan, context)} from (${rows(plan, context)}) t${order(plan, present)}`
  return { text, values: parameters.values, prepared: isRepeated }
}

function list(plan: Plan, { present, values }: SqlContext): string {
  if (plan.kind !== 'only') return plainList(plan.resource, present)
  return selectList(plan.resource, { present, values, alias: 't', counts: plan.counts }).join(', ')
}

/** The select list of a resource in which no value stands. */
const plainList = onceForSchema((resource, present) =>
  selectList(resource, { present, values: LITERALS, alias: 't', counts: new Map() }).join(', '),
)

/** How many rows a filter finds decides over the best plan: such a page is planned each time, with the filter in its text. */
export function isRepeatable(plan: Plan): boolean {
  if (plan.kind !== 'page') return true
  return plan.filters.length === 0 && plan.search === undefined && REPEATED_LIMITS.has(plan.limit)
}

/** The statement that tells whether a row with `id` exists: one row, or none. */
export function existsStatement(resource: Resource, id: string, present: PresentColumns): string {
  const where = `${key(resource, 'id', present)} = ${uuidLiteral(id)}${active(resource, present)}`
  return `select 1 from ${tableName(resource, present)} t where ${where}`
}

/** The statement that counts the rows of `tables`: one row, one count a table, 0 for a table the store lacks. */
export function countStatement(tables: readonly string[], present: PresentColumns): string {
  return `select ${tables.map((table) => `(${countOf(table, present)})`).join(', ')}`
}

function countOf(table: string, present: PresentColumns): string {
  const columns = present.get(table)
  if (columns === undefined) return 'select 0::int8'
  const from = `select count(*) from ${tableName({ table }, present)}`
  const createdAt = columns.get('created_at')
  if (createdAt === undefined) return from
  // A plain count(*) picks the key of random UUIDs and reads the whole table out of order: the time index is far cheaper.
  const dated = `${from} where created_at >= '-infinity'`
  return createdAt.notNull ? dated : `select (${dated}) + (${from} where created_at is null)`
}

/** The rows of a plan, as raw columns: at most one more than the limit of a page, in its order. */
export function rows(plan: Plan, context: SqlContext): string {
  const { present, values } = context
  const from = `select ${carried(plan.resource, context)} from ${tableName(plan.resource, present)} t`
  switch (plan.kind) {
    case 'only':
      return `${from} limit 1`
    case 'one':
      return `${from} where ${key(plan.resource, 'id', present)} = ${values.uuid(plan.id)}${active(plan.resource, present)}`
    case 'allOf':
      return `${from} where ${belongs(plan, context)}${active(plan.resource, present)}`
    case 'page':
      return pageRows(plan, context)
  }
}

/** Columns of the table that the statement around the rows reads from. */
function carried(resource: Resource, { present, columns }: SqlContext): string {
  return columns === 'all' ? allColumns(resource, present) : keyColumns(resource, present)
}

const allColumns = onceForSchema((resource, present) => columnList(presentColumnsOf(resource, present)))

const keyColumns = onceForSchema((resource, present) =>
  columnList(['created_at', 'id'].filter((column) => hasColumn(present, resource.table, column))),
)

function columnList(columns: readonly string[]): string {
  return columns.map((column) => `t.${identifier(column)}`).join(', ')
}

export function order(plan: Plan, present: PresentColumns): string {
  if (plan.kind === 'page') return ` order by ${orderOf(plan, present)}`
  return plan.kind === 'allOf' ? ` order by ${keys(plan.resource, present)}` : ''
}

function belongs({ resource, column, id }: AllOfPlan, { present, values }: SqlContext): string {
  // An absent column is null (R28), so no row has this owner.
  return hasColumn(present, resource.table, column) ? `${key(resource, column, present)} = ${values.uuid(id)}` : 'false'
}

function active({ table, removedColumn }: Resource, present: PresentColumns): string {
  if (removedColumn === undefined || !hasColumn(present, table, removedColumn)) return ''
  return ` and t.${identifier(removedColumn)} is null`
}

/** Dated rows first, in one index range; rows without a date after them, where the schema allows such rows (R17). */
function pageRows(plan: PagePlan, context: SqlContext): string {
  const { present } = context
  const createdAt = present.get(plan.resource.table)?.get('created_at')
  if (createdAt === undefined) return branch(plan, context, afterId(plan, plan.after, context))
  const undated = (after: Position | null) => branch(plan, context, undatedAfter(plan, after, context))
  if (plan.after?.createdAt === null) return undated(plan.after)
  const range = datedRange(plan, context)
  // the rows without a date come behind the last window
  if (createdAt.notNull || plan.window?.end) return datedRows(plan, context, range)
  const dated = datedRows(plan, context, range === 'true' ? 't."created_at" is not null' : range)
  const both = `(${dated}) union all (${undated(null)})`
  return `select * from (${both}) t order by ${orderOf(plan, present)} limit ${plan.limit + 1}`
}

function datedRows(plan: PagePlan, context: SqlContext, range: string): string {
  return plan.changed === undefined ? branch(plan, context, range) : changedPage(plan, context, range)
}

function branch(plan: PagePlan, context: SqlContext, range: string): string {
  const { resource, limit } = plan
  const { present } = context
  const where = `${range}${conditions(plan, present)}${active(resource, present)}`
  const from = `select ${carried(resource, context)} from ${tableName(resource, present)} t`
  return `${from} where ${where} order by ${orderInIndex(plan, present)} limit ${limit + 1}`
}

function undatedAfter(plan: PagePlan, after: Position | null, context: SqlContext): string {
  return `t."created_at" is null and ${afterId(plan, after, context)}`
}

function conditions({ resource, filters, search, changed }: PagePlan, present: PresentColumns): string {
  const write = changed === 'walked' ? conditionOfMany : condition
  const searched = search === undefined ? '' : ` and (${searchCondition(search, resource, present)})`
  const filtered = filters.map((filter) => ` and ${write(filter, resource, present)}`).join('')
  return placed(resource, present) + filtered + searched
}

/** A row without an ID has no position in a list. A view can hold such a row, and `doctor` reports it. */
function placed({ table }: Resource, present: PresentColumns): string {
  return present.get(table)?.get('id')?.notNull === false ? ' and t."id" is not null' : ''
}

/** The condition of a filter. */
export function condition(filter: Filter, resource: Resource, present: PresentColumns): string {
  if (filter.operator === '=')
    return `${comparedColumn({ resource, alias: 't', present }, filter.field)} = ${textLiteral(filter.value)}`
  return `${stamp(filter.field, resource, present)} >= ${instantLiteral(filter.value)}`
}

/**
 * The condition if many rows are known to pass it. If the server analyzed the table before those rows were changed, it
 * concludes from a timestamp in the text that they are few, and sorts them. For a timestamp that it sees only when the
 * statement runs, it expects a third of all rows.
 */
function conditionOfMany(filter: Filter, resource: Resource, present: PresentColumns): string {
  if (filter.operator === '=' || filter.field !== 'updated_at') return condition(filter, resource, present)
  return `${stamp(filter.field, resource, present)} >= (select ${instantLiteral(filter.value)})`
}

function stamp(field: string, resource: Resource, present: PresentColumns): string {
  const column = key(resource, field, present)
  return hasStandIn(resource, field, present) ? `coalesce(${column}, ${key(resource, 'created_at', present)})` : column
}

/** In some stores, a row that was never changed has no `updated_at`. Its creation counts instead, so it is not lost (R14). */
export function hasStandIn(resource: Resource, field: string, present: PresentColumns): boolean {
  return (
    field === 'updated_at' &&
    resource.fields[field]?.nullable === true &&
    hasColumn(present, resource.table, 'created_at')
  )
}

/** A range of the index of changes, and the key that orders it. */
interface ChangedRange {
  readonly condition: string
  readonly order: string
}

/**
 * The ranges of `(updated_at, created_at, id)` that hold the changed rows. Rows without `updated_at` count from their creation
 * (R14), and lie in a range of their own. `write` writes the timestamp.
 */
export function changedRanges(
  { resource, filters }: PagePlan,
  present: PresentColumns,
  write: (since: Microseconds) => string = instantLiteral,
): ChangedRange[] {
  const [updatedAt, createdAt] = ['updated_at', 'created_at'].map((column) => key(resource, column, present))
  const since = (column: string | undefined) =>
    filters
      .flatMap((filter) =>
        filter.operator === '>=' && filter.field === 'updated_at' ? [`${column} >= ${write(filter.value)}`] : [],
      )
      .join(' and ')
  const ranges = [{ condition: since(updatedAt), order: `${updatedAt}` }]
  if (hasStandIn(resource, 'updated_at', present))
    ranges.push({ condition: `${updatedAt} is null and ${since(createdAt)}`, order: `${updatedAt}, ${createdAt}` })
  return ranges
}

/** A page of changed rows: the access path finds their positions in an index, and their IDs find the rows. */
function changedPage(plan: PagePlan, context: SqlContext, range: string): string {
  const { resource, changed, limit, filters } = plan
  const { present } = context
  const table = `${tableName(resource, present)} t`
  const positions = 'select t."created_at", t."id" from'
  const others = filters.filter(({ field }) => field !== 'updated_at')
  // the conditions on updated_at are in the ranges
  const kept = changed === 'sorted' ? { ...plan, filters: others } : plan
  const keep = `${conditions(kept, present)}${active(resource, present)}`
  const ranges = changedRanges(plan, present).map(({ condition }) => `${positions} ${table} where ${condition}${keep}`)
  // offset 0 keeps the server from reading the whole list in its order
  const sorted = `${positions} (${ranges.join(' union all ')} offset 0) t where ${range}`
  const found = changed === 'sorted' ? sorted : `${positions} ${table} where ${range}${keep}`
  const page = `${found} order by ${orderInIndex(plan, present)} limit ${limit + 1}`
  if (context.columns === 'keys') return page
  return `select ${carried(resource, context)} from (${page}) k join ${table} on t."id" = k."id"`
}
