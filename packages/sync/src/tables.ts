// The tables of a copy, from the contract: one for each resource, and one for each that is embedded in another. A new
// field is a new column, and nothing here changes for it.

import { ENDPOINTS, type Endpoint, type FieldType, type Resource } from '@store-export/contract'

/** What a column holds; each destination has a type for it. */
export type ColumnKind = 'uuid' | 'text' | 'integer' | 'boolean' | 'decimal' | 'timestamp' | 'json'

/** A column of a copy's table. */
export interface CopyColumn {
  readonly name: string
  readonly kind: ColumnKind
  /** Whether it is a decimal with exactly two digits after the point: an amount of money, or a weight. */
  readonly isMoney: boolean
  readonly isWeight: boolean
  readonly note: string
  /** Whether it is the same at two moments of a row that nobody changed: numbers of other rows are not. */
  readonly isCompared: boolean
}

/** A table whose rows come inside those of another. */
export interface ChildTable {
  readonly name: string
  readonly columns: readonly CopyColumn[]
  /** Field of the parent's row that holds its rows. */
  readonly field: string
  /** Column that holds the parent's id. */
  readonly parentColumn: string
}

/** A table with a list of its own, whose rows are gone when the row is that they belong to. */
export interface OwnedTable {
  readonly name: string
  /** Column that holds the id of the row that they belong to. */
  readonly ownerColumn: string
}

/** A table whose rows are asked for. */
export interface CopyTable {
  readonly name: string
  readonly note: string
  readonly columns: readonly CopyColumn[]
  readonly children: readonly ChildTable[]
  /** The list that its rows come from; null for the store's one row. */
  readonly list: Endpoint | null
  /** The list of their ids alone; null where there is none. */
  readonly ids: Endpoint | null
  /** How to read the rows from a service that has no list of them: for each row of `owners`. null if only `list` has them. */
  readonly byOwner: { readonly owners: Endpoint; readonly rows: Endpoint } | null
  /** Tables of rows that the store deletes with one of these. */
  readonly owned: readonly OwnedTable[]
  /** Whether the store keeps rows that it serves no more: who asks for changes does not meet their going. */
  readonly hidesRemoved: boolean
}

/** Every table: the store, then lists that are small and asked for whole, then those that can be asked for changes. */
export const TABLES: readonly CopyTable[] = copyTables(ENDPOINTS)

/** The tables of what `endpoints` serve, in the order of `TABLES`. */
export function copyTables(endpoints: readonly Endpoint[]): CopyTable[] {
  const resources = [...new Set(endpoints.map(({ resource }) => resource))]
  return resources
    .map((resource) => tableOf(resource, endpoints))
    .toSorted((one, other) => orderOf(one) - orderOf(other))
}

/** The table called `name`, or null. */
export function findTable(name: string): CopyTable | null {
  return TABLES.find((table) => table.name === name) ?? null
}

function tableOf(resource: Resource, endpoints: readonly Endpoint[]): CopyTable {
  const children = Object.entries(resource.fields).flatMap(([field, { type }]): ChildTable[] => {
    if (type.kind !== 'many') return []
    return [{ name: type.resource.table, columns: columnsOf(type.resource), field, parentColumn: type.parent }]
  })
  return {
    name: resource.table,
    note: resource.note,
    columns: columnsOf(resource),
    children,
    list: findEndpoint(endpoints, resource, 'page'),
    ids: findEndpoint(endpoints, resource, 'ids'),
    byOwner: byOwnerOf(resource, endpoints),
    owned: ownedBy(resource, endpoints),
    hidesRemoved: resource.removedColumn !== undefined,
  }
}

function orderOf({ list }: CopyTable): number {
  if (list === null) return 0
  return list.parameters.some((parameter) => parameter === 'updated_since') ? 2 : 1
}

function findEndpoint(endpoints: readonly Endpoint[], resource: Resource, kind: 'page' | 'ids'): Endpoint | null {
  return endpoints.find((endpoint) => endpoint.resource === resource && endpoint.response.kind === kind) ?? null
}

function byOwnerOf(resource: Resource, endpoints: readonly Endpoint[]): CopyTable['byOwner'] {
  for (const rows of endpoints) {
    if (rows.resource !== resource || rows.response.kind !== 'allOf') continue
    const owners = findEndpoint(endpoints, rows.response.parent, 'page')
    if (owners !== null) return { owners, rows }
  }
  return null
}

function ownedBy(owner: Resource, endpoints: readonly Endpoint[]): OwnedTable[] {
  return endpoints.flatMap(({ response, resource }) =>
    response.kind === 'allOf' && response.parent === owner
      ? [{ name: resource.table, ownerColumn: response.column }]
      : [],
  )
}

function columnsOf({ fields }: Resource): CopyColumn[] {
  return Object.entries(fields).flatMap(([name, { type, note }]) => {
    const kind = kindOf(type)
    if (kind === null) return []
    const isMoney = type.kind === 'money'
    const isWeight = isMoney && type.isWeight === true
    return [{ name, kind, isMoney, isWeight, note, isCompared: type.kind !== 'counts' }]
  })
}

/** null for what is a table of its own. */
function kindOf(type: FieldType): ColumnKind | null {
  switch (type.kind) {
    case 'uuid':
    case 'text':
    case 'integer':
    case 'boolean':
    case 'timestamp':
    case 'decimal':
      return type.kind
    case 'money':
      return 'decimal'
    case 'oneOf':
      return 'text'
    case 'texts':
    case 'json':
    case 'counts':
      return 'json'
    case 'many':
      return null
  }
}

/** Names of all tables, children after their parents. */
export const TABLE_NAMES: readonly string[] = TABLES.flatMap(({ name, children }) => [
  name,
  ...children.map((child) => child.name),
])
