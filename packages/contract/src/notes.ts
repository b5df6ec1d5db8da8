// Sentences for readers that follow from a declaration: one wording for OpenAPI, types and tables.

import { returnsList, rowShapeOf } from './contract.ts'
import type { Endpoint } from './endpoints.ts'
import type { Field, JsonMember } from './field.ts'
import { PARAMETERS, type Parameter, type ParameterName } from './parameters.ts'
import type { Resource, RowShape } from './resource.ts'
import { TIMESTAMP_RULE } from './timestamp.ts'

/** What the name stands for, when it is null, and since when it is there: whole sentences. */
export function fieldNote(field: Field): string {
  const { type, note, nullWhen, since } = field
  const listed = type.kind === 'oneOf' && type.others === undefined
  const open = listed ? [`One of ${codes(type.values)}; more can be added`] : []
  const nulls = nullWhen === undefined ? [] : [`null where ${nullWhen.field} is ${nullWhen.value}`]
  const older = since === 'launch' ? [] : [`null on stores older than ${since}`]
  return [note, ...open, ...nulls, ...older].map(sentence).join(' ')
}

/** First revision whose stores have the field: that of its table, where it came with it. */
export function fieldSince(resource: RowShape, field: Field): string {
  return field.since === 'launch' ? resource.since : field.since
}

/** What the endpoint answers, in whole sentences; what a row is stands with its resource. */
export function endpointNote(endpoint: Endpoint): string {
  const { note, response, since } = endpoint
  const whole = response.kind === 'allOf' ? ['Not paginated: has_more is false and next_cursor null, always'] : []
  const older = since !== 'launch' && returnsList(endpoint) ? [`An empty list on stores older than ${since}`] : []
  const row = rowShapeOf(endpoint).note
  return [note, ...(note === row ? [] : [row]), ...whole, ...older].map(sentence).join(' ')
}

/** The short name of what the endpoint does: `List orders`. */
export function endpointTitle({ response, resource }: Endpoint): string {
  const one = resource.name.toLowerCase()
  if (response.kind === 'only') return `Get the ${one}`
  if (response.kind === 'one') return `Get one ${one}`
  if (response.kind === 'page') return `List ${resource.plural}`
  if (response.kind === 'ids') return `List ids of ${resource.plural}`
  return `List the ${resource.plural} of one ${response.parent.name.toLowerCase()}`
}

/** The group the endpoint is listed under: `Customer addresses`. */
export function endpointGroup({ response, resource }: Endpoint): string {
  const words = response.kind === 'only' ? resource.name : resource.plural
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * The rule of a parameter in whole sentences: of a datetime also why its offset is asked for (R12), and on which
 * stores it is refused because `resource` lacks the field it filters by (R1).
 * `in code` leaves out how to write it in a URL.
 */
export function parameterNote(
  name: ParameterName,
  resource: Resource,
  place: 'in a URL' | 'in code' = 'in a URL',
): string {
  const { note, filter }: Parameter = PARAMETERS[name]
  if (filter?.operator !== '>=') return sentence(note)
  const since = resource.fields[filter.field]?.since ?? 'launch'
  const older = since === 'launch' ? [] : [untrackedUpdatesNote(resource, since)]
  const written = place === 'in a URL' ? ['Write + of an offset as %2B'] : []
  return [note, `Must be ${TIMESTAMP_RULE}`, ...written, OFFSET_NOTE, ...older].map(sentence).join(' ')
}

/** Where a filter by a newer field is refused. */
function untrackedUpdatesNote({ plural }: Resource, since: string): string {
  return `On ${plural} refused with INVALID_PARAM by stores older than ${since}, which do not track their updates`
}

const OFFSET_NOTE = 'Refused without an offset: a local time read as UTC would skip rows in silence'

/** What a member of stored JSON usually is, in the words of JSON Schema; null where it can be anything. */
export function memberType(member: JsonMember): 'string' | 'integer' | 'number' | 'boolean' | null {
  if (member === 'any') return null
  return member === 'text' ? 'string' : member
}

/** `text` with a full stop. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function codes(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(', ')
}
