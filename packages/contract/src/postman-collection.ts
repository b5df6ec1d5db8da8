// Renders the contract as a Postman collection for the demo. Its IDs come from live examples, so each request works
// once the variable `apiKey` is set.

import { type Contract, contractWith } from './contract.ts'
import type { Endpoint } from './endpoints.ts'
import { LIMITS } from './limits.ts'
import type { LiveExample } from './markdown.ts'
import { endpointGroup, endpointNote, endpointTitle, parameterNote } from './notes.ts'
import type { OpenApiObject } from './openapi-schema.ts'

const DEMO_URL = 'http://127.0.0.1:8080'

/** Returns the collection, in version 2.1 of Postman's format. `examples` are responses of the demo, by endpoint ID. */
export function postmanCollection(
  examples: Readonly<Record<string, LiveExample>>,
  parts: Partial<Contract> = {},
): OpenApiObject {
  const { endpoints } = contractWith(parts)
  const groups = [...new Set(endpoints.map(endpointGroup))]
  return {
    info: {
      name: 'Store Data Export',
      description: DESCRIPTION,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'x-api-key', type: 'string' },
        { key: 'value', value: '{{apiKey}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: [
      { key: 'baseUrl', value: DEMO_URL },
      { key: 'apiKey', value: '' },
    ],
    event: [script('test', WAIT)],
    item: [
      ...groups.map((name) => ({
        name,
        item: endpoints
          .filter((endpoint) => endpointGroup(endpoint) === name)
          .map((endpoint) => requestOf(endpoint, examples[endpoint.id])),
      })),
      READ_ALL_ORDERS,
    ],
  }
}

const DESCRIPTION = `Every request of the API, with IDs of the demo. Set the variable \`apiKey\` to your key. For a service other than the demo, also set \`baseUrl\` to its address, without \`/api/v1\`. If you run the collection, it waits after a 429 and repeats the request.`

function requestOf(endpoint: Endpoint, example: LiveExample | undefined): OpenApiObject {
  const name = endpointTitle(endpoint)
  return { name, request: { method: 'GET', url: urlOf(endpoint, example), description: endpointNote(endpoint) } }
}

function urlOf({ path, parameters, resource }: Endpoint, example: LiveExample | undefined): OpenApiObject {
  const template = path.replace('{id}', ':id')
  const id = example === undefined ? undefined : idIn(path, example.path)
  return {
    raw: `{{baseUrl}}${template}`,
    host: ['{{baseUrl}}'],
    path: template.slice(1).split('/'),
    // The parameters are disabled, because the service rejects a parameter without a value.
    query: parameters.map((name) => ({
      key: name,
      value: name === 'limit' ? String(LIMITS.pageRowsMax) : '',
      description: parameterNote(name, resource),
      disabled: true,
    })),
    ...(path.includes('{id}') ? { variable: [{ key: 'id', value: id ?? '' }] } : {}),
  }
}

/** Returns the segment of `actual` that stands in the place of `{id}`; undefined if `template` has no ID. */
function idIn(template: string, actual: string): string | undefined {
  return actual.split('/')[template.split('/').indexOf('{id}')]
}

/**
 * Repeats a request after a 429. The timer does nothing: Postman waits for the timers of a script before it sends the
 * next request.
 */
const WAIT = `const seconds = Number(pm.response.headers.get('retry-after'))
if (pm.response.code === 429) {
  pm.execution.setNextRequest(pm.info.requestName)
  setTimeout(() => {}, seconds * 1000)
} else {
  pm.test('returns 200', () => pm.response.to.have.status(200))
}`

/** Adds the cursor of the page before, if there is one. */
const FIRST_PAGE = `const cursor = pm.collectionVariables.get('cursor')
if (cursor) pm.request.url.query.add({ key: 'cursor', value: cursor })`

/** Saves the IDs and the cursor of a page, and repeats the request if more pages follow. */
const NEXT_PAGE = `if (pm.response.code === 200) {
  const { data, meta } = pm.response.json()
  const ids = JSON.parse(pm.collectionVariables.get('orderIds') || '[]')
  pm.collectionVariables.set('orderIds', JSON.stringify([...ids, ...data.map((order) => order.id)]))
  pm.collectionVariables.set('cursor', meta.next_cursor || '')
  if (meta.has_more) pm.execution.setNextRequest(pm.info.requestName)
}`

/**
 * A request whose script sends it again for each further page. After the last page, the variable `orderIds` has all
 * IDs, and `cursor` is empty.
 */
const READ_ALL_ORDERS: OpenApiObject = {
  name: 'Read all orders',
  event: [script('prerequest', FIRST_PAGE), script('test', NEXT_PAGE)],
  request: {
    method: 'GET',
    url: {
      raw: '{{baseUrl}}/api/v1/orders?limit=100',
      host: ['{{baseUrl}}'],
      path: ['api', 'v1', 'orders'],
      query: [{ key: 'limit', value: '100' }],
    },
    description:
      'Run the collection to read every page. The variable `orderIds` has the IDs of all orders. To start again, delete the variables `cursor` and `orderIds`.',
  },
}

function script(listen: 'prerequest' | 'test', source: string): OpenApiObject {
  return { listen, script: { type: 'text/javascript', exec: source.split('\n') } }
}
