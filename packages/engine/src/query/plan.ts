// Describes as data what to read from a store, so that requests, searches of the dashboard, and tests use the same
// code. sql.ts translates a plan into SQL.

import type { Microseconds, Resource } from '@store-export/contract'
import type { PseudonymSecret } from './reduced-expression.ts'

/** `created_at` of a row; null if the row has none. Such a row comes last in a list (R17 in docs/spec/readings.md). */
export type CreatedAt = Microseconds | null

/** The position of a row in its list, with the full precision of the database. A cursor contains a position. */
export interface Position {
  readonly createdAt: CreatedAt
  /** UUID in lower case. */
  readonly id: string
}

/** A condition on the rows of a list. `parameter` is the name of the request's parameter. */
export type Filter = { readonly parameter: string; readonly field: string } & (
  | { readonly operator: '>=' | '<'; readonly value: Microseconds }
  | { readonly operator: '='; readonly value: string }
)

/**
 * The end times of a list, by field. The list has only rows whose field is before its end time, and rows without the
 * field. An end time is at most the watermark, the time that the first page returns for the client's next sync. A row
 * that changes later gets an `updated_at` after the watermark. So the next sync may start at the greatest `updated_at`
 * that the client has received.
 */
export type Window = readonly WindowEnd[]

/** The end time of a list for one field. `parameter` is the name of the request's parameter. */
export interface WindowEnd {
  readonly parameter: string
  readonly field: WindowField
  /** At most the watermark; null until the first page knows it. */
  readonly before: Microseconds | null
}

/** A field that can have an end time. */
export type WindowField = 'updated_at' | 'created_at'

/** A search of a list. A row matches if one of the fields matches the text. */
export interface Search {
  readonly text: string
  /** Fields that equal the text. `variants.sku` is a field of an embedded row. */
  readonly equal: readonly string[]
  /** Fields that contain the text, ignoring case. */
  readonly containing: readonly string[]
}

/** Members of every plan. */
interface CommonPlan {
  readonly resource: Resource
  /** Secret of the store's pseudonyms. Set if `resource` comes from `withoutPersonalData`. */
  readonly pseudonymSecret?: PseudonymSecret
}

/**
 * Reads a page of a list: at most `limit` rows after a position. The oldest row comes first, unless `isNewestFirst` is
 * set.
 */
export interface PagePlan extends CommonPlan {
  readonly kind: 'page'
  readonly limit: number
  /** The position after which the page starts; null for the first page. */
  readonly after: Position | null
  readonly filters: readonly Filter[]
  readonly window?: Window
  readonly search?: Search
  /** Whether the newest row comes first; absent if the oldest does. */
  readonly isNewestFirst?: true
  /** How PostgreSQL finds the changed rows; absent if they were not counted. */
  readonly accessPath?: AccessPath
  /**
   * The range of a scan batch; absent if the list is not read in batches. `end` is the last position of the batch, or
   * null for the end of the list.
   */
  readonly scanBatch?: { readonly end: Position | null }
}

/**
 * The way in which PostgreSQL finds the changed rows of a page. Both ways return the same rows:
 * - `sort`: find all changed rows in the index on `updated_at`, and sort them.
 * - `skip`: read the list in its order, and skip unchanged rows inside the index.
 */
export type AccessPath = 'sort' | 'skip'

/** Reads the row of a resource with this ID, unless it is removed. `id` is a UUID in lower case. */
export interface OnePlan extends CommonPlan {
  readonly kind: 'one'
  readonly id: string
}

/** Reads all rows of a resource whose `column` is `id` and that aren't removed, oldest row first. */
export interface AllOfPlan extends CommonPlan {
  readonly kind: 'allOf'
  readonly column: string
  readonly id: string
}

/** Reads the single row of a one-row table, such as `store`. */
export interface SingleRowPlan extends CommonPlan {
  readonly kind: 'only'
  /** Row counts by table, for fields of kind `counts`. */
  readonly counts: ReadonlyMap<string, bigint>
}

/** What to read from a store: a page of a list, one row, all rows with an ID in a column, or a table's only row. */
export type Plan = PagePlan | OnePlan | AllOfPlan | SingleRowPlan
