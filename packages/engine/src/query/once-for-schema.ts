// Caches what depends only on a resource and a store's columns: parts of statements, and the description of the schema.
// Writing the parts of statements again for every page took 5% of the service's processor time.

import type { Resource } from '@store-export/contract'
import type { PresentColumns, PresentTables } from './present-columns.ts'

/**
 * Returns the value to cache. It can't depend on the name of the schema, because stores in different schemas share it.
 */
export type CreateValue<Value> = (resource: Resource, tables: PresentTables) => Value

/**
 * Returns a function that calls `create` once for each resource and set of tables. A value is cached as long as
 * `present.tables` is in memory.
 */
export function onceForSchema<Value extends string | object>(
  create: CreateValue<Value>,
): (resource: Resource, present: PresentColumns) => Value {
  const cache = new WeakMap<PresentTables, Map<Resource, Value>>()
  return (resource, { tables }) => {
    const values = cache.get(tables) ?? new Map<Resource, Value>()
    cache.set(tables, values)
    const value = values.get(resource) ?? create(resource, tables)
    values.set(resource, value)
    return value
  }
}
