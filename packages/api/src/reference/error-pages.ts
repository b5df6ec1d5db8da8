// Renders a page for each error code of the contract, because errors link to it.

import { type Contract, type ErrorDeclaration, errorsByStatus, retryRules } from '@store-export/contract'
import { escapeHtml, type HtmlPage } from './html.ts'

/** Returns the list of error codes, `/errors`, and a page for each code, `/errors/{CODE}`. */
export function errorPages({ errors }: Contract): HtmlPage[] {
  return [indexPage(errors), ...Object.entries(errors).map(([code, error]) => errorPage(code, error))]
}

function indexPage(errors: Contract['errors']): HtmlPage {
  const rows = errorsByStatus(errors).map(
    ({ status, code, condition, retry }) =>
      `<tr><td>${status}</td><td><a href="/errors/${code}">${code}</a></td><td>${escapeHtml(condition)}</td><td>${escapeHtml(retry)}</td></tr>`,
  )
  const main = `<h1>Errors</h1>
<p class="lead">All error responses have the same body. The code is stable and meant for programs. The message is for people.</p>
<pre><code>{"error": {"code": "INVALID_PARAM", "message": "limit: must be a whole number from 1 to 250; got \\"ten\\""}}</code></pre>
<div class="wide"><table>
<thead><tr><th>Status</th><th>Code</th><th>What happened</th><th>Retry?</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`
  return { path: '/errors', title: 'Errors · Store Data Export', main }
}

function errorPage(code: string, error: ErrorDeclaration): HtmlPage {
  const { status, condition, fix, mistakes, otherStatuses = [] } = error
  const others = otherStatuses.map((each) => `<p>With status ${each.status}: ${escapeHtml(each.condition)}</p>\n`)
  const main = `<h1>${escapeHtml(code)}</h1>
<p class="status">HTTP status ${status}</p>
<h2>What happened</h2>
<p>${escapeHtml(condition)}</p>
${others.join('')}<h2>How to fix it</h2>
<p>${escapeHtml(fix)}</p>
<p><strong>Retry?</strong> ${escapeHtml(retryRules(error))}</p>
<h2>Common mistakes</h2>
<ul>
${mistakes.map((each) => `<li>${escapeHtml(each)}</li>`).join('\n')}
</ul>
<p><a href="/errors">All errors</a></p>`
  return { path: `/errors/${code}`, title: `${code} · Store Data Export`, main }
}
