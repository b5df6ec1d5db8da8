// Generates the reference in docs/, the pages of the error codes, and tables for other documents from the contract. So
// no table is written by hand.

import {
  type Contract,
  contractWith,
  errorsOf,
  isPaginated,
  latestRevisionOf,
  resourcesOf,
  rowShapeOf,
} from './contract.ts'
import type { Endpoint } from './endpoints.ts'
import { type ErrorDeclaration, errorStatusesOf, errorsByStatus, retryRules } from './errors.ts'
import { code, fieldType } from './field-type.ts'
import { RESPONSE_HEADERS } from './headers.ts'
import { LIMITS } from './limits.ts'
import { endpointNote, fieldNote, fieldSince, OFFSET_NOTE, parameterNote, sentence } from './notes.ts'
import { PARAMETERS, type ParameterName } from './parameters.ts'
import type { RowShape } from './resource.ts'
import { TIMESTAMP_RULE } from './timestamp.ts'

/** Returns a Markdown table of the fields of a resource: name, type, note, and first schema version. */
export function fieldTable(resource: RowShape): string {
  const rows = Object.entries(resource.fields).map(([name, field]) => [
    code(name),
    fieldType(field),
    fieldNote(field),
    fieldSince(resource, field),
  ])
  return table(['Field', 'Type', 'Notes', 'Since'], rows)
}

/** Returns a Markdown table of the endpoints. Its error column omits the errors that every endpoint can return. */
export function endpointTable(parts: Partial<Contract> = {}): string {
  const contract = contractWith(parts)
  const common = commonErrors(contract)
  const rows = contract.endpoints.map((endpoint) => [
    code(`GET ${endpoint.path}`),
    returnsOf(endpoint),
    list(endpoint.parameters.map(code)),
    list(
      errorsOf(endpoint, contract)
        .filter((each) => !common.includes(each))
        .map(errorLink),
    ),
    endpoint.since,
  ])
  return table(['Endpoint', 'Returns', 'Query parameters', 'Further errors', 'Since'], rows)
}

/** Returns the error codes that every endpoint can return. */
export function commonErrors({ errors }: Contract): string[] {
  return Object.keys(errors).filter((code) => errors[code]?.returnedBy === 'every')
}

/**
 * Returns a Markdown table of the query parameters: what each accepts, which endpoints have it, and its description.
 */
export function parameterTable(parts: Partial<Contract> = {}): string {
  const { endpoints } = contractWith(parts)
  const names = new Set(endpoints.flatMap(({ parameters }) => parameters))
  const rows = [...names].map((name) => {
    const users = endpoints.filter(({ parameters }) => parameters.includes(name))
    return [code(name), parameterType(name, users), list(users.map(({ path }) => code(path))), longestNote(name, users)]
  })
  return table(['Parameter', 'Accepts', 'Endpoints', 'Description'], rows)
}

/** Returns a Markdown table of the error codes, sorted by status, with links to their pages. */
export function errorTable(parts: Partial<Contract> = {}): string {
  const rows = errorsByStatus(contractWith(parts).errors).map(({ status, code, condition, retry }) => [
    String(status),
    errorLink(code),
    condition,
    retry,
  ])
  return table(['Status', 'Code', 'What happened', 'Retry'], rows)
}

/** Returns the Markdown page about the error code `name`. */
export function errorPage(name: string, error: ErrorDeclaration): string {
  const { condition, fix, mistakes } = error
  const statuses = errorStatusesOf(error)
  return lines(
    `# ${name}`,
    `The service returns this error with HTTP status ${alternatives(statuses.map(({ status }) => String(status)))}.`,
    '## What happened',
    ...(statuses.length === 1
      ? [wrapped(condition)]
      : statuses.map((each) => wrapped(`With status ${each.status}: ${each.condition}`))),
    '## How to fix it',
    wrapped(fix),
    wrapped(`**Retry?** ${retryRules(error)}`),
    '## Common mistakes',
    mistakes.map((each) => wrapped(`- ${each}`, '  ')).join('\n'),
    'See also [when to retry](../rate-limits-and-retries.md#when-to-retry), and [all error codes](index.md).',
  )
}

/** Returns a Markdown table of the limits in `LIMITS`. */
export function limitTable(): string {
  const rowsPerMinute = (LIMITS.requestsPerMinute * LIMITS.pageRowsMax).toLocaleString('en')
  return table(
    ['Limit', 'Value'],
    [
      [
        'Requests',
        `${LIMITS.requestsPerMinute} per key and minute by default. Further requests in the minute return ${errorLink('RATE_LIMITED')}. The header \`ratelimit-policy\` has the limit of your service`,
      ],
      ['Rows per page', `${LIMITS.pageRowsMin} to ${LIMITS.pageRowsMax}; ${LIMITS.pageRowsDefault} by default`],
      ['IDs per page', LIMITS.pageRowsOfIds.toLocaleString('en')],
      [
        'Rows per minute',
        `up to ${rowsPerMinute} per key, in ${LIMITS.requestsPerMinute} pages of ${LIMITS.pageRowsMax} rows`,
      ],
      ['Active keys per store', `${LIMITS.activeKeysPerStore}, including keys that are turned off`],
    ],
  )
}

/** Returns a Markdown table of the schema versions, oldest first. */
export function revisionTable(parts: Partial<Contract> = {}): string {
  const rows = contractWith(parts).revisions.map(({ id, date, summary }) => [id, date, summary])
  return table(['Version', 'Date', 'Changes'], rows)
}

/** Returns a Markdown table of the documented response headers. */
export function headerTable(): string {
  const rows = Object.entries(RESPONSE_HEADERS).map(([name, { note, example, on }]) => [
    code(name),
    on === 'some responses' ? note : `${sentence(note)} Sent with ${on}.`,
    code(String(example)),
  ])
  return table(['Header', 'Description', 'Example'], rows)
}

/** A request to a demo store, and its response. */
export interface LiveExample {
  /** Path with the query, such as `/api/v1/orders?limit=1`. */
  readonly path: string
  readonly status: number
  /** The parsed body of the response. */
  readonly body: unknown
}

/** Returns the Markdown page of the reference. `examples` has live examples by endpoint ID; others have no example. */
export function referencePage(
  parts: Partial<Contract> = {},
  examples: Readonly<Record<string, LiveExample>> = {},
): string {
  const contract = contractWith(parts)
  const common = commonErrors(contract).map(errorLink)
  return lines(
    '# Reference',
    wrapped(
      `This page is for integrators. It lists every endpoint, parameter, field, error, and response header of the API at schema version ${latestRevisionOf(contract)}.`,
    ),
    [
      '**Address.** The paths below follow the address of the service, such as `https://export.example.com`. The examples use the variable `BASE_URL` for it.',
      '**Authentication.** Send your API key in the header `x-api-key` with every request. The examples use the variable `STORE_EXPORT_KEY` for it. [Authentication](../authentication.md) shows how to set both variables.',
      '**Requests.** Every path accepts GET and HEAD, and returns JSON.',
      '**Lists.** [Pagination](../pagination.md) explains `limit`, `cursor`, and `meta`. [Incremental sync](../incremental-sync.md) explains the parameters that are times.',
      '**OpenAPI.** [openapi.json](../openapi.json) has the same content as this page, for programs.',
    ]
      .map((each) => wrapped(`- ${each}`, '  '))
      .join('\n'),
    '## Endpoints',
    wrapped(
      '"Since" is the first [schema version](../versions.md#schema-versions-of-stores) of stores that have the data. On older stores, the list is empty.',
    ),
    wrapped(
      `Every endpoint can return ${common.slice(0, -1).join(', ')}, and ${common.at(-1)}. "Further errors" lists the other errors that a well-formed GET or HEAD request can get.`,
    ),
    endpointTable(contract),
    '## Query parameters',
    parameterTable(contract),
    wrapped(
      'The service rejects a parameter that is empty or that you send twice. It ignores a parameter that the endpoint does not have, and names it in the header `x-ignored-params`.',
    ),
    wrapped(`A time must be ${TIMESTAMP_RULE}. In a URL, write the + of an offset as %2B. ${OFFSET_NOTE}.`),
    '## Examples',
    wrapped(
      'Each example is a request to a demo store, with the response. The lists have `limit=1`, so that the examples are short.',
    ),
    ...contract.endpoints.flatMap((endpoint) => endpointSection(endpoint, examples[endpoint.id])),
    '## Resources',
    wrapped('Every row has all fields of its resource. These types are strings in JSON:'),
    [
      '**uuid**, such as `fc61ff23-0ba8-44e4-8aa0-b8dbc26e5f58`',
      '**timestamp**, in UTC with milliseconds, such as `2026-07-01T09:30:00.000Z`',
      '**decimal string**, with two decimals, such as `"23.82"`; coordinates have all stored digits',
    ]
      .map((each) => `- ${each}`)
      .join('\n'),
    wrapped(
      'Some notes say what [keys without personal data](../authentication.md#without-personal-data) get instead of the value. "Since" is the first schema version that has the field.',
    ),
    ...resourcesOf(contract).flatMap((each) => [`### ${each.name}`, wrapped(sentence(each.note)), fieldTable(each)]),
    '## Errors',
    wrapped(
      'The body of every error is `{"error": {"code": "...", "message": "..."}}`. Let your program read the code, which is stable. The message is for people.',
    ),
    errorTable(contract),
    '## Response headers',
    headerTable(),
    '## Limits',
    limitTable(),
    '## Schema versions',
    revisionTable(contract),
  )
}

function endpointSection(endpoint: Endpoint, example: LiveExample | undefined): string[] {
  const section = [`### GET ${endpoint.path}`, wrapped(endpointNote(endpoint))]
  if (example === undefined) return section
  const request = `\`\`\`sh\ncurl -H "x-api-key: $STORE_EXPORT_KEY" "$BASE_URL${example.path}"\n\`\`\``
  const body = `\`\`\`json\n${JSON.stringify(example.body, null, 2)}\n\`\`\``
  return [...section, request, `Status ${example.status}:`, body]
}

function returnsOf(endpoint: Endpoint): string {
  const { response, resource } = endpoint
  if (isPaginated(response)) return `page of ${rowShapeOf(endpoint).name}`
  return response.kind === 'allOf' ? `all rows of ${resource.name}` : `one ${resource.name}`
}

/** Returns the longest note, because a restriction of one endpoint makes its note longer. */
function longestNote(name: ParameterName, users: readonly Endpoint[]): string {
  const notes = users.map(({ resource }) => parameterNote(name, resource, 'in a table'))
  return notes.reduce((longest, note) => (note.length > longest.length ? note : longest), '')
}

/**
 * Returns what a parameter accepts. Listed values differ between endpoints, so they have the path of the endpoint.
 * Other schemas are the same for all endpoints, so the first one counts.
 */
function parameterType(name: ParameterName, users: readonly Endpoint[]): string {
  const schemas = users.map(({ resource }): Readonly<Record<string, unknown>> => PARAMETERS[name].schema(resource))
  const values = users.flatMap(({ path }, index) => {
    const accepted = schemas[index]?.enum
    return Array.isArray(accepted) ? [`${code(path)}: ${accepted.map((each) => code(String(each))).join(', ')}`] : []
  })
  if (values.length > 0) return values.join('; ')
  const schema = schemas[0] ?? {}
  const options = Array.isArray(schema.anyOf)
    ? (schema.anyOf as readonly Readonly<Record<string, unknown>>[])
    : [schema]
  return options.map(schemaText).join(', or ')
}

/** Returns a constant, a format, or a type. A schema with a minimum also has a maximum and a default. */
function schemaText(schema: Readonly<Record<string, unknown>>): string {
  const { const: value, type, format, minimum, maximum, default: usual } = schema
  if (value !== undefined) return code(String(value))
  const range = minimum === undefined ? '' : `, ${minimum} to ${maximum}; ${usual} by default`
  return `${format ?? type}${range}`
}

function errorLink(name: string): string {
  return `[${name}](../errors/${name}.md)`
}

/** Returns the items as `400`, `404 or 405`, or `400, 408, or 431`. */
function alternatives(items: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(items)
}

function list(items: readonly string[]): string {
  return items.length === 0 ? 'none' : items.join(', ')
}

/**
 * Breaks a paragraph into lines of at most 100 characters, unless a word is longer. The lines after the first begin
 * with `indent`.
 */
function wrapped(paragraph: string, indent = ''): string {
  return paragraph.split(' ').reduce((text, word) => {
    const isFull = text.length - (text.lastIndexOf('\n') + 1) + 1 + word.length > 100
    return isFull ? `${text}\n${indent}${word}` : `${text} ${word}`
  })
}

/** Joins paragraphs with empty lines, and adds a line break at the end. */
function lines(...paragraphs: readonly string[]): string {
  return `${paragraphs.join('\n\n')}\n`
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
}
