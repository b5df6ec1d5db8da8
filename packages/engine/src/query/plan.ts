// What is to be read of a store, as data: no SQL, no connection.

import type { Microseconds, Resource } from '@store-export/contract'

/** Created-at of a row in the order of a list: null for a row without one; those come last (R17). */
export type CreatedAt = Microseconds | null

/** Place of a row in its list: all that a walk needs to go on after it, at full precision. */
export interface Position {
  readonly createdAt: CreatedAt
  /** UUID in canonical lower case. */
  readonly id: string
}

/** One condition on the rows of a list, and the parameter that asked for it. */
export type Filter = { readonly parameter: string; readonly field: string } & (
  | { readonly operator: '>='; readonly value: Microseconds }
  | { readonly operator: '='; readonly value: string }
)

/** A search of a list: rows with this text in one of the named fields. */
export interface Search {
  readonly text: string
  /** Fields that equal the text; `variants.sku` names the field of an embedded row. */
  readonly equal: readonly string[]
  /** Fields that contain the text, ignoring case. */
  readonly containing: readonly string[]
}

/** A page of a list: at most `limit` rows after the position, oldest first. */
export interface PagePlan {
  readonly kind: 'page'
  readonly resource: Resource
  readonly limit: number
  readonly after: Position | null
  readonly filters: readonly Filter[]
  readonly search?: Search
  /** Set if the list is read from its end. */
  readonly isNewestFirst?: true
  /** Set if the rows that were changed since a timestamp were counted. */
  readonly changed?: ChangedRowsPath
  /** Set where the list is gone through in its order, whatever indexes there are: up to this position, null for its end. */
  readonly window?: { readonly end: Position | null }
}

/** How a page finds changed rows: by the index of changes, sorted, or in the order of the list. Both return the same rows. */
export type ChangedRowsPath = 'sorted' | 'walked'

/** One row by id. */
export interface OnePlan {
  readonly kind: 'one'
  readonly resource: Resource
  readonly id: string
}

/** Every row whose `column` holds `id`, oldest first. */
export interface AllOfPlan {
  readonly kind: 'allOf'
  readonly resource: Resource
  readonly column: string
  readonly id: string
}

/** The only row of a table that has one. */
export interface OnlyPlan {
  readonly kind: 'only'
  readonly resource: Resource
  /** Row counts by table, for a field of kind `counts`. */
  readonly counts: ReadonlyMap<string, bigint>
}

/** Whatever can be read. */
export type Plan = PagePlan | OnePlan | AllOfPlan | OnlyPlan
