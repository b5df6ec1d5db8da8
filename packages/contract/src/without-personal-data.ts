// Derives the resources that a key without personal data reads (R40 in docs/spec/readings.md). They have the same
// fields, so that responses have the same keys.

import type { Field, PersonalRemainder } from './field.ts'
import type { Resource } from './resource.ts'

const derived = new WeakMap<Resource, Resource>()

/**
 * Returns the resource with `reducedTo` set on its personal fields, and on those of its embedded rows. Each call for a
 * resource returns the same object, because the engine caches parts of statements by resource object.
 */
export function withoutPersonalData(resource: Resource): Resource {
  const known = derived.get(resource)
  if (known !== undefined) return known
  const fields = Object.fromEntries(Object.entries(resource.fields).map(([name, field]) => [name, reduced(field)]))
  const made = { ...resource, fields }
  derived.set(resource, made)
  return made
}

function reduced(field: Field): Field {
  const { type } = field
  if (type.kind === 'many') return { ...field, type: { ...type, resource: withoutPersonalData(type.resource) } }
  const reducedTo = remainderOf(field)
  return reducedTo === null ? field : { ...field, reducedTo }
}

/**
 * Returns what a key without personal data gets from the field; null if the field is not personal. The string `null`
 * means the JSON value null. A required field gets a pseudonym instead.
 */
export function remainderOf({ personal, nullable }: Field): PersonalRemainder | null {
  if (personal === undefined) return null
  return personal === 'null' && !nullable ? 'pseudonym' : personal
}
