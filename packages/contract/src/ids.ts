// Defines ID lists. A client compares an ID list with its copy to find deleted rows. A full page has 10,000 IDs. Other
// lists have at most 250 rows per page, so reading an ID list takes 1/40 of the requests of a full sync.

import { timestamp, uuid } from './field.ts'
import type { Resource, RowShape } from './resource.ts'

/** The shape of a row in every list of IDs. */
export const idRow: RowShape = {
  name: 'Row ID',
  plural: 'IDs',
  note: 'The ID of a row, and the time of its last change.',
  since: 'launch',
  fields: {
    id: uuid('ID of the row'),
    updated_at: timestamp(
      'Time of the last change of the row. null if the resource does not have this field, or if the store is too old to have it',
    ).orNull(),
  },
}

/**
 * Returns the part of a resource that a list of IDs reads. The list is sorted by creation time, but does not return
 * this time. Throws if the resource has no ID or no creation time.
 */
export function idListOf(resource: Resource): Resource {
  // A resource without updated_at returns null, so that the rows of all ID lists have the same shape.
  const { id, updated_at: updatedAt = timestamp('Not stored').orNull(), created_at: createdAt } = resource.fields
  if (id === undefined || createdAt === undefined)
    throw new Error(`${resource.name} has no id or created_at to sort by`)
  const fields = { id, updated_at: updatedAt, created_at: { ...createdAt, unserved: true as const } }
  return { ...resource, list: `ids/${resource.table}`, fields }
}
