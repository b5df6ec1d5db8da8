// Which revision a store is at, told by its columns, and what the contract names and the store has not. Pure.

import {
  childrenOf,
  columnsOf,
  includesRevision,
  RESOURCES,
  REVISIONS,
  type Resource,
  type RevisionId,
} from '@store-export/contract'
import { hasColumn, type PresentTables } from './columns-present.ts'

/** What columns tell of a schema. */
export interface SchemaRevision {
  /** The highest revision whose columns are all there; null when even those of launch are not. */
  readonly revision: RevisionId | null
  /** The revision up to which something is there. */
  readonly begun: RevisionId
  /** Columns of `begun` and before that are not there, as `table.column`. */
  readonly missing: readonly string[]
}

/** How a store stands to the contract. */
export interface StoreRevision {
  /** The highest revision whose columns are all there; null when even those of launch are not. */
  readonly revision: RevisionId | null
  /** Fields without a column in a table that can be read: null in every response. */
  readonly absentFields: readonly { readonly resource: Resource; readonly field: string }[]
  /** Resources whose table does not exist: empty lists. */
  readonly absentResources: readonly Resource[]
}

/** The revision of the store that has these columns, and what it lacks of the contract. */
export function revisionOf(present: PresentTables): StoreRevision {
  const names = [...present].flatMap(([table, columns]) => [...columns.keys()].map((column) => `${table}.${column}`))
  const isReadable = ({ table }: Resource) => (present.get(table)?.size ?? 0) > 0
  return {
    revision: schemaRevision(new Set(names)).revision,
    absentFields: STORED.filter(isReadable).flatMap((resource) => absentFieldsOf(resource, present)),
    absentResources: STORED.filter(({ table }) => !present.has(table)),
  }
}

/** The revision of the schema that has these columns, each given as `table.column`. */
export function schemaRevision(names: ReadonlySet<string>): SchemaRevision {
  const isComplete = (id: RevisionId) => columnNamesAt(id).every((name) => names.has(name))
  const revision = REVISIONS.findLast(({ id }) => isComplete(id))?.id ?? null
  const begun = REVISIONS.findLast(({ id }) => newAt(id).some((name) => names.has(name)))?.id ?? 'launch'
  return { revision, begun, missing: columnNamesAt(begun).filter((name) => !names.has(name)) }
}

/** The columns of a store at `revision` that the contract names, as `table.column`. */
export function columnNamesAt(revision: RevisionId): string[] {
  return STORED.filter(({ since }) => includesRevision(revision, since)).flatMap((resource) =>
    columnsOf(resource)
      .filter((name) => includesRevision(revision, resource.fields[name]?.since ?? 'launch'))
      .map((name) => `${resource.table}.${name}`),
  )
}

/** Every resource that is a table, those embedded in another included. */
const STORED = RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)])

/** Columns that this revision brought. */
function newAt(revision: RevisionId): string[] {
  const before = REVISIONS.findLast(({ id }) => id !== revision && includesRevision(revision, id))?.id
  const known = new Set(before === undefined ? [] : columnNamesAt(before))
  return columnNamesAt(revision).filter((name) => !known.has(name))
}

function absentFieldsOf(resource: Resource, present: PresentTables): StoreRevision['absentFields'] {
  return columnsOf(resource)
    .filter((name) => resource.fields[name] !== undefined && !hasColumn(present, resource.table, name))
    .map((field) => ({ resource, field }))
}
