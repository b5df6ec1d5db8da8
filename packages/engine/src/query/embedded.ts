// Builds the SQL for embedded rows, such as the items of orders: a separate statement, in one transaction and one snapshot with
// the statement of their parents (R29). Pure.

import type { Resource } from '@store-export/contract'
import type { Statement } from '@store-export/postgres'
import { columnReading } from './column-reading.ts'
import { hasColumn, hasLayers, IS_LAYERED, type PresentColumns } from './columns-present.ts'
import { identifier, textLiteral } from './literal.ts'
import type { SqlContext } from './order.ts'
import type { Plan } from './plan.ts'
import { presentColumnsOf, selectList, tableName } from './select-list.ts'
import { isRepeatable, order, rows } from './sql.ts'
import { LITERALS, Parameters } from './statement.ts'
import { isOrderedWithin } from './windows.ts'

export interface EmbeddedField {
  readonly resource: Resource
  /** Null if the store lacks the table or the column: there are no embedded rows. */
  readonly statement: Statement | null
}

/** The fields of embedded rows of a plan, in the order of the contract. */
export function embeddedFields(plan: Plan, present: PresentColumns, prepares: boolean): EmbeddedField[] {
  return Object.values(plan.resource.fields).flatMap(({ type }) => {
    if (type.kind !== 'many') return []
    const { resource, parent } = type
    const isPresent = hasColumn(present, resource.table, parent)
    return [{ resource, statement: isPresent ? statementOf(plan, type, present, prepares) : null }]
  })
}

/**
 * A null limit, which returns all rows. The planner can't evaluate it, so it expects to read only some of them, in the order
 * of an index. Otherwise it collects the rows of each parent in a bitmap and sorts them, which took 1.3 times the processor
 * time for two items in each order. Citus refuses such a limit.
 */
const UNKNOWN_LIMIT = ' limit (select null::int8)'

/** Finds the plan's rows by their keys alone, in their order, and the embedded rows of each by the index on the parent. */
function statementOf(
  plan: Plan,
  { resource, parent }: { readonly resource: Resource; readonly parent: string },
  present: PresentColumns,
  prepares: boolean,
): Statement {
  const isRepeated = prepares && isRepeatable(plan)
  const parameters = new Parameters()
  const values = isRepeated ? parameters : LITERALS
  const found = parents(plan, { present, values, columns: 'keys' })
  const child = { resource, alias: 'c', present }
  const columns = presentColumnsOf(resource, present).map((column) => `c.${identifier(column)}`)
  const sorted = ['created_at', 'id'].filter((column) => hasColumn(present, resource.table, column))
  // either of the two keeps the server from joining in another order
  const inOrder =
    sorted.length === 0 ? ' offset 0' : ` order by ${sorted.map((column) => columnReading(child, column)).join(', ')}`
  const id = columnReading({ resource: plan.resource, alias: 'k', present }, 'id')
  const mine = `select ${columns.join(', ')} from ${tableName(resource, present)} c where ${columnReading(child, parent)} = ${id}`
  const isOrdered = isOrderedWithin(resource, parent, present) && !hasLayers(present, [resource.table])
  const limit = isOrdered ? UNKNOWN_LIMIT : ''
  const list = selectList(resource, { present, values, alias: 'c', counts: new Map() }).join(', ')
  const text = `select k."n", ${list} from (${found}) k join lateral (${mine}${inOrder}${limit}) c on true`
  return { text, values: parameters.values, prepared: isRepeated }
}

/** The IDs of the plan's rows and their positions `n` on the page, from 1 on. */
function parents(plan: Plan, context: SqlContext): string {
  const inOrder = order(plan, context.present)
  const limit = plan.kind === 'page' ? plan.limit : 1
  return `select t."id", row_number() over (${inOrder}) as "n" from (${rows(plan, context)}) t${inOrder} limit ${limit}`
}

/**
 * The statement that returns, as one boolean, whether a table was rewritten after the snapshot of the transaction and before
 * its lock: its rows would be missing then (R28). It compares the file that the snapshot knows with the present one. Behind
 * layered tables it compares every relation that the transaction has locked.
 */
export function rewrittenStatement(
  tables: readonly Resource[],
  present: PresentColumns,
  { isLayered, prepares }: { readonly isLayered: boolean; readonly prepares: boolean },
): Statement {
  return { text: isLayered ? LOCKED_REWRITTEN : plainRewritten(tables, present), values: [], prepared: prepares }
}

/** A table that has become layered since the columns were read counts as rewritten: they are read again then. */
function plainRewritten(tables: readonly Resource[], present: PresentColumns): string {
  const oids = tables.map((table) => `${textLiteral(tableName(table, present))}::pg_catalog.regclass`).join(', ')
  return `select pg_catalog.count(*) <> ${tables.length} or pg_catalog.bool_or(${IS_LAYERED}
      or c.relfilenode <> pg_catalog.pg_relation_filenode(c.oid))
    from pg_catalog.pg_class c where c.oid in (${oids})`
}

const LOCKED_REWRITTEN = `select coalesce(pg_catalog.bool_or(s.oid is null
      or s.relfilenode <> 0 and s.relfilenode <> pg_catalog.pg_relation_filenode(l.relation)), false)
    from pg_catalog.pg_lock_status() l left join pg_catalog.pg_class s on s.oid = l.relation
    where l.locktype = 'relation' and l.pid = pg_catalog.pg_backend_pid()`
