// Reduces a resource to the fields that a table or a file shows, so that the service reads and encodes only these.

import type { Field, FieldType, Resource } from '@store-export/contract'

/**
 * Returns the resource with only the named fields, in this order and each once. `variants.inventory` names a field of
 * embedded rows. `variants` alone selects the IDs of embedded rows. Throws if the resource has no such field.
 */
export function selectFields(resource: Resource, names: readonly string[]): Resource {
  const tops = [...new Set(names.map((name) => name.split('.')[0] ?? ''))]
  const fields = tops.map((top): [string, Field] => {
    const field = fieldOf(resource, top)
    const below = names.filter((name) => name.startsWith(`${top}.`)).map((name) => name.slice(top.length + 1))
    return [top, field.type.kind === 'many' ? { ...field, type: selectEmbedded(field.type, below) } : field]
  })
  return withFields(resource, fields)
}

/**
 * Reduces embedded rows to the named fields, or to `id`. Adds the fields that join and order these rows, marked as
 * unserved: the service reads them, but doesn't return them.
 */
function selectEmbedded(type: Extract<FieldType, { kind: 'many' }>, names: readonly string[]): FieldType {
  const served = names.length === 0 ? ['id'] : names
  const unserved = ['id', type.parent, 'created_at'].filter((name) => !served.includes(name))
  const { resource } = type
  const fields: [string, Field][] = [
    ...served.map((name): [string, Field] => [name, fieldOf(resource, name)]),
    ...unserved.map((name): [string, Field] => [name, { ...fieldOf(resource, name), unserved: true }]),
  ]
  return { ...type, resource: withFields(resource, fields) }
}

/**
 * Returns the resource with another name in `list`. The service remembers page sizes by this name, and rows with fewer
 * fields allow larger pages.
 */
function withFields(resource: Resource, fields: readonly [string, Field][]): Resource {
  const list = `${resource.list}(${fields.map(([name]) => name).join(',')})`
  return { ...resource, list, fields: Object.fromEntries(fields) }
}

function fieldOf({ name: of, fields }: Resource, name: string): Field {
  const field = fields[name]
  if (field === undefined) throw new Error(`${of} has no field ${name}`)
  return field
}
