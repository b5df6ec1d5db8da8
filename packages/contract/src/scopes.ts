// Names the scopes of API keys. Each resource with an endpoint has one scope, such as `customer-addresses:read`, which
// includes embedded rows and the list of IDs. The store has no scope: every key may read it, so that a tool can test
// its connection.

import { ENDPOINTS } from './endpoints.ts'
import type { Resource } from './resource.ts'
import { store } from './resources/store.ts'

/** A permission to read a resource, such as `orders:read`. */
export type Scope = `${string}:read`

/** Returns the scope that a request for the resource needs; null for the store, which needs none. */
export function scopeOf({ table }: Pick<Resource, 'table'>): Scope | null {
  return table === store.table ? null : `${table.replaceAll('_', '-')}:read`
}

/** Every scope, in the order of the endpoints. */
export const SCOPES: readonly Scope[] = [
  ...new Set(ENDPOINTS.map(({ resource }) => scopeOf(resource)).filter((scope) => scope !== null)),
]
