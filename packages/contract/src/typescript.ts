// Generates the client's types from the contract: an interface for each resource, with the notes of its fields as doc
// comments, and shared types such as `Decimal`, `Page`, and `ErrorCode`.

import { type Contract, contractWith, latestRevisionOf, resourcesOf, typeName } from './contract.ts'
import type { Field, FieldType, JsonEntry, JsonMember, JsonShape } from './field.ts'
import { fieldNote, memberType, sentence } from './notes.ts'
import type { RowShape } from './resource.ts'

const HEAD = '// Generated from the contract. Do not edit: change the contract and run `npm run generate`.'

/**
 * Returns the source code of the types, which compiles under `strict` without other files. `parts` replaces parts of
 * the declared contract; only tests pass it.
 */
export function typescriptTypes(parts: Partial<Contract> = {}): string {
  const contract = contractWith(parts)
  const resources = resourcesOf(contract)
  return `${[
    HEAD,
    comment('', `Types of the store data export, schema version ${latestRevisionOf(contract)}.`),
    '',
    shared(contract),
    ...resources.map((resource) => `\n${interfaceOf(resource)}`),
  ].join('\n')}\n`
}

function shared({ errors }: Contract): string {
  return [
    comment('', 'Decimal string, for example `129.90`. Do not parse it as a float.'),
    'export type Decimal = string',
    '',
    comment('', 'Timestamp in UTC with milliseconds, for example `2026-10-04T08:21:37.412Z`.'),
    'export type Timestamp = string',
    '',
    comment('', 'UUID in lower case.'),
    'export type Uuid = string',
    '',
    comment('', 'A response with one object.'),
    'export interface Detail<Row> {\n  data: Row\n}',
    '',
    comment('', 'A page of a list. `next_cursor` is null on the last page.'),
    'export interface Page<Row> {\n  data: Row[]\n  meta: { next_cursor: string | null; has_more: boolean }\n}',
    '',
    comment('', 'Code of an error. More codes can be added.'),
    `export type ErrorCode = ${openUnion(Object.keys(errors))}`,
    '',
    comment('', 'The body of a response that is not a success.'),
    'export interface ErrorResponse {\n  error: { code: ErrorCode; message: string }\n}',
    '',
    comment('', 'A JSON value as it is stored. It is usually a string.'),
    'export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }',
  ].join('\n')
}

function interfaceOf(resource: RowShape): string {
  const fields = Object.entries(resource.fields).map(([name, field]) => fieldLines(name, field))
  return `${comment('', sentence(resource.note))}\nexport interface ${typeName(resource)} {\n${fields.join('\n')}\n}`
}

function fieldLines(name: string, field: Field): string {
  return `${comment('  ', fieldNote(field))}\n  ${property(name)}: ${typeOf(field.type)}${field.nullable ? ' | null' : ''}`
}

function typeOf(type: FieldType): string {
  switch (type.kind) {
    case 'uuid':
      return 'Uuid'
    case 'text':
      return 'string'
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'money':
    case 'decimal':
      return 'Decimal'
    case 'timestamp':
      return 'Timestamp'
    case 'oneOf':
      return openUnion(type.values)
    case 'texts':
      return 'string[]'
    case 'json':
      return shapeType(type.shape)
    case 'many':
      return `${typeName(type.resource)}[]`
    case 'counts':
      return inBraces(type.tables.map((table) => `${property(table)}: number`))
  }
}

function shapeType(shape: JsonShape): string {
  if (shape.outer === 'array') return `Array<${entryType(shape.entries, memberOf)}>`
  if ('valuesOf' in shape) return `Record<string, ${entryType(shape.valuesOf, optionalMemberOf)}>`
  return inBraces(shape.keys.map((key) => `${property(key)}: string | null`))
}

function entryType(entry: JsonEntry, typed: (member: JsonMember) => string): string {
  if (entry === 'any') return 'JsonValue'
  return inBraces(Object.entries(entry).map(([name, member]) => `${property(name)}${typed(member)}`))
}

/**
 * Returns what follows the name of a member: a colon and its type. All members are required, because the specification
 * names them. A stored element can still lack one, because the API serves elements unchanged (R32 in
 * docs/spec/readings.md).
 */
function memberOf(member: JsonMember): string {
  const type = memberType(member)
  return `: ${type === null ? 'JsonValue' : type === 'integer' ? 'number' : type}`
}

/** Like `memberOf`, for an optional member: a translation without a member falls back to the default language. */
function optionalMemberOf(member: JsonMember): string {
  return `?${memberOf(member)}${memberType(member) === null ? '' : ' | null'}`
}

/**
 * Returns a union that an editor completes. It accepts other strings, because responses can have values that the
 * contract does not list (R33 in docs/spec/readings.md). With plain `string`, TypeScript would reduce the union to
 * `string`, for which editors suggest no values.
 */
function openUnion(values: readonly string[]): string {
  return [...values.map(quote), '(string & {})'].join(' | ')
}

function inBraces(members: readonly string[]): string {
  return `{ ${members.join('; ')} }`
}

function property(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`
}

/** Returns a doc comment of one line. Escapes the end of a comment in `text`. */
function comment(indent: string, text: string): string {
  return `${indent}/** ${text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */`
}
