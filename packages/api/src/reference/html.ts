// Renders the service's HTML pages except `/docs`. The pages have no script, and load nothing from other hosts.

import { createHash } from 'node:crypto'
import { headersWith, REVALIDATED, type ReferenceRoute } from './reference-route.ts'

/** An HTML page of the service. `title` is text, and is escaped. `main` is HTML, and is inserted as it is. */
export interface HtmlPage {
  readonly path: string
  readonly title: string
  readonly main: string
}

/** Returns the document of a page. Its content security policy allows the style by its hash, and no script. */
export function pageRoute(page: HtmlPage): ReferenceRoute {
  return routeOf(page.path, pageText(page))
}

/** Returns the document of a page that `make` creates at the first request. */
export function lazyPageRoute(path: string, make: () => Promise<Omit<HtmlPage, 'path'>>): ReferenceRoute {
  return routeOf(path, async () => Buffer.from(pageText(await make())))
}

function routeOf(path: string, body: ReferenceRoute['body']): ReferenceRoute {
  const policy = `default-src 'none'; img-src data:; style-src 'sha256-${STYLE_HASH}'`
  return {
    path,
    contentType: 'text/html; charset=utf-8',
    headers: headersWith(policy),
    body,
    cacheControl: REVALIDATED,
  }
}

function pageText({ title, main }: Omit<HtmlPage, 'path'>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header><a class="brand" href="/">Store Data Export</a><nav>${NAVIGATION}</nav></header>
<main>
${main}
</main>
</body>
</html>
`
}

/** Escapes text for HTML text, and for attributes in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** The navigation of all pages: links to the documents, as HTML. */
export const NAVIGATION = [
  ['/docs', 'Reference'],
  ['/guides', 'Guides'],
  ['/errors', 'Errors'],
  ['/openapi.json', 'OpenAPI'],
  ['/llms.txt', 'llms.txt'],
]
  .map(([href, name]) => `<a href="${href}">${name}</a>`)
  .join('')

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #56606e; --paper: #fff; --panel: #f4f6f8; --line: #d9dfe5; --accent: #0b6b53 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaef; --soft: #a3adb9; --paper: #12161b; --panel: #1b2128; --line: #303842; --accent: #5fd0ae }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif }
header { display: flex; flex-wrap: wrap; gap: .5rem 2rem; align-items: baseline; max-width: 50.5rem; margin: 0 auto; padding: 1.25rem }
nav { display: flex; flex-wrap: wrap; gap: 1.25rem }
nav a { color: var(--soft); text-decoration: none }
nav a:hover, a:hover { text-decoration: underline }
main { max-width: 50.5rem; margin: 0 auto; padding: 2rem 1.25rem 5rem }
a { color: var(--accent) }
.brand { font-weight: 650; color: var(--ink); text-decoration: none }
h1 { margin: 0 0 .75rem; font-size: 2rem; line-height: 1.2; overflow-wrap: anywhere }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.15rem }
h3 { margin: 1.75rem 0 .5rem; font-size: 1rem }
p, li { max-width: 42rem }
li { margin: .35rem 0 }
.lead { color: var(--soft); font-size: 1.1rem }
.status { display: inline-block; margin: 0 0 1rem; padding: .1rem .6rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--soft); font-size: .875rem }
code, pre { font: .875rem/1.6 ui-monospace, monospace }
code { padding: .1rem .3rem; border-radius: .25rem; background: var(--panel) }
pre { overflow-x: auto; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--panel) }
pre code { padding: 0; background: none }
.wide { overflow-x: auto }
table { width: 100%; border-collapse: collapse }
th, td { padding: .55rem 1rem .55rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
th { color: var(--soft); font-weight: 500 }
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
