// What answers at `/`: where one is, the first request, and where to go on.

import { type Contract, LIMITS, latestRevisionOf } from '@store-export/contract'
import { escapeHtml, type HtmlPage } from './html.ts'

/** The page at `/`; `baseUrl` stands in its example. */
export function landingPage(contract: Contract, baseUrl: string): HtmlPage {
  const rows = contract.endpoints.map(
    ({ path, note }) => `<tr><td><code>${escapeHtml(path)}</code></td><td>${escapeHtml(note)}</td></tr>`,
  )
  const main = `<h1>Store Data Export</h1>
<p class="lead">Read-only access to the data of one online store, revision ${escapeHtml(latestRevisionOf(contract))}.</p>
<h2>First request</h2>
<p>Create a key in the store dashboard under Settings, API, and send it in the header <code>x-api-key</code>.</p>
<pre><code>curl -H "x-api-key: $STORE_EXPORT_KEY" "${escapeHtml(baseUrl)}/api/v1/store"</code></pre>
<p>A key has ${LIMITS.requestsPerMinute} requests a minute; a page has up to ${LIMITS.pageRowsMax} rows. Keys belong on a server: calls from a browser fail by design.</p>
<h2>Where to go on</h2>
<ul>
<li><a href="/docs">Reference</a>: every endpoint, field and parameter</li>
<li><a href="/guides">Guides</a>: keep a copy of the store with <code>store-sync</code>, the TypeScript client, or your own code</li>
<li><a href="/errors">Errors</a>: what happened, how to fix it, usual mistakes</li>
<li><a href="/openapi.json">openapi.json</a> for tools, <a href="/llms.txt">llms.txt</a> for language models</li>
</ul>
<h2>Endpoints</h2>
<div class="wide"><table>
<thead><tr><th>GET</th><th>Answers</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`
  return { path: '/', title: 'Store Data Export', main }
}
