// Renders the contract as the OpenAPI 3.1 document, from which clients are generated and which `/docs` shows. The 3.0
// and 2.0 documents are derived from it.

import { type Contract, contractWith, isPaginated, latestRevisionOf } from './contract.ts'
import type { Endpoint } from './endpoints.ts'
import { exampleOf } from './example.ts'
import { LIMITS } from './limits.ts'
import { endpointGroup, endpointNote, endpointTitle, parameterNote } from './notes.ts'
import { PAGINATION, retriesOf } from './openapi-extensions.ts'
import { headersOf, responsesOf, sharedResponses } from './openapi-responses.ts'
import { enumMemberName, type OpenApiObject, schemasOf } from './openapi-schema.ts'
import { PARAMETERS, type Parameter, type ParameterName } from './parameters.ts'

/** The contract to describe, and the server address. Missing parts come from the declared contract. */
export interface OpenApiOptions extends Partial<Contract> {
  /** Address of the service without a trailing slash; defaults to `EXAMPLE_BASE_URL`. */
  readonly baseUrl?: string
}

/** The server address in documents that belong to no particular service, such as the files in `docs/api`. */
export const EXAMPLE_BASE_URL = 'https://export.example'

/**
 * Returns the OpenAPI 3.1 document, whose schemas are JSON Schema 2020-12. Its version is that of the newest schema
 * version.
 */
export function openapi({ baseUrl, ...parts }: OpenApiOptions = {}): OpenApiObject {
  const contract = contractWith(parts)
  return {
    openapi: '3.1.1',
    info: infoOf(contract),
    servers: [serverOf(baseUrl)],
    security: [{ storeKey: [] }],
    'x-speakeasy-retries': retriesOf(contract),
    tags: tagsOf(contract),
    paths: Object.fromEntries(contract.endpoints.map((each) => [each.path, pathItem(each, contract)])),
    components: {
      securitySchemes: { storeKey: STORE_KEY },
      headers: headersOf(),
      responses: sharedResponses(contract),
      schemas: schemasOf(contract),
    },
  }
}

function serverOf(baseUrl: string | undefined): OpenApiObject {
  if (baseUrl !== undefined) return { url: baseUrl, description: 'This service' }
  return { url: EXAMPLE_BASE_URL, description: 'An example. Replace it with the address of your service.' }
}

const STORE_KEY: OpenApiObject = {
  type: 'apiKey',
  in: 'header',
  name: 'x-api-key',
  description:
    'The API key of a store. Create it in the store dashboard under Settings, API. Use it on a server, never in a browser.',
}

function infoOf(contract: Contract): OpenApiObject {
  return {
    title: 'Store Data Export',
    version: latestRevisionOf(contract),
    summary: 'Read-only access to the data of one online store.',
    description: DESCRIPTION,
    license: { name: 'MIT', identifier: 'MIT' },
  }
}

const DESCRIPTION = `Read the data of one store: its settings, orders with their items, customers with their addresses, customer groups, pickup locations, products with their variants, and categories. The API has no write operations.

## Authentication
Send your API key in the \`x-api-key\` header. A key belongs to one store, so no path names a store. Create keys in the store dashboard under Settings, API. A store can have ${LIMITS.activeKeysPerStore} active keys. There are no CORS headers: send requests from a server, not from a browser.

## Data formats
- Money is a decimal string with two decimals. Its currency is the order's \`currency\`, or \`store_currency\` if that is null.
- Timestamps are in UTC with milliseconds (cut, not rounded) and a trailing Z. IDs are UUIDs in lower case.
- Coordinates are decimal strings with the stored digits. Two decimals would move a location by up to a kilometer.
- A field that an older store does not have is null, so all stores return the same fields.
- New fields can appear at any time, and so can new values of fields such as \`status\`. Ignore fields that you do not know.

## Pagination
Lists are sorted by creation time, oldest first. Start with \`limit=${LIMITS.pageRowsMax}\`. Then pass \`meta.next_cursor\` as \`cursor\`, with the same filters, until \`meta.has_more\` is false. A page can have fewer rows than \`limit\`, or none, while \`has_more\` is still true.

## Incremental sync
Every page of a list has two headers for your next sync: a timestamp in \`x-sync-watermark\`, and the parameter for it in \`x-sync-parameter\`.
- Save both after you have written the whole list.
- Write rows with an upsert by \`id\`, because the API can return a row again.
- The parameter is \`updated_since\`, or \`created_since\` for customers of a store that does not track customer updates. Read all customers of such a store once a day.
- A list without \`x-sync-parameter\` has no such parameter. Read the whole list in each sync.
- If \`x-store-fields\` differs from the last sync, the store has other columns. Read the whole list again.

## Deleted rows
No list reports deleted rows. Read a list of IDs instead, such as \`/api/v1/ids/orders\`, with ${LIMITS.pageRowsOfIds.toLocaleString('en')} IDs per page. If you had a row before you read this list, and the list does not return it, the store has deleted it.

## Rate limit
A key can make ${LIMITS.requestsPerMinute} requests per one-minute window. Further requests return 429 with \`Retry-After\`. With ${LIMITS.pageRowsMax} rows per page, this is ${(LIMITS.requestsPerMinute * LIMITS.pageRowsMax).toLocaleString('en')} rows per minute.

## Tracing
Every response has the header \`x-request-id\`, and the logs of the service have the same ID. You can send your own \`x-request-id\`, and a \`traceparent\` header (W3C Trace Context): the service returns and logs them.

## Methods and parameters
Every path accepts GET and HEAD. HEAD returns the headers of GET without the body. Other methods return 405. The service rejects a query parameter that is empty or sent twice. It ignores a parameter that the endpoint does not have, and names it in the \`x-ignored-params\` header.`

function tagsOf({ endpoints }: Contract): OpenApiObject[] {
  const groups = new Map(endpoints.map((each) => [endpointGroup(each), each.resource.note]))
  return [...groups].map(([name, description]) => ({ name, description }))
}

function pathItem(endpoint: Endpoint, contract: Contract): OpenApiObject {
  const parameters = [...pathParameters(endpoint), ...queryParameters(endpoint)]
  return {
    get: {
      operationId: endpoint.id,
      tags: [endpointGroup(endpoint)],
      summary: endpointTitle(endpoint),
      description: endpointNote(endpoint),
      'x-since': endpoint.since,
      ...(isPaginated(endpoint.response) ? PAGINATION : {}),
      ...(parameters.length === 0 ? {} : { parameters }),
      responses: responsesOf(endpoint, contract),
    },
  }
}

function pathParameters({ path, response, resource }: Endpoint): OpenApiObject[] {
  if (!path.includes('{id}')) return []
  const owner = response.kind === 'allOf' ? response.parent : resource
  return [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: `ID of the ${owner.name.toLowerCase()}: a UUID of 8-4-4-4-12 hexadecimal digits.`,
      schema: { type: 'string', format: 'uuid' },
      example: exampleOf(owner).id,
    },
  ]
}

function queryParameters({ parameters, resource }: Endpoint): OpenApiObject[] {
  return parameters.map((name) => {
    const schema = withMemberNames(PARAMETERS[name].schema(resource))
    const example = filterExample(name, schema)
    return {
      name,
      in: 'query',
      required: false,
      description: parameterNote(name, resource),
      schema,
      // With x-disabled, the reference page shows the value but does not send it by default.
      ...(example === undefined ? {} : { examples: { one: { value: example, 'x-disabled': true } } }),
    }
  })
}

/** Names the values for code generators: `return_requested` becomes `ReturnRequested`. */
function withMemberNames(schema: OpenApiObject): OpenApiObject {
  const { enum: values } = schema
  return Array.isArray(values) ? { ...schema, 'x-enum-varnames': values.map(enumMemberName) } : schema
}

/** Returns the example of a filter: its first listed value, or a time; undefined for `limit` and `cursor`. */
function filterExample(name: ParameterName, { enum: values }: OpenApiObject): unknown {
  const { filter }: Parameter = PARAMETERS[name]
  if (filter === undefined) return undefined
  return Array.isArray(values) ? values[0] : '2026-10-01T00:00:00Z'
}
