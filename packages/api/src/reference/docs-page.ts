// `/docs`: the reference page, its configuration and its policy. Everything comes from our own origin; what the library
// can do with other hosts is switched off and refused by the policy as well.

import { KEY_PREFIX } from '@store-export/contract'
import { NAVIGATION } from './html.ts'
import { loadPageScript } from './page-script.ts'
import { CACHED_FOR_A_DAY, headersWith, REVALIDATED, type ReferenceRoute } from './reference-route.ts'

const SCRIPT = '/docs/reference.js'
const START = '/docs/start.js'

/** `connect-src 'self'` is what the page reads the document with, and where try-it sends to. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // the library writes its styles into the page
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
].join('; ')

/** The page, the script that starts it, and the library. With `tryIt`, requests can be sent from the page. */
export function docsRoutes({ tryIt }: { readonly tryIt: boolean }): ReferenceRoute[] {
  return [
    {
      path: '/docs',
      contentType: 'text/html; charset=utf-8',
      headers: headersWith(POLICY),
      body: PAGE,
      cacheControl: REVALIDATED,
    },
    {
      path: START,
      contentType: JAVASCRIPT,
      headers: headersWith(DATA),
      body: startScript(tryIt),
      cacheControl: REVALIDATED,
    },
    {
      path: SCRIPT,
      contentType: JAVASCRIPT,
      headers: headersWith(DATA),
      body: loadPageScript,
      cacheControl: CACHED_FOR_A_DAY,
    },
  ]
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const DATA = "default-src 'none'"

/** Above the library's page, which leaves room for it. Its colors are those of the mode that the reader chose there. */
const BAR_STYLE = `
:root { --scalar-custom-header-height: 2.75rem }
body { margin: 0 }
.bar { position: sticky; top: 0; z-index: 100; box-sizing: border-box; display: flex; gap: 1.5rem; align-items: center; height: 2.75rem; padding: 0 1.25rem;
  overflow-x: auto; border-bottom: 1px solid var(--scalar-border-color, #8884); background: var(--scalar-background-1, Canvas); font: .875rem/1 system-ui, sans-serif; white-space: nowrap }
.bar nav { display: flex; gap: 1.25rem }
.bar a { color: var(--scalar-color-1, CanvasText); text-decoration: none }
.bar a:hover { text-decoration: underline }
.bar .brand { font-weight: 650 }`

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

function startScript(tryIt: boolean): string {
  return `Scalar.createApiReference('#app', ${JSON.stringify(configuration(tryIt), null, 2)})\n${KEY_PLACEHOLDER}`
}

/** The library has no setting for the placeholder of its field for keys, and its default explains nothing. */
const KEY_PLACEHOLDER = `
new MutationObserver(() => {
  for (const field of document.querySelectorAll('.scalar-password-input:not([placeholder="${KEY_PREFIX}…"])'))
    field.placeholder = '${KEY_PREFIX}…'
}).emit(document.body, { childList: true, subtree: true })
`

function configuration(tryIt: boolean): Readonly<Record<string, unknown>> {
  return {
    url: '/openapi.json',
    hideTestRequestButton: !tryIt,
    // opens the vendor's client
    hideClientButton: true,
    // a key belongs on a server: it is gone when the page is left
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
/* the font of the system instead of one that would have to be fetched */
:root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; --scalar-radius: 4px }
/* there is one way to authenticate, and the button to choose it covers its neighbor */
.ui-not-open\\:hidden:has(> .contents > .scalar-button) { display: none }
/* the tabs of all statuses have a line of their own, so that none is hidden */
.response-card .scalar-card-header { flex-wrap: wrap; justify-content: flex-end }
.response-card .scalar-card-header-title { flex: 1 0 100%; overflow: visible }
.response-card .tab-list { flex-wrap: wrap; overflow: visible }
/* a section gets the focus from its address; an outline is for what the keyboard reaches */
section.section:focus { outline: none }
`
