// Finds a store's schema version (revision) from its columns, and the fields and tables of the contract that are
// missing.

import {
  childrenOf,
  columnsOf,
  includesRevision,
  RESOURCES,
  REVISIONS,
  type Resource,
  type RevisionId,
} from '@store-export/contract'
import { hasColumn, type PresentTables } from './present-columns.ts'

/** What the columns of a schema say about its revision. */
export interface SchemaRevision {
  /** The newest revision whose columns all exist; null if columns of `launch` are missing. */
  readonly revision: RevisionId | null
  /** The newest revision that added a column that exists; `launch` if there is none. */
  readonly newestFound: RevisionId
  /** Columns of `newestFound` that do not exist, as `table.column`. */
  readonly missing: readonly string[]
}

/** The revision of a store, and the parts of the contract that the store lacks. */
export interface StoreRevision {
  /** The newest revision whose columns all exist; null if columns of `launch` are missing. */
  readonly revision: RevisionId | null
  /**
   * Fields without a readable column, in tables with at least one readable column. In responses, they are null, or
   * replaced if they aren't nullable (field-writer.ts).
   */
  readonly absentFields: readonly { readonly resource: Resource; readonly field: string }[]
  /** Resources without a table. Their lists are empty, or fail if the table is from `launch`. */
  readonly absentResources: readonly Resource[]
}

/** Returns the revision of a store, and the parts of the contract that the store lacks. */
export function revisionOf(present: PresentTables): StoreRevision {
  const isReadable = ({ table }: Resource) => (present.get(table)?.size ?? 0) > 0
  return {
    revision: schemaRevision(new Set(columnNames(present))).revision,
    absentFields: TABLE_RESOURCES.filter(isReadable).flatMap((resource) => absentFieldsOf(resource, present)),
    absentResources: TABLE_RESOURCES.filter(({ table }) => !present.has(table)),
  }
}

/** Returns the columns of a store, as `table.column`. */
export function columnNames(present: PresentTables): string[] {
  return [...present].flatMap(([table, columns]) => [...columns.keys()].map((column) => `${table}.${column}`))
}

/** Returns the revision of a schema. `names` are its columns, as `table.column`. */
export function schemaRevision(names: ReadonlySet<string>): SchemaRevision {
  const isComplete = (id: RevisionId) => columnNamesAt(id).every((name) => names.has(name))
  const revision = REVISIONS.findLast(({ id }) => isComplete(id))?.id ?? null
  const newestFound =
    REVISIONS.findLast(({ id }) => columnNamesAddedAt(id).some((name) => names.has(name)))?.id ?? 'launch'
  return { revision, newestFound, missing: columnNamesAt(newestFound).filter((name) => !names.has(name)) }
}

/** Returns the contract's columns of a store at `revision`, as `table.column`. */
export function columnNamesAt(revision: RevisionId): string[] {
  return TABLE_RESOURCES.filter(({ since }) => includesRevision(revision, since)).flatMap((resource) =>
    columnsOf(resource)
      // The column that marks removed rows is no field, and counts as one of `launch`.
      .filter((name) => includesRevision(revision, resource.fields[name]?.since ?? 'launch'))
      .map((name) => `${resource.table}.${name}`),
  )
}

/** All resources, and the resources that are embedded in them. Each has a table. */
const TABLE_RESOURCES = RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)])

function columnNamesAddedAt(revision: RevisionId): string[] {
  const before = REVISIONS.findLast(({ id }) => id !== revision && includesRevision(revision, id))?.id
  const known = new Set(before === undefined ? [] : columnNamesAt(before))
  return columnNamesAt(revision).filter((name) => !known.has(name))
}

function absentFieldsOf(resource: Resource, present: PresentTables): StoreRevision['absentFields'] {
  return columnsOf(resource)
    .filter((name) => resource.fields[name] !== undefined && !hasColumn(present, resource.table, name))
    .map((field) => ({ resource, field }))
}
