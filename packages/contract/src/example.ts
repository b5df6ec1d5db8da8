// Creates an example of every resource for the documentation. A field without a value in example-values.ts gets an
// example of its type, so a new field needs no value there.

import { EXAMPLE_VALUES } from './example-values.ts'
import type { FieldType, JsonEntry, JsonMember, JsonShape } from './field.ts'
import type { RowShape } from './resource.ts'

/** Returns an example row with every field. Each call returns the same values. */
export function exampleOf(resource: RowShape): Record<string, unknown> {
  const given: Readonly<Record<string, unknown>> = EXAMPLE_VALUES[resource.name] ?? {}
  const fields = Object.entries(resource.fields)
  return Object.fromEntries(fields.map(([name, { type }]) => [name, name in given ? given[name] : byKind(type)]))
}

/** Returns an example list response with one row. If the list is paginated, it has a made-up cursor. */
export function exampleListOf(resource: RowShape, paginated: boolean): Record<string, unknown> {
  const next = paginated ? 'AZXkq0c2mQv1n8r7JdWfK3sT5uYbE9hLxPzGaVo6iRw' : null
  return { data: [exampleOf(resource)], meta: { next_cursor: next, has_more: paginated } }
}

/** Returns an example of the type for a field without a value in example-values.ts. */
function byKind(type: FieldType): unknown {
  switch (type.kind) {
    case 'uuid':
      return '0199a7c4-3b52-7d10-a6e8-51c0f2b79d34'
    case 'text':
      return 'Text'
    case 'integer':
      return 3
    case 'boolean':
      return true
    case 'money':
      return '19.90'
    case 'decimal':
      return '48.208174'
    case 'timestamp':
      return '2026-10-04T08:21:37.412Z'
    case 'oneOf':
      return type.values[0] ?? 'value'
    case 'texts':
      return ['Text']
    case 'json':
      return byShape(type.shape)
    case 'many':
      return [exampleOf(type.resource)]
    case 'counts':
      return Object.fromEntries(type.tables.map((table, index) => [table, 40 * (index + 1)]))
  }
}

function byShape(shape: JsonShape): unknown {
  if (shape.outer === 'array') return [byEntry(shape.entries)]
  if ('keys' in shape) return Object.fromEntries(shape.keys.map((key) => [key, 'Text']))
  return { name: byEntry(shape.valuesOf) }
}

function byEntry(entry: JsonEntry): unknown {
  if (entry === 'any') return 'Text'
  return Object.fromEntries(Object.entries(entry).map(([name, member]) => [name, byMember(member)]))
}

function byMember(member: JsonMember): unknown {
  if (member === 'integer') return 3
  if (member === 'number') return 20
  return member === 'boolean' ? false : 'Text'
}
