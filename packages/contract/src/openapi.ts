// The contract as an OpenAPI 3.1 document: its head, its components and its paths. Pure.

import { type Contract, contractWith, latestRevisionOf } from './contract.ts'
import type { Endpoint } from './endpoints.ts'
import { exampleOf } from './example.ts'
import { LIMITS } from './limits.ts'
import { endpointGroup, endpointNote, endpointTitle, parameterNote } from './notes.ts'
import { headersOf, responsesOf, sharedResponses } from './openapi-responses.ts'
import { type OpenApiObject, schemasOf } from './openapi-schema.ts'
import { PARAMETERS, type Parameter, type ParameterName } from './parameters.ts'

/** What the document is made of: the declared contract, where nothing else is said. */
export interface OpenApiOptions extends Partial<Contract> {
  /** The address of the service without a slash at the end; an example when not given. */
  readonly baseUrl?: string
}

/** Placeholder for the address of the service in a document that no service serves. */
export const EXAMPLE_BASE_URL = 'https://export.example'

/** The OpenAPI 3.1 document (JSON Schema 2020-12). */
export function openapi({ baseUrl, ...parts }: OpenApiOptions = {}): OpenApiObject {
  const contract = contractWith(parts)
  return {
    openapi: '3.1.1',
    info: infoOf(contract),
    servers: [serverOf(baseUrl)],
    security: [{ storeKey: [] }],
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
  description: 'Key of one store, from its dashboard: Settings, API. Belongs on a server, never in a browser.',
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

const DESCRIPTION = `Reads one store: its snapshot, orders with their items, customers with their addresses, customer groups, pickup locations, products with their variants, and categories. There are no write operations.

## Key
Send the key in the header \`x-api-key\`. It belongs to one store, so no path names a store. Create it in the store dashboard under Settings, API; a store can have ${LIMITS.activeKeysPerStore}. There are no CORS headers: call from a server.

## Values
- Money is a decimal string with two decimals. Its currency is the order's \`currency\`, else \`store_currency\`.
- Timestamps are UTC with milliseconds (cut, not rounded) and a trailing Z. Ids are UUIDs in lower case.
- Coordinates are decimal strings with the digits stored, not two decimals: those would move a place by a kilometre.
- A field that an older store does not have is null there, so the shape is the same everywhere. Ignore fields you do not know; new ones can appear at any time. So can values of fields like \`status\`.

## Pages
Lists come oldest first. Ask with \`limit=${LIMITS.pageRowsMax}\`, then pass \`meta.next_cursor\` back as \`cursor\`, with the same filters, until \`meta.has_more\` is false. A page can be shorter than \`limit\`, even empty, and still have more behind it.

## Keeping a copy
Every page of a list has the timestamp for your next run in \`x-sync-watermark\`, and the parameter for it in \`x-sync-parameter\`. Save both after you have written the whole list, and upsert by \`id\`: rows can come twice. The parameter is \`updated_since\`, or \`created_since\` for customers of a store that does not track their updates: read all of these customers now and then. A list without the header has no such parameter: read it whole. Deleted rows are not reported: walk the list of ids, ${LIMITS.pageRowsOfIds.toLocaleString('en')} a page (\`/api/v1/ids/orders\` and its like). What your copy held before that walk began, and the walk does not bring, was deleted.

## Limits
${LIMITS.requestsPerMinute} requests a clock minute and key; then 429 with \`Retry-After\`. With pages of ${LIMITS.pageRowsMax} rows these are ${(LIMITS.requestsPerMinute * LIMITS.pageRowsMax).toLocaleString('en')} rows a minute.

## Methods
Every path answers GET, and HEAD as GET without the body (not listed below). Anything else gets 405. A query parameter that an endpoint does not have is ignored and named in the header \`x-ignored-params\`; one given empty or twice is refused.`

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
      description: `Id of the ${owner.name.toLowerCase()}: a UUID of 8-4-4-4-12 hexadecimal digits.`,
      schema: { type: 'string', format: 'uuid' },
      example: exampleOf(owner).id,
    },
  ]
}

function queryParameters({ parameters, resource }: Endpoint): OpenApiObject[] {
  return parameters.map((name) => {
    const schema = PARAMETERS[name].schema(resource)
    const example = filterExample(name, schema)
    return {
      name,
      in: 'query',
      required: false,
      description: parameterNote(name, resource),
      schema,
      // x-disabled: a reference page offers the value, but its requests do not filter unless asked to
      ...(example === undefined ? {} : { examples: { one: { value: example, 'x-disabled': true } } }),
    }
  })
}

function filterExample(name: ParameterName, { enum: values }: OpenApiObject): unknown {
  const { filter }: Parameter = PARAMETERS[name]
  if (filter === undefined) return undefined
  return Array.isArray(values) ? values[0] : '2026-10-01T00:00:00Z'
}
