// Creates the JSON Schema 2020-12 of the responses. A client that was generated today must accept the responses of a
// newer service. So objects allow unknown fields, and a field with listed values is a string with `x-enum-open` (R33 in
// docs/spec/readings.md). Only `ErrorCode` is a closed `enum`.

import { type Contract, resourcesOf, returnsList, rowShapeOf, typeName } from './contract.ts'
import { exampleOf } from './example.ts'
import type { Field, FieldType, JsonEntry, JsonMember, JsonShape } from './field.ts'
import { fieldNote, fieldSince, memberType, sentence } from './notes.ts'
import type { RowShape } from './resource.ts'

/** A JSON Schema or another object of an OpenAPI document. */
export type OpenApiObject = { readonly [name: string]: unknown }

/** Extension keywords in the schemas. A strict validator rejects them unless it gets this list. */
export const SCHEMA_EXTENSIONS = ['x-since', 'x-enum-open', 'x-enum-varnames', 'x-enum-descriptions'] as const

const MONEY = '^-?\\d+\\.\\d{2}$'
const DECIMAL = '^-?\\d+(\\.\\d+)?$'
const TIMESTAMP = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$'

/** Returns every schema of the contract by component name. */
export function schemasOf(contract: Contract): Record<string, OpenApiObject> {
  // A resource whose rows can be read by ID also has a list.
  const lists = new Set(contract.endpoints.filter(({ response }) => response.kind !== 'only').map(rowShapeOf))
  const single = contract.endpoints.filter((endpoint) => !returnsList(endpoint)).map(rowShapeOf)
  return {
    ...Object.fromEntries(resourcesOf(contract).map((each) => [typeName(each), resourceSchema(each)])),
    ...Object.fromEntries(single.map((each) => [responseName(each), rowResponseSchema(each)])),
    ...Object.fromEntries([...lists].map((each) => [listName(each), listSchema(each)])),
    ...Object.fromEntries(resourcesOf(contract).flatMap(entrySchemas)),
    ListMeta: LIST_META,
    JsonValue: JSON_VALUE,
    // No schema is named `Error`, because generated code would then replace the class of the language.
    ErrorResponse: ERROR_RESPONSE,
    ErrorDetail: ERROR_DETAIL,
    ErrorCode: errorCodeSchema(contract),
  }
}

/** Returns the component name of a list response with rows of this shape. */
export function listName(resource: RowShape): string {
  return `${typeName(resource)}List`
}

/** Returns the component name of a response with one row of this shape. */
export function responseName(resource: RowShape): string {
  return `${typeName(resource)}Response`
}

/** Returns a reference to the schema with this component name. */
export function schemaRef(name: string): OpenApiObject {
  return { $ref: `#/components/schemas/${name}` }
}

/** Returns the schema of an object in which all `properties` are required. */
export function requiredProperties(properties: Readonly<Record<string, OpenApiObject>>): OpenApiObject {
  return { type: 'object', required: Object.keys(properties), properties }
}

function resourceSchema(resource: RowShape): OpenApiObject {
  const fields = Object.entries(resource.fields).map(([name, field]) => [name, fieldSchema(resource, field)])
  return {
    title: resource.name,
    description: sentence(resource.note),
    'x-since': resource.since,
    ...requiredProperties(Object.fromEntries(fields)),
    examples: [exampleOf(resource)],
  }
}

function fieldSchema(resource: RowShape, field: Field): OpenApiObject {
  const { type, ...rest } = typeSchema(field.type)
  const types = field.nullable ? [type, 'null'] : type
  return { type: types, description: fieldNote(field), 'x-since': fieldSince(resource, field), ...rest }
}

/** Returns the schema of a type without null. Its `type` is one name, so that `fieldSchema` can add null. */
function typeSchema(type: FieldType): OpenApiObject & { readonly type: string } {
  switch (type.kind) {
    case 'uuid':
      return { type: 'string', format: 'uuid' }
    case 'text':
      return { type: 'string' }
    case 'integer':
      return { type: 'integer', format: 'int32' }
    case 'boolean':
      return { type: 'boolean' }
    case 'money':
      return { type: 'string', pattern: MONEY, examples: ['129.90'] }
    case 'decimal':
      return { type: 'string', pattern: DECIMAL, examples: ['48.208174'] }
    case 'timestamp':
      return { type: 'string', format: 'date-time', pattern: TIMESTAMP }
    case 'oneOf':
      return { type: 'string', examples: type.values, 'x-enum-open': type.values }
    case 'texts':
      return { type: 'array', items: { type: 'string' } }
    case 'json':
      return shapeSchema(type.shape)
    case 'many':
      return { type: 'array', items: schemaRef(typeName(type.resource)) }
    case 'counts':
      // `type` is repeated, because the result of `requiredProperties` does not tell TypeScript that it is a string.
      return { ...requiredProperties(Object.fromEntries(type.tables.map((table) => [table, COUNT]))), type: 'object' }
  }
}

const COUNT: OpenApiObject = { type: 'integer', minimum: 0 }

function shapeSchema(shape: JsonShape): OpenApiObject & { readonly type: string } {
  if ('entries' in shape || 'valuesOf' in shape) {
    const entry = shape.entryName === undefined ? entrySchema(shape) : schemaRef(shape.entryName)
    return shape.outer === 'array' ? { type: 'array', items: entry } : { type: 'object', additionalProperties: entry }
  }
  const members = shape.keys.map((key) => [key, { type: ['string', 'null'] }] as const)
  return { ...requiredProperties(Object.fromEntries(members)), type: 'object' }
}

/** Returns the schemas of the entries that have a name. */
function entrySchemas({ fields }: RowShape): [string, OpenApiObject][] {
  return Object.values(fields).flatMap(({ type }): [string, OpenApiObject][] => {
    if (type.kind !== 'json' || 'keys' in type.shape || type.shape.entryName === undefined) return []
    return [[type.shape.entryName, entrySchema(type.shape)]]
  })
}

function entrySchema(shape: Exclude<JsonShape, { keys: unknown }>): OpenApiObject {
  return shape.outer === 'array' ? elementSchema(shape.entries) : valueSchema(shape.valuesOf)
}

/**
 * Returns the schema of an array element. All members are required, because the specification names them. A stored
 * element can still lack one, because the API serves elements unchanged (R32 in docs/spec/readings.md).
 */
function elementSchema(entry: JsonEntry): OpenApiObject {
  if (entry === 'any') return schemaRef('JsonValue')
  return requiredProperties(mapMembers(entry, memberSchema))
}

/**
 * Returns the schema of a value in an object. Its members are optional: a translation without a member falls back to
 * the default language.
 */
function valueSchema(entry: JsonEntry): OpenApiObject {
  if (entry === 'any') return schemaRef('JsonValue')
  const optional = (member: JsonMember) => {
    const type = memberType(member)
    return type === null ? memberSchema(member) : { type: [type, 'null'] }
  }
  return { type: 'object', properties: mapMembers(entry, optional) }
}

function memberSchema(member: JsonMember): OpenApiObject {
  const type = memberType(member)
  return type === null ? schemaRef('JsonValue') : { type }
}

function mapMembers(
  members: Readonly<Record<string, JsonMember>>,
  schemaOf: (member: JsonMember) => OpenApiObject,
): Record<string, OpenApiObject> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, schemaOf(member)]))
}

const JSON_VALUE: OpenApiObject = {
  description: 'A JSON value as it is stored. It is usually a string.',
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'null' },
    // The schema is not recursive, because TypeScript rejects the code that generators write for a recursive one.
    { type: 'array', items: {} },
    { type: 'object', additionalProperties: true },
  ],
}

function rowResponseSchema(resource: RowShape): OpenApiObject {
  const description = `The response with one ${resource.name.toLowerCase()}.`
  return { description, ...requiredProperties({ data: schemaRef(typeName(resource)) }) }
}

function listSchema(resource: RowShape): OpenApiObject {
  const data = { type: 'array', items: schemaRef(typeName(resource)) }
  return { description: `A page of ${resource.plural}.`, ...requiredProperties({ data, meta: schemaRef('ListMeta') }) }
}

const LIST_META: OpenApiObject = {
  description: 'Whether more pages follow, and the cursor of the next page.',
  ...requiredProperties({
    next_cursor: {
      type: ['string', 'null'],
      description: 'Pass it unchanged as cursor to get the next page. null on the last page.',
    },
    has_more: { type: 'boolean', description: 'Whether more pages follow. The list ends only when this is false.' },
  }),
}

const ERROR_RESPONSE: OpenApiObject = {
  description: 'The body of every response that is not a success.',
  ...requiredProperties({ error: schemaRef('ErrorDetail') }),
}

const ERROR_DETAIL: OpenApiObject = {
  description: 'What went wrong, for programs and for people.',
  ...requiredProperties({
    code: schemaRef('ErrorCode'),
    message: {
      type: 'string',
      description:
        'A message for people. For a validation error, it names the parameter, the accepted values, and the value that the client sent.',
    },
  }),
}

/** Names each value for code generators, which would otherwise turn `INVALID_API_KEY` into `INVALIDAPIKEY`. */
function errorCodeSchema({ errors }: Contract): OpenApiObject {
  const codes = Object.keys(errors)
  return {
    type: 'string',
    description: 'The kind of error. It is stable and meant for programs.',
    enum: codes,
    'x-enum-varnames': codes.map(enumMemberName),
    'x-enum-descriptions': Object.values(errors).map(({ condition }) => condition),
  }
}

/** Returns the value as the name of an enum member: `INVALID_API_KEY` becomes `InvalidApiKey`. */
export function enumMemberName(value: string): string {
  return value
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
