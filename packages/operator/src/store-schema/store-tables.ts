// Derives the tables and columns of a store at each schema version from the contract.

import {
  category,
  columnsOf,
  customer,
  customerAddress,
  customerGroup,
  includesRevision,
  location,
  order,
  orderItem,
  product,
  type RevisionId,
  store,
  variant,
} from '@store-export/contract'

/** A table of a store database with its columns in the contract. */
export interface StoreTable {
  readonly table: string
  readonly columns: readonly string[]
}

/** Every table of a store, parents before children. */
const STORED = [
  store,
  customerGroup,
  location,
  category,
  product,
  variant,
  customer,
  customerAddress,
  order,
  orderItem,
] as const

/**
 * Returns the tables of a store at a schema version, parents before children, with the columns that the service reads.
 */
export function storeTables(revision: RevisionId): StoreTable[] {
  return STORED.filter(({ since }) => includesRevision(revision, since)).map((resource) => ({
    table: resource.table,
    columns: columnsOf(resource).filter((name) => includesRevision(revision, resource.fields[name]?.since ?? 'launch')),
  }))
}
