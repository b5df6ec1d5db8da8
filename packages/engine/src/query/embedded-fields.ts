// Builds the statements for embedded rows, such as the items of orders. Each statement runs in the transaction and in
// the snapshot of the statement for the parents. So an order always fits its items (R29 in docs/spec/readings.md).

import type { Resource } from '@store-export/contract'
import type { Statement } from '@store-export/postgres'
import { columnExpression } from './column-expression.ts'
import { identifier } from './literal.ts'
import type { SqlContext } from './order.ts'
import type { Plan } from './plan.ts'
import { anyReadsOtherTables, hasColumn, type PresentColumns } from './present-columns.ts'
import { isOrderedByIndex } from './scan-batch.ts'
import { presentColumnsOf, selectList, tableName } from './select-list.ts'
import { isRepeatable, orderClause, rowsQuery } from './sql.ts'
import { LITERALS, Parameters } from './values.ts'

/** A field with embedded rows, and the statement that reads them. */
export interface EmbeddedField {
  readonly resource: Resource
  /**
   * Reads the embedded rows; null if the store lacks their table or its parent column. The field is then an empty list
   * in each row.
   */
  readonly statement: Statement | null
}

/**
 * Returns the fields of kind `many`, in the order of the contract. `prepares` says whether to prepare the statements.
 */
export function embeddedFields(plan: Plan, present: PresentColumns, prepares: boolean): EmbeddedField[] {
  return Object.values(plan.resource.fields).flatMap(({ type }) => {
    if (type.kind !== 'many') return []
    const { resource, parent } = type
    const isPresent = hasColumn(present, resource.table, parent)
    return [{ resource, statement: isPresent ? embeddedStatement(plan, type, present, prepares) : null }]
  })
}

/**
 * A limit that is null, so PostgreSQL returns all rows. The planner doesn't know the value and expects a tenth of the
 * rows, so it reads the rows in the order of an index. Without the limit, the planner collects the rows of each parent
 * in a bitmap and sorts them. This took 1.3 times the CPU time for two items in each order. Citus rejects such a limit.
 */
const UNKNOWN_LIMIT = ' limit (select null::int8)'

/**
 * Returns a statement that finds the IDs of the plan's rows in order, and then the embedded rows of each ID. An index
 * on the parent column makes this fast.
 */
function embeddedStatement(
  plan: Plan,
  { resource, parent }: { readonly resource: Resource; readonly parent: string },
  present: PresentColumns,
  prepares: boolean,
): Statement {
  const isRepeated = prepares && isRepeatable(plan)
  const parameters = new Parameters()
  const values = isRepeated ? parameters : LITERALS
  const parents = parentsQuery(plan, { present, values, columns: 'keys' })
  const child = { resource, alias: 'c', present }
  const columns = presentColumnsOf(resource, present).map((column) => `c.${identifier(column)}`)
  const sorted = ['created_at', 'id'].filter((column) => hasColumn(present, resource.table, column))
  // An order or an offset in the subquery keeps PostgreSQL from joining in another order than parents first.
  const inOrder =
    sorted.length === 0
      ? ' offset 0'
      : ` order by ${sorted.map((column) => columnExpression(child, column)).join(', ')}`
  const id = columnExpression({ resource: plan.resource, alias: 'k', present }, 'id')
  const ownRows = `select ${columns.join(', ')} from ${tableName(resource, present)} c where ${columnExpression(child, parent)} = ${id}`
  const isOrdered = isOrderedByIndex(resource, parent, present) && !anyReadsOtherTables(present, [resource.table])
  const limit = isOrdered ? UNKNOWN_LIMIT : ''
  const { pseudonymSecret } = plan
  const list = selectList(resource, { present, values, alias: 'c', counts: new Map(), pseudonymSecret }).join(', ')
  const text = `select k."n", ${list} from (${parents}) k join lateral (${ownRows}${inOrder}${limit}) c on true`
  return { text, values: parameters.values, prepared: isRepeated }
}

/** Returns the query for the IDs of the plan's rows, with their numbers `n` on the page, from 1. */
function parentsQuery(plan: Plan, context: SqlContext): string {
  const inOrder = orderClause(plan, context.present)
  const limit = plan.kind === 'page' ? plan.limit : 1
  return `select t."id", row_number() over (${inOrder}) as "n" from (${rowsQuery(plan, context)}) t${inOrder} limit ${limit}`
}
