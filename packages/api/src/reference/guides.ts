// `/guides`: the pages of the documentation for people who keep a copy of a store, as HTML and as Markdown. They are the
// files in docs/, so that the running product and the repository say the same.

import { readFile } from 'node:fs/promises'
import { escapeHtml, latePageRoute, type Page, pageRoute } from './html.ts'
import { FRESH, headersWith, type ReferenceRoute } from './route.ts'

export interface Guide {
  /** Part of its addresses, `/guides/NAME` and `/guides/NAME.md`. */
  readonly name: string
  readonly title: string
  readonly note: string
  /** Path in docs/. */
  readonly file: string
}

/** Every guide, the ones that most readers need first. */
export const GUIDES: readonly Guide[] = [
  {
    name: 'store-sync',
    title: 'store-sync',
    note: 'a command that keeps a copy in SQLite, PostgreSQL, CSV, XLSX or Parquet; no code to write',
    file: 'sync/overview.md',
  },
  {
    name: 'client',
    title: 'The TypeScript client',
    note: 'types, pages, waits and retries for Node programs',
    file: 'api/client.md',
  },
  {
    name: 'incremental',
    title: 'Keep a copy up to date',
    note: 'the loop with watermarks, in Python, JavaScript, PHP, C# and Ruby',
    file: 'api/incremental-sync.md',
  },
  { name: 'spreadsheet', title: 'In a spreadsheet', note: 'a copy that Excel opens', file: 'sync/guides/excel.md' },
  {
    name: 'dashboard',
    title: 'In a dashboard',
    note: 'a copy that reports are made of',
    file: 'sync/guides/dashboards.md',
  },
  {
    name: 'accounting',
    title: 'For accounting',
    note: 'sales, tax and refunds by month',
    file: 'sync/guides/accounting.md',
  },
  { name: 'erp', title: 'For an ERP', note: 'orders and stock in another system', file: 'sync/guides/erp.md' },
  {
    name: 'deleted-customers',
    title: 'When a customer is deleted',
    note: 'what to do with the copy',
    file: 'sync/guides/erasure.md',
  },
]

/** Addresses of other served files, by path in docs/. */
const SERVED: Readonly<Record<string, string>> = {
  'api/errors/index.md': '/errors',
  'api/reference/index.md': '/docs',
  'api/openapi.json': '/openapi.json',
}

const DOCS = new URL('../../../../docs/', import.meta.url)

/** `/guides`, and each guide as a page and as Markdown. */
export function guideRoutes(): ReferenceRoute[] {
  return [pageRoute(indexPage()), ...GUIDES.flatMap((guide) => [htmlRoute(guide), markdownRoute(guide)])]
}

function indexPage(): Page {
  const items = GUIDES.map(
    ({ name, title, note }) => `<li><a href="/guides/${name}">${escapeHtml(title)}</a>: ${escapeHtml(note)}</li>`,
  )
  const main = `<h1>Guides</h1>
<p class="lead">For people who keep a copy of a store in another system. Each guide needs a key, from the store’s dashboard under Settings, API.</p>
<ul>
${items.join('\n')}
</ul>
<p>The dashboard has recipes to paste as well: curl, TypeScript, Python, Google Sheets, Power Query and n8n, under Recipes.</p>
<p>Each guide is served as Markdown too: add <code>.md</code> to its address.</p>`
  return { path: '/guides', title: 'Guides · Store Data Export', main }
}

function htmlRoute({ name, title, file }: Guide): ReferenceRoute {
  return latePageRoute(`/guides/${name}`, async () => {
    const { guideHtml } = await import('./guide-html.ts')
    const main = guideHtml(await read(file), (target) => servedAddress(file, target))
    return { title: `${title} · Store Data Export`, main }
  })
}

function markdownRoute({ name, file }: Guide): ReferenceRoute {
  return {
    path: `/guides/${name}.md`,
    contentType: 'text/markdown; charset=utf-8',
    headers: headersWith("default-src 'none'"),
    body: async () => Buffer.from(await read(file)),
    cacheControl: FRESH,
  }
}

function read(file: string): Promise<string> {
  return readFile(new URL(file, DOCS), 'utf8')
}

/** The address at which the service serves the target of a link in docs/; null if it does not. */
function servedAddress(from: string, target: string): string | null {
  if (target.startsWith('#')) return target
  // pages lead to no other host
  if (/^[a-z]+:/i.test(target)) return null
  const { pathname, hash } = new URL(target, new URL(from, 'file:///docs/'))
  const file = /^\/docs\/(.+)$/.exec(pathname)?.[1] ?? ''
  const guide = GUIDES.find((each) => each.file === file)
  if (guide !== undefined) return `/guides/${guide.name}${hash}`
  const code = /^api\/errors\/([A-Z_]+)\.md$/.exec(file)?.[1]
  if (code !== undefined) return `/errors/${code}`
  return SERVED[file] ?? null
}
