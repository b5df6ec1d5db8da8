// Renders the landing page of the service for developers.

import { type Contract, LIMITS, latestRevisionOf } from '@store-export/contract'
import { escapeHtml, type HtmlPage } from './html.ts'
import { OPENAPI_VERSIONS } from './openapi-documents.ts'

/** Returns the page at `/`, which shows a first request to `baseUrl` and links to the other documents. */
export function landingPage(contract: Contract, baseUrl: string): HtmlPage {
  const rows = contract.endpoints.map(
    ({ path, note }) => `<tr><td><code>${escapeHtml(path)}</code></td><td>${escapeHtml(note)}</td></tr>`,
  )
  const main = `<h1>Store Data Export</h1>
<p class="lead">Read-only access to the data of one online store. Schema version ${escapeHtml(latestRevisionOf(contract))}.</p>
<h2>First request</h2>
<p>Create a key in the store dashboard under Settings, API, and send it in the header <code>x-api-key</code>.</p>
<pre><code>curl -H "x-api-key: $STORE_EXPORT_KEY" "${escapeHtml(baseUrl)}/api/v1/store"</code></pre>
<p>A key can make ${LIMITS.requestsPerMinute} requests per minute, and a page has up to ${LIMITS.pageRowsMax} rows. Send requests from a server: requests from a browser fail, because there are no CORS headers.</p>
<h2>Next steps</h2>
<ul>
<li><a href="/docs">Reference</a>: every endpoint, field and parameter</li>
<li><a href="/guides">Guides</a>: keep a copy of the store with <code>store-sync</code>, the TypeScript client, or your own code</li>
<li><a href="/errors">Errors</a>: what happened, how to fix it, and common mistakes</li>
<li>${OPENAPI_VERSIONS.map(({ path, name }) => `<a href="${path}">${name}</a>`).join(', ')} for tools, <a href="/llms.txt">llms.txt</a> for language models</li>
</ul>
<h2>Endpoints</h2>
<div class="wide"><table>
<thead><tr><th>GET</th><th>Description</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`
  return { path: '/', title: 'Store Data Export', main }
}
