// Derives the tables of a copy from the contract: one for each resource and one for each embedded resource. A new field
// becomes a new column without a change here.

import { ENDPOINTS, type Endpoint, type FieldType, type Resource } from '@store-export/contract'

/** Type of a column's values. Each destination has its own type for it. */
export type CopyColumnKind = 'uuid' | 'text' | 'integer' | 'boolean' | 'decimal' | 'timestamp' | 'json'

/** A column of a copy, derived from a field of the contract. */
export interface CopyColumn {
  readonly name: string
  readonly kind: CopyColumnKind
  /**
   * Whether the values are decimals with exactly two digits after the point: amounts of money, and weights, which the
   * contract declares as money.
   */
  readonly isMoney: boolean
  /** Whether the values are weights; `isMoney` is then also true. A SQLite copy has no column of cents for weights. */
  readonly isWeight: boolean
  /** Description of the field in the contract, for people who read the schema of a copy. */
  readonly note: string
  /** Whether the values can identify a person who buys in the store. */
  readonly isPersonal: boolean
  /** Whether a verification compares the column. False for counts, which change without a change of the row. */
  readonly isCompared: boolean
}

/** A table whose rows are embedded in the rows of another table. */
export interface ChildTable {
  readonly name: string
  readonly columns: readonly CopyColumn[]
  /** Field of the parent's row with the embedded rows. */
  readonly field: string
  /** Column of this table with the ID of the parent. */
  readonly parentColumn: string
}

/**
 * A table with its own list, whose rows belong to rows of another table: their owners. The store deletes a row together
 * with the rows that it owns.
 */
export interface OwnedTable {
  readonly name: string
  /** Column of this table with the ID of the owner. */
  readonly ownerColumn: string
}

/** A table of a copy, and the endpoints that return its rows. */
export interface CopyTable {
  readonly name: string
  readonly note: string
  readonly columns: readonly CopyColumn[]
  readonly children: readonly ChildTable[]
  /** The list of its rows; null for the table of the store, which has one row. */
  readonly list: Endpoint | null
  /** The list of its IDs; null if the API has none. */
  readonly ids: Endpoint | null
  /**
   * Endpoints for an older service, which has no endpoint `list` yet: one request of `rows` for each row of `owners`.
   * Null if the API has no such endpoints.
   */
  readonly byOwner: { readonly owners: Endpoint; readonly rows: Endpoint } | null
  /** Tables whose rows the store deletes together with a row of this table. */
  readonly owned: readonly OwnedTable[]
  /** Whether the store hides removed rows instead of deleting them. Incremental syncs don't return removed rows. */
  readonly hidesRemoved: boolean
}

/** All tables: the store, then the lists that every run reads in full, then the lists that can filter by update. */
export const TABLES: readonly CopyTable[] = copyTables(ENDPOINTS)

/** Returns the tables of the resources that `endpoints` return, in the order of `TABLES`. */
export function copyTables(endpoints: readonly Endpoint[]): CopyTable[] {
  const resources = [...new Set(endpoints.map(({ resource }) => resource))]
  return resources
    .map((resource) => tableOf(resource, endpoints))
    .toSorted((one, other) => orderOf(one) - orderOf(other))
}

/** Returns the table with this name; null for an unknown name. Does not find embedded tables. */
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

/**
 * Returns the place of a table in the order of `TABLES`. Tables with the same place stay in the order of the contract.
 */
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

/** Returns the tables that the API lists by owner (`allOf`). The store deletes their rows with the owner. */
function ownedBy(owner: Resource, endpoints: readonly Endpoint[]): OwnedTable[] {
  return endpoints.flatMap(({ response, resource }) =>
    response.kind === 'allOf' && response.parent === owner
      ? [{ name: resource.table, ownerColumn: response.column }]
      : [],
  )
}

function columnsOf({ fields }: Resource): CopyColumn[] {
  return Object.entries(fields).flatMap(([name, { type, note, personal }]) => {
    const kind = kindOf(type)
    if (kind === null) return []
    const isMoney = type.kind === 'money'
    const isWeight = isMoney && type.isWeight === true
    return [
      { name, kind, isMoney, isWeight, note, isPersonal: personal !== undefined, isCompared: type.kind !== 'counts' },
    ]
  })
}

/** Returns the kind of a column; null for embedded rows, which have a table of their own. */
function kindOf(type: FieldType): CopyColumnKind | null {
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

/** Names of all tables. Embedded tables follow their parents. */
export const TABLE_NAMES: readonly string[] = TABLES.flatMap(({ name, children }) => [
  name,
  ...children.map((child) => child.name),
])
