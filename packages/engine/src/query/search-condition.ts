// Writes the search of a list as an SQL condition.

import type { Resource } from '@store-export/contract'
import { columnExpression, comparedColumnExpression } from './column-expression.ts'
import { textLiteral } from './literal.ts'
import { keyExpression } from './order.ts'
import type { Search } from './plan.ts'
import { hasColumn, type PresentColumns } from './present-columns.ts'
import { tableName } from './select-list.ts'

/**
 * Returns the SQL condition of a search: a row matches if one of the fields does. If the store has none of the fields,
 * no row matches. Throws for a field `name.field` if the resource has no embedded `name`.
 */
export function searchCondition({ text, equal, containing }: Search, resource: Resource, present: PresentColumns) {
  const literal = textLiteral(text)
  const table = { resource, alias: 't', present }
  const has = (field: string) => hasColumn(present, resource.table, field)
  const conditions = [
    ...equal.filter(has).map((field) => `${comparedColumnExpression(table, field)} = ${literal}`),
    ...equal
      .filter((field) => field.includes('.'))
      .map((field) => embeddedCondition(field, { literal, resource, present })),
    ...containing.filter(has).map((field) => `strpos(lower(${columnExpression(table, field)}), lower(${literal})) > 0`),
  ]
  return conditions.join(' or ') || 'false'
}

interface EmbeddedSearchContext {
  readonly literal: string
  readonly resource: Resource
  readonly present: PresentColumns
}

/**
 * Returns a condition on a field of an embedded row, such as `variants.sku`. PostgreSQL evaluates the subquery once for
 * the statement, and can use an index of the embedded rows.
 */
function embeddedCondition(path: string, { literal, resource, present }: EmbeddedSearchContext): string {
  const [name = '', field = ''] = path.split('.')
  const type = resource.fields[name]?.type
  if (type?.kind !== 'many') throw new Error(`${resource.name} has no embedded ${name}`)
  const { resource: child, parent } = type
  if (!hasColumn(present, child.table, field) || !hasColumn(present, child.table, parent)) return 'false'
  const childTable = { resource: child, alias: 'c', present }
  const where = `${comparedColumnExpression(childTable, field)} = ${literal}`
  const parents = `select ${columnExpression(childTable, parent)} from ${tableName(child, present)} c where ${where}`
  return `${keyExpression(resource, 'id', present)} = any(array(${parents}))`
}
