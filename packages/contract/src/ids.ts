// Ids without their rows: a client that holds a copy finds what was deleted by them, for a fortieth of the requests that
// the rows would cost.

import { timestamp, uuid } from './field.ts'
import type { Resource, RowShape } from './resource.ts'

/** A row of every list of ids. */
export const idRow: RowShape = {
  name: 'Row id',
  plural: 'ids',
  note: 'A row by its id and last change alone. What a copy held before a walk of the ids began, and the walk does not bring, was deleted.',
  since: 'launch',
  fields: {
    id: uuid('Id of the row'),
    updated_at: timestamp(
      'Last change of the row; null where its resource or an older store has no such field',
    ).orNull(),
  },
}

/** The part of a resource that a list of its ids reads: no children, and its creation for order and cursor alone. */
export function idListOf(resource: Resource): Resource {
  const { id, updated_at: updatedAt = timestamp('Not stored').orNull(), created_at: createdAt } = resource.fields
  if (id === undefined || createdAt === undefined) throw new Error(`${resource.name} has no place in a list`)
  const fields = { id, updated_at: updatedAt, created_at: { ...createdAt, unserved: true as const } }
  return { ...resource, list: `ids/${resource.table}`, fields }
}
