// `/docs`: the reference page, its configuration and its policy. Everything comes from our own origin; what the library
// can do with other hosts is switched off and refused by the policy as well.

import { loadPageScript } from './page-script.ts'
import { FOR_A_DAY, FRESH, headersWith, type ReferenceRoute } from './route.ts'

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
      cacheControl: FRESH,
    },
    { path: START, contentType: JAVASCRIPT, headers: headersWith(DATA), body: startScript(tryIt), cacheControl: FRESH },
    {
      path: SCRIPT,
      contentType: JAVASCRIPT,
      headers: headersWith(DATA),
      body: loadPageScript,
      cacheControl: FOR_A_DAY,
    },
  ]
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const DATA = "default-src 'none'"

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reference · Store Data Export</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. <a href="/openapi.json">openapi.json</a> and <a href="/llms.txt">llms.txt</a> do not.</noscript>
<script src="${SCRIPT}" defer></script>
<script src="${START}" defer></script>
</body>
</html>
`

function startScript(tryIt: boolean): string {
  return `Scalar.createApiReference('#app', ${JSON.stringify(configuration(tryIt), null, 2)})\n`
}

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

/** The font of the system instead of one that would have to be fetched. */
const CSS =
  ':root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; --scalar-radius: 4px }'
