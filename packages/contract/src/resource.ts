// Types of resources. A resource is a table of the store with the fields that the API serves.

import type { Field } from './field.ts'
import type { RevisionId } from './revisions.ts'

/** The documented shape of a row in a response. */
export interface RowShape {
  /** Name in the singular, as in the heading of the specification. */
  readonly name: string
  /** Name in the plural, in lower case: `customer groups`. */
  readonly plural: string
  readonly note: string
  /** First revision whose stores have the table; older stores serve an empty list. */
  readonly since: RevisionId
  /** Fields in the order of the JSON. */
  readonly fields: Readonly<Record<string, Field>>
}

/** A column of a table in the dashboard: a field, or several fields. */
export type ListColumn =
  | string
  | {
      /** The cell shows the first one that is not null. `variants.inventory` is the sum over embedded rows. */
      readonly fields: readonly [string, ...string[]]
      /** Words shown in place of values. */
      readonly words?: Readonly<Record<string, string>>
      /** Shown if every field is null. */
      readonly absent?: string
    }

/** How the dashboard shows the list of a resource: the columns of its table, and its search. */
export interface ListView {
  /** Columns by label, in the order of the table. */
  readonly columns: Readonly<Record<string, ListColumn>>
  readonly search: {
    /** Accepted input besides an ID, as the end of a sentence: "ID or name". */
    readonly by: string
    /** Field that equals the text if the text has an `@`; the other fields are then not searched. */
    readonly email?: string
    /** Fields that equal the text. */
    readonly equal?: readonly string[]
    /** Fields that contain the text. */
    readonly containing?: readonly string[]
  }
}

/** A resource. */
export interface Resource extends RowShape {
  /** Table in schema `public` of the store database. */
  readonly table: string
  /** Unique name of the list, for cursors and page sizes: the table, or `ids/` and the table. */
  readonly list: string
  /** Timestamp column that marks a removed row; such rows are not served (R23). */
  readonly removedColumn?: string
  /** The dashboard has no page for the list if this is missing. */
  readonly view?: ListView
}

/** Declares a resource. `since` defaults to `launch`. */
export function resource(declaration: Omit<Resource, 'since' | 'list'> & { since?: RevisionId }): Resource {
  return { since: 'launch', list: declaration.table, ...declaration }
}

/** The columns that the service reads: those of the fields, and the one that marks removed rows. */
export function columnsOf({ fields, removedColumn }: Resource): string[] {
  const columns = Object.entries(fields)
    .filter(([, field]) => field.type.kind !== 'many' && field.type.kind !== 'counts')
    .map(([name]) => name)
  return removedColumn === undefined ? columns : [...columns, removedColumn]
}

/** Resources embedded in this one. */
export function childrenOf({ fields }: RowShape): Resource[] {
  return Object.values(fields).flatMap(({ type }) => (type.kind === 'many' ? [type.resource] : []))
}
