// Writes the sentences about fields, endpoints, and parameters that follow from their declarations, such as when a
// field is null. OpenAPI, the client's doc comments, and the tables in docs/ share these sentences.

import { returnsList } from './contract.ts'
import type { Endpoint } from './endpoints.ts'
import type { Field, JsonMember, PersonalRemainder } from './field.ts'
import { NOW, PARAMETERS, type Parameter, type ParameterName } from './parameters.ts'
import type { Resource, RowShape } from './resource.ts'
import { TIMESTAMP_RULE } from './timestamp.ts'
import { remainderOf } from './without-personal-data.ts'

/**
 * Returns whole sentences: what the field holds, its values, when it is null, and what keys without personal data get.
 * A field with `others` has no list of its values here, because its note contains them.
 */
export function fieldNote(field: Field): string {
  const { type, note, nullWhen, since } = field
  const listed = type.kind === 'oneOf' && type.others === undefined
  const open = listed ? [`One of ${codes(type.values)}`, 'Later versions can add values'] : []
  const nulls = nullWhen === undefined ? [] : [`null if ${nullWhen.field} is ${nullWhen.value}`]
  const older = since === 'launch' ? [] : [`null on stores older than ${since}`]
  return [note, ...open, ...nulls, ...older, ...personalNote(field)].map(sentence).join(' ')
}

function personalNote(field: Field): string[] {
  const remainder = remainderOf(field)
  return remainder === null ? [] : [`Keys without personal data get ${REMAINDER_NOTES[remainder]}`]
}

const REMAINDER_NOTES: Readonly<Record<PersonalRemainder, string>> = {
  null: 'null',
  pseudonym: 'a pseudonym',
  region: 'only the country and the state',
}

/** Returns the first schema version whose stores have the field: its own, or that of its table. */
export function fieldSince(resource: RowShape, field: Field): string {
  return field.since === 'launch' ? resource.since : field.since
}

/**
 * Returns whole sentences about what the endpoint returns. `in code` omits the members of the response that the client
 * hides.
 */
export function endpointNote(endpoint: Endpoint, place: 'in a URL' | 'in code' = 'in a URL'): string {
  const { note, response, since } = endpoint
  const deletions = response.kind === 'ids' ? [DELETIONS_NOTE] : []
  const whole =
    response.kind === 'allOf' && place === 'in a URL'
      ? ['The list has only one page, so has_more is always false, and next_cursor is always null']
      : []
  const older =
    since !== 'launch' && returnsList(endpoint) ? [`Returns an empty list on stores older than ${since}`] : []
  return [note, ...deletions, ...whole, ...older].map(sentence).join(' ')
}

const DELETIONS_NOTE =
  'Use this list to find deleted rows: if you saved an ID before you read the list, and the list lacks it, the store has deleted the row'

/** Returns the title of the endpoint, such as `List orders`. */
export function endpointTitle({ response, resource }: Endpoint): string {
  const one = resource.name.toLowerCase()
  if (response.kind === 'only') return `Get the ${one}`
  if (response.kind === 'one') return `Get one ${one}`
  if (response.kind === 'page') return `List ${resource.plural}`
  if (response.kind === 'ids') return `List ${one} IDs`
  return `List the ${resource.plural} of one ${response.parent.name.toLowerCase()}`
}

/** Returns the heading of the endpoint's group in OpenAPI and Postman, such as `Customer addresses`. */
export function endpointGroup({ response, resource }: Endpoint): string {
  const words = response.kind === 'only' ? resource.name : resource.plural
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Returns the note of a parameter in whole sentences. For a datetime, they also say which values it accepts, and which
 * stores reject it (R12 and R1 in docs/spec/readings.md). `in code` is for the client, which accepts a `Date` and
 * encodes the URL. `in a table` omits the values, because the page of the table has one rule for all datetimes.
 */
export function parameterNote(
  name: ParameterName,
  resource: Resource,
  place: 'in a URL' | 'in code' | 'in a table' = 'in a URL',
): string {
  const { note, filter }: Parameter = PARAMETERS[name]
  if (filter === undefined || filter.operator === '=') return sentence(note)
  const since = resource.fields[filter.field]?.since ?? 'launch'
  const older = since === 'launch' ? [] : [untrackedUpdatesNote(resource, since)]
  const rule =
    filter.operator === '<'
      ? `\`${NOW}\`, or ${TIMESTAMP_RULE}`
      : place === 'in code'
        ? `or ${TIMESTAMP_RULE}`
        : TIMESTAMP_RULE
  const values = {
    'in a table': [],
    'in code': [`A \`Date\`, ${rule}`],
    'in a URL': [`Must be ${rule}`, 'In a URL, write the + of an offset as %2B', OFFSET_NOTE],
  }[place]
  return [note, ...values, ...older].map(sentence).join(' ')
}

function untrackedUpdatesNote({ plural }: Resource, since: string): string {
  return `Stores older than ${since} do not track updates of ${plural}. On these stores, the parameter returns INVALID_PARAM for ${plural}`
}

/** The reason why a datetime needs an offset, as a sentence for the documentation. */
export const OFFSET_NOTE =
  'The service rejects a datetime without an offset, because reading a local time as UTC could skip rows'

/** Returns the JSON Schema type of a member of stored JSON; null if it can have any type. */
export function memberType(member: JsonMember): 'string' | 'integer' | 'number' | 'boolean' | null {
  if (member === 'any') return null
  return member === 'text' ? 'string' : member
}

/** Returns `text` with a period at the end, unless it ends with a period, an exclamation mark, or a question mark. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function codes(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(', ')
}
