// Generates `/llms.txt`: the whole API in one text that is short enough for the context of a language model.

import { type Contract, type Endpoint, errorTable, fieldTable, LIMITS, resourcesOf } from '@store-export/contract'
import { GUIDES } from './guides.ts'
import { OPENAPI_VERSIONS } from './openapi-documents.ts'

/** Returns the content of `/llms.txt`, as Markdown in the form of llmstxt.org. Links start with `baseUrl`. */
export function llmsText(contract: Contract, baseUrl: string): string {
  return `# Store Data Export

> Read-only JSON over HTTP: the data of one online store. GET only. Base URL: ${baseUrl}

## Rules

- Send the key in the header \`x-api-key\` with every request. A key belongs to one store, so no path names a store. Send requests from a server: there are no CORS headers.
- One object: \`{"data": {...}}\`. A list: \`{"data": [...], "meta": {"next_cursor": string or null, "has_more": boolean}}\`. An error: \`{"error": {"code": string, "message": string}}\`.
- Money is a decimal string with two decimals. Do not parse it as a float. Its currency is the order's \`currency\`, or \`store_currency\` of /api/v1/store if that is null.
- Timestamps are UTC with milliseconds and Z. IDs are UUIDs. Every field is always present. A field that an older store does not have is null.
- Ignore fields that you do not know, and accept unknown values of status fields.
- Rate limit: ${LIMITS.requestsPerMinute} requests per key and one-minute window. After a 429, wait for the seconds in \`Retry-After\`. Use limit=${LIMITS.pageRowsMax} instead of more requests.
- An endpoint ignores parameters that it does not have, and names them in the response header \`x-ignored-params\`. Check this header.

## Endpoints

${contract.endpoints.map(endpointLine).join('\n')}

Datetimes in parameters are RFC 3339 with Z or an offset, such as \`2026-07-01T00:00:00Z\`. Write the + of an offset as %2B.

## Read a whole list

\`\`\`text
cursor = none
repeat
  GET {path}?limit=${LIMITS.pageRowsMax}[&cursor={cursor}][&the same filters on every page]
  process data; cursor = meta.next_cursor, unchanged
until meta.has_more is false
\`\`\`

Rows are sorted by creation time, oldest first. Pages stay correct while the store changes. A page can have fewer rows than limit, or none, and not be the last page. Check only has_more. After INVALID_CURSOR, start again without the parameter cursor.

## Keep a copy up to date

1. First sync: read whole lists. Every page of a list has the same header \`x-sync-watermark\`. Save its value for the list after you have written the whole list, not earlier.
2. Later syncs: send the saved watermark as the parameter that the header \`x-sync-parameter\` named (\`updated_since\` or \`created_since\`). Upsert by \`id\`, because the API can return a row again.
3. Do not use your own clock instead: it may be wrong, and you would miss changes of transactions that end late.
4. For customers of older stores, \`x-sync-parameter\` is \`created_since\`, and \`updated_since\` returns 400 INVALID_PARAM. Read all customers of such a store once a day.
5. Locations, customer groups and categories have no filter and no \`x-sync-parameter\`. Read these lists completely in each sync.
6. No list reports deleted rows. From time to time, read the list of IDs, such as /api/v1/ids/orders. It returns only \`{id, updated_at}\`, ${LIMITS.pageRowsOfIds.toLocaleString('en')} rows per page. A row that you had before reading this list, and that the list does not return, has been deleted.
7. Save the header \`x-store-fields\` too. If a page has another value, the store has other columns than before, and old rows have values that you lack. Read the whole list again without a filter, at most once an hour.

## Errors

${errorTable(contract).replaceAll(/\]\(\.\.\/errors\/(\w+)\.md\)/g, `](${baseUrl}/errors/$1)`)}

## Fields

${resourcesOf(contract)
  .map((each) => `### ${each.name}\n\n${fieldTable(each)}`)
  .join('\n\n')}

## Tools and guides

Use these instead of writing your own code.

${GUIDES.map(({ name, title, note }) => `- [${title}](${baseUrl}/guides/${name}.md): ${note}`).join('\n')}

## Links

${OPENAPI_VERSIONS.map(({ path, name }) => `- [${name}](${baseUrl}${path}): types, parameters and examples`).join('\n')}
- [Reference](${baseUrl}/docs): the same content for people
- [Errors](${baseUrl}/errors): how to fix each error
`
}

function endpointLine({ path, note, parameters, resource }: Endpoint): string {
  const accepted = parameters.map((name) => (name === 'status' ? `status (${statusesOf(resource)})` : name))
  return `- GET ${path}: ${note}${accepted.length === 0 ? '' : ` Parameters: ${accepted.join(', ')}.`}`
}

/** Returns the statuses of a resource, separated by commas; empty if it has no field `status` with listed values. */
function statusesOf({ fields }: Endpoint['resource']): string {
  const type = fields.status?.type
  return type?.kind === 'oneOf' ? type.values.join(', ') : ''
}
