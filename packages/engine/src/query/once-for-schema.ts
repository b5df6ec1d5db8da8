// Parts of statements that a resource and a store's columns decide alone: written once, since to write one anew for every
// page took a twentieth of the service's processor time.

import type { Resource } from '@store-export/contract'
import type { PresentColumns } from './columns-present.ts'

/** Writes a part of a statement. */
export type WritePart = (resource: Resource, present: PresentColumns) => string

/** `write`, called once for each resource of a schema; what it wrote is kept as long as the schema is. */
export function onceForSchema(write: WritePart): WritePart {
  const written = new WeakMap<PresentColumns, Map<Resource, string>>()
  return (resource, present) => {
    const parts = written.get(present) ?? new Map<Resource, string>()
    written.set(present, parts)
    const text = parts.get(resource) ?? write(resource, present)
    parts.set(resource, text)
    return text
  }
}
