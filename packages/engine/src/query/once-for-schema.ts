// Caches the parts of statements that depend only on a resource and a store's columns. Writing these parts again for every
// page took 5 % of the service's CPU time.

import type { Resource } from '@store-export/contract'
import type { PresentColumns, PresentTables } from './present-columns.ts'

/** Returns a part of a statement. The part can't name the schema, because stores in different schemas share it. */
export type WritePart = (resource: Resource, tables: PresentTables) => string

/** Returns a function that calls `write` once for each resource and set of tables. A part is cached as long as its tables. */
export function onceForSchema(write: WritePart): (resource: Resource, present: PresentColumns) => string {
  const written = new WeakMap<PresentTables, Map<Resource, string>>()
  return (resource, { tables }) => {
    const parts = written.get(tables) ?? new Map<Resource, string>()
    written.set(tables, parts)
    const text = parts.get(resource) ?? write(resource, tables)
    parts.set(resource, text)
    return text
  }
}
