// Builds COPY statements for the rows of a page. COPY creates no JSON and rounds no numbers, so it is the baseline for
// the cost of a page. Embedded rows have a separate statement, which is the cheapest way to read them.

import { childrenOf, columnsOf, type Resource } from '@store-export/contract'

/** Position in a list, as strings that PostgreSQL reads back exactly. */
export interface RowKey {
  readonly createdAt: string
  readonly id: string
}

/** The position before the first row. */
export const FIRST_KEY: RowKey = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' }

/** Returns COPY statements for the `limit` rows after `key`, and for their embedded rows. */
export function copyStatements(resource: Resource, key: RowKey, limit: number): string[] {
  const after = `(created_at, id) > ('${key.createdAt}'::timestamptz, '${key.id}'::uuid)`
  const page = (columns: string) =>
    `select ${columns} from ${resource.table} where ${after} order by created_at, id limit ${limit}`
  const children = childrenOf(resource).map((child) => {
    const parent = parentColumn(resource, child)
    // With OFFSET 0, the planner reads one index range per parent, in order, as the page does.
    const lines = `select ${listed(child, 'c')} from ${child.table} c where c.${parent} = p.id order by c.created_at, c.id offset 0`
    return `copy (select c.* from (${page('created_at, id')}) p cross join lateral (${lines}) c) to stdout`
  })
  return [`copy (${page(listed(resource, resource.table))}) to stdout`, ...children]
}

function listed(resource: Resource, alias: string): string {
  return columnsOf(resource)
    .map((column) => `${alias}."${column}"`)
    .join(', ')
}

function parentColumn({ fields }: Resource, child: Resource): string {
  const found = Object.values(fields).find(({ type }) => type.kind === 'many' && type.resource === child)
  return found?.type.kind === 'many' ? found.type.parent : ''
}
