// Builds the statement that reads the rows of a plan, from the columns that a store has. A page without filters reads
// one range of an index in the list's order, so the last page takes as long as the first.

import { LIMITS, type Microseconds, type Resource } from '@store-export/contract'
import type { Statement } from '@store-export/postgres'
import { conditions, fallsBackToCreatedAt, movesStart } from './conditions.ts'
import { identifier, timestampLiteral, uuidLiteral } from './literal.ts'
import { onceForSchema } from './once-for-schema.ts'
import { afterId, datedRange, indexOrder, keyExpression, orderKeys, pageOrder, type SqlContext } from './order.ts'
import type { AllOfPlan, PagePlan, Plan, Position } from './plan.ts'
import { hasColumn, type PresentColumns } from './present-columns.ts'
import { presentColumnsOf, selectList, tableName } from './select-list.ts'
import { LITERALS, Parameters } from './values.ts'

/** Limits whose statements are prepared. The query plan of another limit would rarely be used again. */
const REPEATED_LIMITS: ReadonlySet<number> = new Set([LIMITS.pageRowsDefault, LIMITS.pageRowsMax, LIMITS.pageRowsOfIds])

/**
 * Returns the statement that reads the rows of `plan`, without their embedded rows. `prepares` says whether prepared
 * statements are allowed. Throws if an end time of `plan.window` is null, because the watermark isn't known yet.
 *
 * Run the statement outside of a repeatable read transaction, so that PostgreSQL locks the tables before it takes the
 * snapshot. A table that a migration rewrites between the snapshot and the lock looks empty (R28 in
 * docs/spec/readings.md). In such a transaction, also run `rewriteCheckStatement`.
 */
export function statementOf(plan: Plan, present: PresentColumns, { prepares }: { prepares: boolean }): Statement {
  const isRepeated = prepares && isRepeatable(plan)
  const parameters = new Parameters()
  const context: SqlContext = { present, values: isRepeated ? parameters : LITERALS, columns: 'all' }
  const text = `select ${selectListOf(plan, context)} from (${rowsQuery(plan, context)}) t${orderClause(plan, present)}`
  return { text, values: parameters.values, prepared: isRepeated }
}

function selectListOf(plan: Plan, { present, values }: SqlContext): string {
  const { resource, pseudonymSecret } = plan
  if (plan.kind !== 'only' && pseudonymSecret === undefined) return sharedSelectList(resource, present)
  const counts = plan.kind === 'only' ? plan.counts : NO_COUNTS
  return selectList(resource, { present, values, alias: 't', counts, pseudonymSecret }).join(', ')
}

const NO_COUNTS: ReadonlyMap<string, bigint> = new Map()

/** Returns the select list of a plan that has neither row counts nor pseudonyms. */
const sharedSelectList = onceForSchema((resource, present) =>
  selectList(resource, { present, values: LITERALS, alias: 't', counts: NO_COUNTS }).join(', '),
)

/**
 * Whether to prepare the statement for `plan`. If not, PostgreSQL makes a new query plan for each page. This is so:
 * - With a search, or a filter that does more than move the start, because the best plan depends on the matching rows.
 * - With a limit outside of `REPEATED_LIMITS`.
 */
export function isRepeatable(plan: Plan): boolean {
  if (plan.kind !== 'page') return true
  return plan.filters.every(movesStart) && plan.search === undefined && REPEATED_LIMITS.has(plan.limit)
}

/**
 * Returns a statement that finds one row if a row with `id` exists and isn't removed, and no row otherwise. Throws
 * `TypeError` if `id` isn't a UUID in lower case.
 */
export function existsStatement(resource: Resource, id: string, present: PresentColumns): string {
  const where = `${keyExpression(resource, 'id', present)} = ${uuidLiteral(id)}${notRemoved(resource, present)}`
  return `select 1 from ${tableName(resource, present)} t where ${where}`
}

/**
 * Returns the statement that counts the rows of `tables`, as one row of int8 values. A table that the store lacks has 0
 * rows.
 */
export function countStatement(tables: readonly string[], present: PresentColumns): string {
  return `select ${tables.map((table) => `(${countOf(table, present)})`).join(', ')}`
}

function countOf(table: string, present: PresentColumns): string {
  const columns = present.get(table)
  if (columns === undefined) return 'select 0::int8'
  const from = `select count(*) from ${tableName({ table }, present)}`
  const createdAt = columns.get('created_at')
  if (createdAt === undefined) return from
  // For a plain count(*), PostgreSQL uses the index of random UUIDs and reads the table in random order. The index on
  // created_at costs far less.
  const dated = `${from} where created_at >= '-infinity'`
  return createdAt.notNull ? dated : `select (${dated}) + (${from} where created_at is null)`
}

/**
 * Returns the query for the rows of a plan. For a page, it returns up to one row more than the limit, which shows
 * whether there is a next page.
 */
export function rowsQuery(plan: Plan, context: SqlContext): string {
  const { present, values } = context
  const from = `select ${columnsOfRows(plan.resource, context)} from ${tableName(plan.resource, present)} t`
  switch (plan.kind) {
    case 'only':
      return `${from} limit 1`
    case 'one':
      return `${from} where ${keyExpression(plan.resource, 'id', present)} = ${values.uuid(plan.id)}${notRemoved(plan.resource, present)}`
    case 'allOf':
      return `${from} where ${ownerCondition(plan, context)}${notRemoved(plan.resource, present)}`
    case 'page':
      return pageQuery(plan, context)
  }
}

function columnsOfRows(resource: Resource, { present, columns }: SqlContext): string {
  return columns === 'all' ? allColumns(resource, present) : keyColumns(resource, present)
}

const allColumns = onceForSchema((resource, present) => columnList(presentColumnsOf(resource, present)))

const keyColumns = onceForSchema((resource, present) =>
  columnList(['created_at', 'id'].filter((column) => hasColumn(present, resource.table, column))),
)

function columnList(columns: readonly string[]): string {
  return columns.map((column) => `t.${identifier(column)}`).join(', ')
}

/** Returns the clause with the order of the plan's rows, after a space; empty for a plan of one row. */
export function orderClause(plan: Plan, present: PresentColumns): string {
  if (plan.kind === 'page') return ` order by ${pageOrder(plan, present)}`
  return plan.kind === 'allOf' ? ` order by ${orderKeys(plan.resource, present)}` : ''
}

function ownerCondition({ resource, column, id }: AllOfPlan, { present, values }: SqlContext): string {
  // An absent column counts as null (R28), so no row has this owner.
  return hasColumn(present, resource.table, column)
    ? `${keyExpression(resource, column, present)} = ${values.uuid(id)}`
    : 'false'
}

function notRemoved({ table, removedColumn }: Resource, present: PresentColumns): string {
  if (removedColumn === undefined || !hasColumn(present, table, removedColumn)) return ''
  return ` and t.${identifier(removedColumn)} is null`
}

/**
 * Returns a query that reads one index range of rows with `created_at`, then the rows without, if the schema allows
 * any. The latter come last in a list (R17).
 */
function pageQuery(plan: PagePlan, context: SqlContext): string {
  const { present } = context
  const createdAt = present.get(plan.resource.table)?.get('created_at')
  if (createdAt === undefined) return rangeQuery(plan, context, afterId(plan, plan.after, context))
  const undated = (after: Position | null) => rangeQuery(plan, context, undatedRange(plan, after, context))
  if (plan.after?.createdAt === null) return undated(plan.after)
  const range = datedRange(plan, context)
  // Rows without created_at come after the last scan batch.
  if (createdAt.notNull || plan.scanBatch?.end) return datedQuery(plan, context, range)
  const dated = datedQuery(plan, context, range === 'true' ? 't."created_at" is not null' : range)
  const both = `(${dated}) union all (${undated(null)})`
  return `select * from (${both}) t order by ${pageOrder(plan, present)} limit ${plan.limit + 1}`
}

function datedQuery(plan: PagePlan, context: SqlContext, range: string): string {
  return plan.accessPath === undefined ? rangeQuery(plan, context, range) : changedRowsQuery(plan, context, range)
}

function rangeQuery(plan: PagePlan, context: SqlContext, range: string): string {
  const { resource, limit } = plan
  const { present } = context
  const where = `${range}${conditions(plan, context)}${notRemoved(resource, present)}`
  const from = `select ${columnsOfRows(resource, context)} from ${tableName(resource, present)} t`
  return `${from} where ${where} order by ${indexOrder(plan, present)} limit ${limit + 1}`
}

function undatedRange(plan: PagePlan, after: Position | null, context: SqlContext): string {
  return `t."created_at" is null and ${afterId(plan, after, context)}`
}

/** A range of an index on `updated_at`, with the range's order. */
interface ChangedRange {
  readonly condition: string
  readonly order: string
}

/**
 * Returns the ranges of the index `(updated_at, created_at, id)` that contain the changed rows. A second range has the
 * rows without `updated_at`. For them, `created_at` is compared instead (R14). `write` returns the SQL of a timestamp.
 */
export function changedRanges(
  { resource, filters, window = [] }: PagePlan,
  present: PresentColumns,
  write: (timestamp: Microseconds) => string = timestampLiteral,
): ChangedRange[] {
  const [updatedAt, createdAt] = ['updated_at', 'created_at'].map((column) => keyExpression(resource, column, present))
  const inRange = (column: string | undefined) => {
    const given = filters.flatMap((filter) =>
      filter.operator !== '=' && filter.field === 'updated_at'
        ? [`${column} ${filter.operator} ${write(filter.value)}`]
        : [],
    )
    const ends = window.flatMap(({ field, before }) =>
      field === 'updated_at' && before !== null ? [`${column} < ${write(before)}`] : [],
    )
    return [...given, ...ends].join(' and ')
  }
  const ranges = [{ condition: inRange(updatedAt), order: `${updatedAt}` }]
  if (fallsBackToCreatedAt(resource, 'updated_at', present))
    ranges.push({ condition: `${updatedAt} is null and ${inRange(createdAt)}`, order: `${updatedAt}, ${createdAt}` })
  return ranges
}

/**
 * Returns a query that first finds the positions of changed rows, in the way of `plan.accessPath`. Then it reads the
 * rows by their IDs, unless `context` selects only the columns of the position.
 */
function changedRowsQuery(plan: PagePlan, context: SqlContext, range: string): string {
  const { resource, accessPath, limit, filters } = plan
  const { present } = context
  const table = `${tableName(resource, present)} t`
  const positions = 'select t."created_at", t."id" from'
  const others = filters.filter(({ field }) => field !== 'updated_at')
  // With `sort`, the ranges already contain the conditions on updated_at.
  const filtered = accessPath === 'sort' ? { ...plan, filters: others } : plan
  const rest = `${conditions(filtered, context)}${notRemoved(resource, present)}`
  const ranges = changedRanges(plan, present).map(({ condition }) => `${positions} ${table} where ${condition}${rest}`)
  // With "offset 0", the planner doesn't merge the subquery into the outer query. Otherwise, PostgreSQL could read the
  // whole list in its order.
  const sorted = `${positions} (${ranges.join(' union all ')} offset 0) t where ${range}`
  const found = accessPath === 'sort' ? sorted : `${positions} ${table} where ${range}${rest}`
  const page = `${found} order by ${indexOrder(plan, present)} limit ${limit + 1}`
  if (context.columns === 'keys') return page
  return `select ${columnsOfRows(resource, context)} from (${page}) k join ${table} on t."id" = k."id"`
}
