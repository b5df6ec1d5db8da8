// `/llms.txt`: the whole interface for a language model that writes a client, short and exact.

import { type Contract, type Endpoint, errorTable, fieldTable, LIMITS, resourcesOf } from '@store-export/contract'
import { GUIDES } from './guides.ts'

/** The text, Markdown as llmstxt.org has it. `baseUrl` is put before every path. */
export function llmsText(contract: Contract, baseUrl: string): string {
  return `# Store Data Export

> Read-only JSON over HTTP: the data of one online store. GET only. Base URL: ${baseUrl}

## Rules

- Send the key in the header \`x-api-key\` on every request. A key belongs to one store; no path names a store. Call from a server: there are no CORS headers.
- One object: \`{"data": {...}}\`. A list: \`{"data": [...], "meta": {"next_cursor": string or null, "has_more": boolean}}\`. An error: \`{"error": {"code": string, "message": string}}\`.
- Money is a decimal string with two decimals: never parse it as a float. Currency: the order's \`currency\`, else \`store_currency\` of /api/v1/store.
- Timestamps are UTC with milliseconds and Z. Ids are UUIDs. Every key is always present; fields of newer stores are null on older ones.
- Ignore fields you do not know, and accept values of status fields you do not know.
- Limit: ${LIMITS.requestsPerMinute} requests a clock minute and key. On 429 wait the seconds of \`Retry-After\`. Prefer limit=${LIMITS.pageRowsMax} to more requests.
- Parameters that an endpoint does not have are ignored and named in the response header \`x-ignored-params\`: check it.

## Endpoints

${contract.endpoints.map(endpointLine).join('\n')}

Datetimes of parameters: RFC 3339 with Z or an offset, \`2026-07-01T00:00:00Z\`; write the + of an offset as %2B.

## Reading a whole list

\`\`\`text
cursor = none
repeat
  GET {path}?limit=${LIMITS.pageRowsMax}[&cursor={cursor}][&the same filters as before]
  take data; cursor = meta.next_cursor, passed back unchanged
until meta.has_more is false
\`\`\`

Rows come oldest first. Pages stay correct while rows are written. A page can hold fewer rows than limit, even none, and still not be the last: only has_more tells. On INVALID_CURSOR start again without cursor.

## Keeping a copy up to date

1. First run: read whole lists. Every page of a walk carries the same header \`x-sync-watermark\`: keep it for the list when the whole walk succeeded, not earlier.
2. Later runs: send the watermark of the last successful run as the parameter that the header \`x-sync-parameter\` named then (\`updated_since\` or \`created_since\`); upsert by \`id\`. Duplicates are harmless.
3. Do not use your own clock in its place: it may be wrong, and a change of a transaction that ends late would be missed.
4. Customers of older stores: \`x-sync-parameter\` is \`created_since\`, and \`updated_since\` gives 400 INVALID_PARAM. Read all customers of such a store from time to time.
5. Locations, customer groups and categories have no filter and no \`x-sync-parameter\`. Read these lists whole.
6. Deleted rows are not reported. Now and then walk /api/v1/ids/orders and its like, which give \`{id, updated_at}\` alone, ${LIMITS.pageRowsOfIds.toLocaleString('en')} a page: what your copy held before the walk began, and the walk does not bring, was deleted.

## Errors

${errorTable(contract).replaceAll(/\]\(\.\.\/errors\/(\w+)\.md\)/g, `](${baseUrl}/errors/$1)`)}

## Fields

${resourcesOf(contract)
  .map((each) => `### ${each.name}\n\n${fieldTable(each)}`)
  .join('\n\n')}

## Tools and guides

Prefer these to code of your own.

${GUIDES.map(({ name, title, note }) => `- [${title}](${baseUrl}/guides/${name}.md): ${note}`).join('\n')}

## Links

- [OpenAPI 3.1](${baseUrl}/openapi.json): types, parameters, examples
- [Reference](${baseUrl}/docs): the same for people
- [Errors](${baseUrl}/errors): what to do about each
`
}

function endpointLine({ path, note, parameters, resource }: Endpoint): string {
  const accepted = parameters.map((name) => (name === 'status' ? `status (${statusesOf(resource)})` : name))
  return `- GET ${path}: ${note}${accepted.length === 0 ? '' : ` Parameters: ${accepted.join(', ')}.`}`
}

function statusesOf({ fields }: Endpoint['resource']): string {
  const type = fields.status?.type
  return type?.kind === 'oneOf' ? type.values.join(', ') : ''
}
