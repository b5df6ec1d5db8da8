// Creates the page `/docs`, the reference in the browser. The page sends requests only to its own origin: the
// configuration disables the library's requests to other hosts, and the content security policy blocks them.

import { NAVIGATION } from './html.ts'
import { loadPageScript } from './page-script.ts'
import { CACHED_FOR_A_DAY, headersWith, REVALIDATED, type ReferenceRoute } from './reference-route.ts'

const SCRIPT = '/docs/reference.js'
const START = '/docs/start.js'

/** The page needs `connect-src 'self'` to load the OpenAPI document and to send test requests. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The library adds inline styles to the page.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
].join('; ')

/** What the page can do, and what its field for the key shows. */
export interface DocsPageOptions {
  /** Whether the page can send requests. */
  readonly tryIt: boolean
  /** First characters of new keys. */
  readonly keyPrefix: string
}

/** Returns three documents: the page, the script that starts it, and the library's script. */
export function docsRoutes(options: DocsPageOptions): ReferenceRoute[] {
  return [
    {
      path: '/docs',
      contentType: 'text/html; charset=utf-8',
      headers: headersWith(PAGE_POLICY),
      body: PAGE,
      cacheControl: REVALIDATED,
    },
    {
      path: START,
      contentType: JAVASCRIPT,
      headers: headersWith(SCRIPT_POLICY),
      body: startScript(options),
      cacheControl: REVALIDATED,
    },
    {
      path: SCRIPT,
      contentType: JAVASCRIPT,
      headers: headersWith(SCRIPT_POLICY),
      body: loadPageScript,
      cacheControl: CACHED_FOR_A_DAY,
    },
  ]
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const SCRIPT_POLICY = "default-src 'none'"

/**
 * Styles of the bar above the library's page, in the colors of the library's light or dark mode, and of the warning.
 */
const BAR_STYLE = `
:root { --scalar-custom-header-height: 2.75rem }
body { margin: 0 }
.bar { position: sticky; top: 0; z-index: 100; box-sizing: border-box; display: flex; gap: 1.5rem; align-items: center; height: 2.75rem; padding: 0 1.25rem;
  overflow-x: auto; border-bottom: 1px solid var(--scalar-border-color, #8884); background: var(--scalar-background-1, Canvas); font: .875rem/1 system-ui, sans-serif; white-space: nowrap }
.bar nav { display: flex; gap: 1.25rem }
.bar a { color: var(--scalar-color-1, CanvasText); text-decoration: none }
.bar a:hover { text-decoration: underline }
.bar .brand { font-weight: 650 }
.ignored { position: absolute; z-index: 100; inset: auto 0 0; margin: 0; padding: .75rem 1.25rem; border-top: 1px solid #c99a2e; background: #fff3cd; color: #664d03;
  font: .875rem/1.4 system-ui, sans-serif; overflow-wrap: anywhere }`

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reference · Store Data Export</title>
<link rel="icon" href="data:,">
<style>${BAR_STYLE}</style>
</head>
<body>
<header class="bar"><a class="brand" href="/">Store Data Export</a><nav aria-label="Documentation">${NAVIGATION}</nav></header>
<div id="app"></div>
<noscript>This page needs JavaScript. <a href="/openapi.json">openapi.json</a> and <a href="/llms.txt">llms.txt</a> do not.</noscript>
<script src="${SCRIPT}" defer></script>
<script src="${START}" defer></script>
</body>
</html>
`

function startScript({ tryIt, keyPrefix }: DocsPageOptions): string {
  const start = `Scalar.createApiReference('#app', ${JSON.stringify(configuration(tryIt), null, 2)})\n${keyPlaceholder(keyPrefix)}`
  return tryIt ? start + IGNORED_WARNING : start
}

/**
 * Shows a warning in the library's dialog if a response has the header `x-ignored-params`. Otherwise, a reader could
 * believe that a misspelled filter found all rows.
 */
const IGNORED_WARNING = `
const warning = Object.assign(document.createElement('p'), { className: 'ignored', role: 'alert' })
const originalFetch = window.fetch
window.fetch = async (...request) => {
  const response = await originalFetch(...request)
  if (new URL(response.url).pathname.startsWith('/api/')) warn(response.headers.get('x-ignored-params'))
  return response
}
function warn(ignored) {
  warning.remove()
  // A row of the dialog without a name has an empty name.
  const names = (ignored ?? '').split(',').filter((name) => name !== '').map((name) => decodeURIComponent(name))
  if (names.length === 0) return
  warning.textContent = 'Ignored parameters: ' + names.join(', ') + '. This endpoint does not have them, so they had no effect.'
  document.querySelector('[role=dialog]')?.append(warning)
}
`

/**
 * Returns a script that shows the prefix in the key field, because the library has no setting for the placeholder of
 * this field. The prefix contains no character to escape.
 */
const keyPlaceholder = (prefix: string) => `
new MutationObserver(() => {
  for (const field of document.querySelectorAll('.scalar-password-input:not([placeholder="${prefix}…"])'))
    field.placeholder = '${prefix}…'
}).observe(document.body, { childList: true, subtree: true })
`

function configuration(tryIt: boolean): Readonly<Record<string, unknown>> {
  return {
    url: '/openapi.json',
    hideTestRequestButton: !tryIt,
    // The button opens a client of the library's vendor.
    hideClientButton: true,
    // The browser must not store a key.
    persistAuth: false,
    authentication: { preferredSecurityScheme: 'storeKey' },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    documentDownloadType: 'direct',
    withDefaultFonts: false,
    telemetry: false,
    showDeveloperTools: 'never',
    agent: { disabled: true, hideAddApi: true },
    mcp: { disabled: true },
    modelsSectionLabel: 'Schemas',
    customCss: CSS,
  }
}

const CSS = `
/* The system font needs no download. */
:root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; --scalar-radius: 4px }
/* There is only one authentication method, and the button to choose it covers another button. */
.ui-not-open\\:hidden:has(> .contents > .scalar-button) { display: none }
/* The tabs of the statuses have their own line, so that none is hidden. */
.response-card .scalar-card-header { flex-wrap: wrap; justify-content: flex-end }
.response-card .scalar-card-header-title { flex: 1 0 100%; overflow: visible }
.response-card .tab-list { flex-wrap: wrap; overflow: visible }
/* A link to a section focuses it. Only elements that the keyboard can reach have an outline. */
section.section:focus { outline: none }
`
