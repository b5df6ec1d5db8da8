// Declares what a resource is: a table of the store, the fields that the API serves from it, and its list in the
// dashboard.

import type { Field } from './field.ts'
import type { RevisionId } from './revisions.ts'

/** The shape of a row in a response, as the documentation shows it. */
export interface RowShape {
  /** Name in the singular, with a capital letter: `Customer group`. */
  readonly name: string
  /** Name in the plural, in lower case: `customer groups`. */
  readonly plural: string
  /** What a row is, in whole sentences for the documentation. */
  readonly note: string
  /** First schema version whose stores have the table. The lists of older stores are empty. */
  readonly since: RevisionId
  /** Fields in the order of the JSON. */
  readonly fields: Readonly<Record<string, Field>>
}

/** A column of a table in the dashboard: the name of a field, or several fields. */
export type ListColumn =
  | string
  | {
      /** The cell shows the first field that is not null. `variants.inventory` is the sum over embedded rows. */
      readonly fields: readonly [string, ...string[]]
      /** Words that the cell shows in place of values, by value. */
      readonly words?: Readonly<Record<string, string>>
      /** Word that the cell shows if every field is null. */
      readonly absent?: string
      /** The value is the ID of a row of the same list. The cell shows this field of that row. */
      readonly namedBy?: string
    }

/** What the page of a row in the dashboard shows in addition to the columns of the table. */
export interface RowView {
  /** Further fields by label. */
  readonly fields?: Readonly<Record<string, ListColumn>>
  /** Amounts by label, in the order in which they add up. */
  readonly amounts?: Readonly<Record<string, ListColumn>>
  /**
   * Tables of embedded rows. The outer keys are the fields with the rows, and the inner keys are the labels of the
   * columns.
   */
  readonly embedded?: Readonly<Record<string, Readonly<Record<string, ListColumn>>>>
}

/** The table of a resource in the dashboard, the page of a row, and the search. */
export interface ListView {
  /** Columns by label, in the order of the table. The first one names the row. The table also shows the ID. */
  readonly columns: Readonly<Record<string, ListColumn>>
  readonly row?: RowView
  readonly search: {
    /** Accepted input besides an ID, as the end of a sentence: "ID or name". */
    readonly by: string
    /** Field to compare with the text if the text has an `@`. The search then ignores the other fields. */
    readonly email?: string
    /** Fields that must equal the text, also in case. `variants.sku` is a field of an embedded row. */
    readonly equal?: readonly string[]
    /** Fields that must contain the text, ignoring case. */
    readonly containing?: readonly string[]
  }
}

/** A resource of the API: the shape of its rows, its table in a store, and its page in the dashboard. */
export interface Resource extends RowShape {
  /** Name of the table in the store's schema. */
  readonly table: string
  /**
   * Unique name of the list, for cursors and page sizes: the table, or `ids/` and the table. The dashboard adds the
   * names of the fields, if it reads only some.
   */
  readonly list: string
  /** Timestamp column that marks a removed row. The API serves only rows in which it is null. */
  readonly removedColumn?: string
  /** The page of the list in the dashboard. Without a view, the list has no page. */
  readonly view?: ListView
}

/** Declares a resource, whose list has the name of its table. `since` defaults to `launch`. */
export function resource(declaration: Omit<Resource, 'since' | 'list'> & { since?: RevisionId }): Resource {
  return { since: 'launch', list: declaration.table, ...declaration }
}

/**
 * Returns the columns that the service reads: those of the fields, and the column that marks removed rows. Fields for
 * embedded rows and for row counts have no column.
 */
export function columnsOf({ fields, removedColumn }: Resource): string[] {
  const columns = Object.entries(fields)
    .filter(([, field]) => field.type.kind !== 'many' && field.type.kind !== 'counts')
    .map(([name]) => name)
  return removedColumn === undefined ? columns : [...columns, removedColumn]
}

/** Returns the resources of the rows that are embedded in this row, without those that are embedded in such rows. */
export function childrenOf({ fields }: RowShape): Resource[] {
  return Object.values(fields).flatMap(({ type }) => (type.kind === 'many' ? [type.resource] : []))
}
