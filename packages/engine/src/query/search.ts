// The search of a list as a condition on its rows. Pure: no connection, no clock.

import type { Resource } from '@store-export/contract'
import { columnReading, comparedColumn } from './column-reading.ts'
import { hasColumn, type PresentColumns } from './columns-present.ts'
import { textLiteral } from './literal.ts'
import { key } from './order.ts'
import type { Search } from './plan.ts'
import { tableName } from './select-list.ts'

/** The condition that a row has to pass; no row passes it if the store has none of the fields. */
export function searchCondition({ text, equal, containing }: Search, resource: Resource, present: PresentColumns) {
  const literal = textLiteral(text)
  const place = { resource, alias: 't', present }
  const has = (field: string) => hasColumn(present, resource.table, field)
  const conditions = [
    ...equal.filter(has).map((field) => `${comparedColumn(place, field)} = ${literal}`),
    ...equal.filter((field) => field.includes('.')).map((field) => embedded(field, { literal, resource, present })),
    ...containing.filter(has).map((field) => `strpos(lower(${columnReading(place, field)}), lower(${literal})) > 0`),
  ]
  return conditions.join(' or ') || 'false'
}

interface EmbeddedSearch {
  readonly literal: string
  readonly resource: Resource
  readonly present: PresentColumns
}

/** The rows of which an embedded one has the text: found once for the statement, by the index of the embedded rows. */
function embedded(path: string, { literal, resource, present }: EmbeddedSearch): string {
  const [name = '', field = ''] = path.split('.')
  const type = resource.fields[name]?.type
  if (type?.kind !== 'many') throw new Error(`${resource.name} has no embedded ${name}`)
  const { resource: child, parent } = type
  if (!hasColumn(present, child.table, field) || !hasColumn(present, child.table, parent)) return 'false'
  const place = { resource: child, alias: 'c', present }
  const where = `${comparedColumn(place, field)} = ${literal}`
  const parents = `select ${columnReading(place, parent)} from ${tableName(child, present)} c where ${where}`
  return `${key(resource, 'id', present)} = any(array(${parents}))`
}
