// Builds the SQL for embedded rows, such as the items of orders: a separate statement for pages, a left join for one
// row by ID. A row and its embedded rows are read in one snapshot (R29). Pure.

import type { Resource } from '@store-export/contract'
import type { Statement } from '@store-export/postgres'
import { columnReading } from './column-reading.ts'
import { hasColumn, type PresentColumns } from './columns-present.ts'
import { identifier, textLiteral } from './literal.ts'
import type { SqlContext } from './order.ts'
import type { OnePlan, Plan } from './plan.ts'
import { presentColumnsOf, selectList, tableName } from './select-list.ts'
import { isRepeatable, order, rows } from './sql.ts'
import { LITERALS, Parameters } from './statement.ts'

/** One field of embedded rows. */
export interface EmbeddedField {
  readonly resource: Resource
  /** Field of `resource` that holds the ID of the row in which it is embedded. */
  readonly parent: string
  /** Null if the store lacks the table or the column: there are no embedded rows. */
  readonly statement: Statement | null
}

/** The fields of embedded rows of a plan, in the order of the contract. */
export function embeddedFields(plan: Plan, present: PresentColumns, prepares: boolean): EmbeddedField[] {
  return Object.values(plan.resource.fields).flatMap(({ type }) => {
    if (type.kind !== 'many') return []
    const { resource, parent } = type
    const isPresent = hasColumn(present, resource.table, parent)
    return [{ resource, parent, statement: isPresent ? statementOf(plan, type, present, prepares) : null }]
  })
}

/**
 * The rows of a plan are found by their keys alone, in their order; a lateral join finds the embedded rows of each by the
 * index on the parent. `offset 0` keeps the server from joining in another order, which costs twice as much.
 */
function statementOf(
  plan: Plan,
  { resource, parent }: { readonly resource: Resource; readonly parent: string },
  present: PresentColumns,
  prepares: boolean,
): Statement {
  const isRepeated = prepares && isRepeatable(plan)
  const parameters = new Parameters()
  const values = isRepeated ? parameters : LITERALS
  const limit = plan.kind === 'page' ? ` limit ${plan.limit}` : ''
  const found = `select t."id" from (${rows(plan, { present, values })}) t${order(plan, present)}${limit} offset 0`
  const { list, mine } = childOf(plan, { resource, parent }, { present, values })
  const text = `select ${list} from (${found}) k join lateral (${mine} offset 0) c on true`
  return { text, values: parameters.values, prepared: isRepeated }
}

/**
 * Selects a row by ID with the embedded rows of its only such field: one result row each, with null child values if
 * there are none. One statement is one snapshot, and costs half of a transaction.
 */
export function joinedStatement(
  plan: OnePlan,
  field: Pick<EmbeddedField, 'resource' | 'parent'>,
  present: PresentColumns,
  prepared: boolean,
): Statement {
  const parameters = new Parameters()
  const context = { present, values: prepared ? parameters : LITERALS }
  const { list, mine } = childOf(plan, field, context)
  const found = `(${rows(plan, context)}) k`
  const own = selectList(plan.resource, { ...context, alias: 'k', counts: new Map() }).join(', ')
  return {
    text: `select ${own}, ${list} from ${found} left join lateral (${mine}) c on true`,
    values: parameters.values,
    prepared,
  }
}

/** The select list of the embedded rows, alias `c`, and the rows of the parent `k` in their order. */
function childOf(
  plan: Plan,
  { resource, parent }: Pick<EmbeddedField, 'resource' | 'parent'>,
  { present, values }: SqlContext,
) {
  const child = { resource, alias: 'c', present }
  const columns = presentColumnsOf(resource, present).map((column) => `c.${identifier(column)}`)
  const sorted = ['created_at', 'id'].filter((column) => hasColumn(present, resource.table, column))
  const order = sorted.map((column) => columnReading(child, column)).join(', ')
  const id = columnReading({ resource: plan.resource, alias: 'k', present }, 'id')
  const mine = `select ${columns.join(', ')} from ${tableName(resource)} c where ${columnReading(child, parent)} = ${id}`
  return {
    list: selectList(resource, { present, values, alias: 'c', counts: new Map() }).join(', '),
    mine: order === '' ? mine : `${mine} order by ${order}`,
  }
}

/**
 * A statement that returns true if a table was rewritten after the snapshot and before its lock. The table's rows would
 * then be missing (R28). It compares the file that the snapshot knows with the present one. Behind a view or a
 * partitioned table, it compares every relation that the transaction has locked.
 */
export function rewrittenStatement(tables: readonly Resource[], prepared: boolean): Statement {
  const oids = tables.map((table) => `${textLiteral(tableName(table))}::pg_catalog.regclass`).join(', ')
  const locked = `select pg_catalog.bool_or(s.oid is null
        or s.relfilenode <> 0 and s.relfilenode <> pg_catalog.pg_relation_filenode(l.relation))
      from pg_catalog.pg_lock_status() l left join pg_catalog.pg_class s on s.oid = l.relation
      where l.locktype = 'relation' and l.pid = pg_catalog.pg_backend_pid()`
  const text = `select case when pg_catalog.bool_or(c.relkind in ('v', 'p')) then (${locked})
      else pg_catalog.count(*) <> ${tables.length}
        or pg_catalog.bool_or(c.relfilenode <> pg_catalog.pg_relation_filenode(c.oid)) end
    from pg_catalog.pg_class c where c.oid in (${oids})`
  return { text, values: [], prepared }
}
