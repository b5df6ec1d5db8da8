// Writes a response of each endpoint of a running demo, except lists of IDs, to docs/api/examples.json. `npm run
// generate` inserts them into the reference. Run: STORE_EXPORT_URL=http://127.0.0.1:8080 STORE_EXPORT_KEY=… npm run
// examples

import { writeFileSync } from 'node:fs'
import { ENDPOINTS, type Endpoint, type LiveExample } from '@store-export/contract'

const { STORE_EXPORT_URL: url = 'http://127.0.0.1:8080', STORE_EXPORT_KEY: key } = process.env
if (key === undefined) throw new Error('STORE_EXPORT_KEY must be a key of the demo; npm start prints one')
const headers = { 'x-api-key': key }
const examples: Record<string, LiveExample> = {}
// A page of IDs has 10,000 rows, which are too many for an example.
for (const endpoint of ENDPOINTS.filter(({ response }) => response.kind !== 'ids'))
  examples[endpoint.id] = await exampleOf(endpoint)
writeFileSync('docs/api/examples.json', `${JSON.stringify(examples, null, 2)}\n`)

async function exampleOf(endpoint: Endpoint): Promise<LiveExample> {
  const path = endpoint.path.replace('{id}', await idFor(endpoint))
  const pathAndQuery = endpoint.response.kind === 'page' ? `${path}?limit=1` : path
  const response = await fetch(url + pathAndQuery, { headers })
  return { path: pathAndQuery, status: response.status, body: await response.json() }
}

/**
 * Returns an ID for the path of the endpoint; empty if the path has no ID. For the addresses of a customer, it is the
 * ID of a customer that has addresses.
 */
async function idFor({ path, response }: Endpoint): Promise<string> {
  if (!path.includes('{id}')) return ''
  const list = response.kind === 'allOf' ? '/api/v1/customer-addresses' : path.replace('/{id}', '')
  const page = await fetch(`${url}${list}?limit=1`, { headers })
  const { data } = (await page.json()) as { data: Record<string, string>[] }
  return data[0]?.[response.kind === 'allOf' ? response.column : 'id'] ?? ''
}
