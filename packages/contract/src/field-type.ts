// Writes the types of fields as words, for the tables in docs/ and `/llms.txt`.

import type { Field, FieldType, JsonEntry, JsonShape } from './field.ts'
import { memberType } from './notes.ts'

/** Returns the JSON type of a field in words, as Markdown, such as `decimal string or null`. */
export function fieldType({ type, nullable }: Field): string {
  return `${kindOf(type)}${nullable ? ' or null' : ''}`
}

function kindOf(type: FieldType): string {
  switch (type.kind) {
    case 'text':
    case 'oneOf':
      return 'string'
    case 'money':
      return 'decimal string'
    case 'decimal':
      // Money always has two decimals. A `decimal` has as many as the stored value.
      return 'decimal string (stored digits)'
    case 'texts':
      return 'string[]'
    case 'many':
      return `array of ${type.resource.name}`
    case 'counts':
      return `object (${type.tables.map(code).join(', ')})`
    case 'json':
      return shapeOf(type.shape)
    // The names of the other kinds are also the words, such as `integer` and `timestamp`.
    default:
      return type.kind
  }
}

/** Returns the type of stored JSON: `array of` or `object of` an entry, `object` with its keys, or `object` alone. */
function shapeOf(shape: JsonShape): string {
  if (shape.outer === 'array') return `array of ${entryOf(shape.entries)}`
  if ('keys' in shape) return `object (${shape.keys.map(code).join(', ')})`
  return shape.valuesOf === 'any' ? 'object' : `object of ${entryOf(shape.valuesOf)}`
}

/** Returns the members of an entry as code, such as `{id: string, price: any}`; `any` if every value is allowed. */
function entryOf(entry: JsonEntry): string {
  if (entry === 'any') return 'any'
  const members = Object.entries(entry).map(([name, member]) => `${name}: ${memberType(member) ?? 'any'}`)
  return code(`{${members.join(', ')}}`)
}

/** Returns the text as code in Markdown. */
export function code(text: string): string {
  return `\`${text}\``
}
