// The tables and columns of a store at each revision, derived from the contract. In charge of no SQL.

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

/** A table of a store database with those of its columns that the contract names. */
export interface StoreTable {
  readonly table: string
  readonly columns: readonly string[]
}

/** Every table of a store, parents before children, as the loader needs them. */
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

/** The tables that a store at `revision` has, parents before children; of each the columns that the service may read. */
export function storeTables(revision: RevisionId): StoreTable[] {
  return STORED.filter(({ since }) => includesRevision(revision, since)).map((resource) => ({
    table: resource.table,
    columns: columnsOf(resource).filter((name) => includesRevision(revision, resource.fields[name]?.since ?? 'launch')),
  }))
}
