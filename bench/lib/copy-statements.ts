// The same rows as a page of the service, asked for with COPY and nothing else: no JSON, no rounding, text as PostgreSQL
// writes it. Children come with a statement of their own, the cheapest way to get them.

import { childrenOf, columnsOf, type Resource } from '@store-export/contract'

/** Place in a list, as texts that PostgreSQL reads back exactly. */
export interface RowKey {
  readonly createdAt: string
  readonly id: string
}

/** A place before the first row. */
export const FIRST_KEY: RowKey = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' }

/** COPY of the page of `limit` rows behind `key`, and of the children of these rows. */
export function copyStatements(resource: Resource, key: RowKey, limit: number): string[] {
  const after = `(created_at, id) > ('${key.createdAt}'::timestamptz, '${key.id}'::uuid)`
  const page = (columns: string) =>
    `select ${columns} from ${resource.table} where ${after} order by created_at, id limit ${limit}`
  const children = childrenOf(resource).map((child) => {
    const parent = parentColumn(resource, child)
    // OFFSET 0 keeps the planner at one index range a parent, in order, as the page itself is read.
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
