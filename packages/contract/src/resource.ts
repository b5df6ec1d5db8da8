// What a resource is: a table of the store with the fields that are served of it.

import type { Field } from './field.ts'
import type { RevisionId } from './history.ts'

/** What a row of an answer is, as readers are told. */
export interface RowShape {
  /** Name in the singular, as the specification's heading has it. */
  readonly name: string
  /** Name of what a list of it holds, in the words of messages: `customer groups`. */
  readonly plural: string
  readonly note: string
  /** First revision whose stores have the table; older stores serve an empty list. */
  readonly since: RevisionId
  /** Fields in the order in which they are served. */
  readonly fields: Readonly<Record<string, Field>>
}

/** A declared resource. */
export interface Resource extends RowShape {
  /** Table in schema `public` of the store database. */
  readonly table: string
  /** Name of its list, by which cursors and the sizes of pages are told apart: its table, or `ids/` and its table. */
  readonly list: string
  /** Timestamp column that marks a removed row; such rows are not served (R23). */
  readonly removedColumn?: string
}

/** Declares a resource; `since` is `launch` unless said. */
export function resource(declaration: Omit<Resource, 'since' | 'list'> & { since?: RevisionId }): Resource {
  return { since: 'launch', list: declaration.table, ...declaration }
}

/** Columns of the resource's table that are read: its fields that are columns, and the one that marks removed rows. */
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
