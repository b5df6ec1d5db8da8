// Translates JSON Schemas of OpenAPI 3.1 for older versions, which have no list of types and no `null` type.

import type { OpenApiObject } from './openapi-schema.ts'

/**
 * The member with which a version of OpenAPI marks a schema that allows null: `nullable` in 3.0, `x-nullable` in 2.0.
 */
export type NullKeyword = 'nullable' | 'x-nullable'

/** Keywords that mean the same in every version. */
const SHARED_KEYWORDS = new Set(
  'title description format pattern enum default minimum maximum required $ref'.split(' '),
)
/** Every type of JSON values, sorted. */
const JSON_TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string']

/**
 * Returns the schema for an older version of OpenAPI, in which `type` is one name, with the first of its examples.
 * Throws if the version can't express the schema, so that no constraint is lost silently. Only a union of strings loses
 * its constraints: it becomes `string`.
 */
export function downgradedSchema(schema: OpenApiObject, keyword: NullKeyword): OpenApiObject {
  const nested = (value: unknown) => downgradedSchema(objectOf(value), keyword)
  const members = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (SHARED_KEYWORDS.has(name) || name.startsWith('x-')) return [[name, value]]
    switch (name) {
      case 'type':
        return typeMembers(value, keyword)
      case 'examples':
        return [['example', Array.isArray(value) ? value[0] : undefined]]
      case 'items':
        return [[name, nested(value)]]
      case 'properties':
        return [[name, mapMembers(value, nested)]]
      case 'additionalProperties':
        return [[name, typeof value === 'boolean' ? value : nested(value)]]
      case 'anyOf':
        // A schema without a type allows every value, null included.
        if (allowsEveryValue(value)) return []
        // Most generators write no usable type for a union of an enumeration and a string.
        if (allowsOnlyStrings(value)) return [['type', 'string']]
    }
    throw new Error(`OpenAPI before 3.1 cannot express ${name}: ${JSON.stringify(value)}`)
  })
  return Object.fromEntries(members)
}

/** Returns the members for a type, or for a type or null: `['string', 'null']`. Throws for other types. */
function typeMembers(type: unknown, keyword: NullKeyword): [string, unknown][] {
  if (typeof type === 'string' && type !== 'null') return [['type', type]]
  if (Array.isArray(type) && type.length === 2 && type[1] === 'null')
    return [
      ['type', type[0]],
      [keyword, true],
    ]
  throw new Error(`OpenAPI before 3.1 cannot express the type ${JSON.stringify(type)}`)
}

function allowsEveryValue(alternatives: unknown): boolean {
  return JSON.stringify(typesIn(alternatives).sort()) === JSON.stringify(JSON_TYPES)
}

function allowsOnlyStrings(alternatives: unknown): boolean {
  return typesIn(alternatives).every((type) => type === 'string')
}

function typesIn(alternatives: unknown): unknown[] {
  return Array.isArray(alternatives) ? alternatives.map((each) => objectOf(each).type) : []
}

/** Returns the object with each member changed. Throws if `value` is not an object. */
export function mapMembers(value: unknown, change: (member: unknown) => unknown): OpenApiObject {
  return Object.fromEntries(Object.entries(objectOf(value)).map(([name, member]) => [name, change(member)]))
}

/** Returns a shallow copy of `value`. Throws if `value` is not an object. */
export function objectOf(value: unknown): OpenApiObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new Error(`not an object: ${JSON.stringify(value)}`)
}
