// Gives integrators the documentation for the version of the service that they use, from the service itself. The
// service serves pages of docs/ at `/guides`, as HTML for people and as Markdown for language models. In HTML, a link
// to another served document leads to the service. Any other link to another page becomes plain text, because its
// target might not be reachable. The Markdown keeps its links.

import { readFile } from 'node:fs/promises'
import { DEFAULT_KEY_PREFIX } from '@store-export/contract'
import { escapeHtml, type HtmlPage, lazyPageRoute, pageRoute } from './html.ts'
import { headersWith, REVALIDATED, type ReferenceRoute } from './reference-route.ts'

/** A page of docs/ that the service serves. */
export interface Guide {
  /** Last segment of the addresses `/guides/NAME` and `/guides/NAME.md`. */
  readonly name: string
  readonly title: string
  /** What the guide is about, for lists of guides. */
  readonly note: string
  /** Path in docs/. */
  readonly file: string
}

/** A heading in the list of guides, with the guides below it. */
export interface GuideGroup {
  readonly title: string
  readonly guides: readonly Guide[]
}

/** Every guide, grouped by what the reader wants to do. */
export const GUIDE_GROUPS: readonly GuideGroup[] = [
  {
    title: 'Use the API',
    guides: [
      {
        name: 'authentication',
        title: 'Authentication',
        note: 'send a key, and check it',
        file: 'api/authentication.md',
      },
      {
        name: 'pagination',
        title: 'Pagination',
        note: 'read a whole list',
        file: 'api/pagination.md',
      },
      {
        name: 'incremental-sync',
        title: 'Incremental sync',
        note: 'read what changed, in Python, JavaScript, PHP, C#, and Ruby',
        file: 'api/incremental-sync.md',
      },
      {
        name: 'deleted-rows',
        title: 'Deleted rows',
        note: 'find rows that the store has deleted',
        file: 'api/deleted-rows.md',
      },
      {
        name: 'rate-limits-and-retries',
        title: 'Rate limits and retries',
        note: 'when to retry, and how long to wait',
        file: 'api/rate-limits-and-retries.md',
      },
      {
        name: 'versions',
        title: 'Versions',
        note: 'what can differ between stores and over time',
        file: 'api/versions.md',
      },
      {
        name: 'client',
        title: 'TypeScript client',
        note: 'types, paging, waits, and retries for Node programs',
        file: 'api/client.md',
      },
      {
        name: 'generate-a-client',
        title: 'Generate a client',
        note: 'a client in your language from OpenAPI, and a Postman collection',
        file: 'api/generate-a-client.md',
      },
      {
        name: 'coming-from-shopify-or-woocommerce',
        title: 'Coming from Shopify or WooCommerce',
        note: 'the same things by other names',
        file: 'api/coming-from-shopify-or-woocommerce.md',
      },
    ],
  },
  {
    title: 'Keep a copy without code',
    guides: [
      {
        name: 'store-sync',
        title: 'The sync tool',
        note: 'a command that keeps a copy in a file or a database',
        file: 'sync/overview.md',
      },
      {
        name: 'destinations',
        title: 'Destinations',
        note: 'SQLite, DuckDB, PostgreSQL, MySQL, CSV, XLSX, and Parquet',
        file: 'sync/destinations.md',
      },
      {
        name: 'scheduling',
        title: 'Scheduling',
        note: 'run it every 15 minutes',
        file: 'sync/scheduling.md',
      },
      {
        name: 'resume-and-verify',
        title: 'Resume, prune, and verify',
        note: 'after a failure, and to prove that nothing is missing',
        file: 'sync/resume-and-verify.md',
      },
      {
        name: 'how-a-run-works',
        title: 'How a run works',
        note: 'which rows a run reads, and what store-sync guarantees',
        file: 'sync/how-a-run-works.md',
      },
      {
        name: 'sync-troubleshooting',
        title: 'Troubleshooting',
        note: 'exit codes and messages',
        file: 'sync/troubleshooting.md',
      },
    ],
  },
  {
    title: 'Use the copy',
    guides: [
      {
        name: 'excel',
        title: 'Excel and LibreOffice',
        note: 'a workbook that stays up to date',
        file: 'sync/guides/excel.md',
      },
      {
        name: 'google-sheets',
        title: 'Google Sheets',
        note: 'by script or by file',
        file: 'sync/guides/google-sheets.md',
      },
      {
        name: 'power-bi',
        title: 'Power BI and other BI tools',
        note: 'connect Power BI, Metabase, Grafana, or DuckDB to a copy',
        file: 'sync/guides/power-bi.md',
      },
      {
        name: 'sql',
        title: 'SQL queries',
        note: 'ten questions for SQLite and PostgreSQL',
        file: 'sync/guides/sql.md',
      },
      {
        name: 'accounting',
        title: 'Accounting',
        note: 'sales, tax, and refunds by month',
        file: 'sync/guides/accounting.md',
      },
      {
        name: 'erp',
        title: 'ERP',
        note: 'orders and stock in another system',
        file: 'sync/guides/erp.md',
      },
      {
        name: 'assistants',
        title: 'Assistants (MCP)',
        note: 'ask Claude or Copilot about a copy',
        file: 'sync/guides/assistants.md',
      },
      {
        name: 'erasure',
        title: 'Erasure requests',
        note: 'how a deleted customer leaves the copies',
        file: 'sync/guides/erasure.md',
      },
    ],
  },
]

/** Every guide, in the order of the list. */
export const GUIDES: readonly Guide[] = GUIDE_GROUPS.flatMap(({ guides }) => guides)

/** Addresses of other served files, by path in docs/. */
const SERVED: Readonly<Record<string, string>> = {
  'api/errors/index.md': '/errors',
  'api/reference/index.md': '/docs',
  'api/openapi.json': '/openapi.json',
  'api/openapi-3.0.json': '/openapi-3.0.json',
  'api/swagger-2.0.json': '/swagger-2.0.json',
}

const DOCS = new URL('../../../../docs/', import.meta.url)

/**
 * Returns the list of guides, `/guides`, and each guide as an HTML page and as Markdown. Keys in examples start with
 * `keyPrefix`.
 */
export function guideRoutes(keyPrefix: string): ReferenceRoute[] {
  const read = async (file: string) =>
    (await readFile(new URL(file, DOCS), 'utf8')).replaceAll(`${DEFAULT_KEY_PREFIX}…`, `${keyPrefix}…`)
  return [pageRoute(indexPage()), ...GUIDES.flatMap((guide) => [htmlRoute(guide, read), markdownRoute(guide, read)])]
}

function indexPage(): HtmlPage {
  const groups = GUIDE_GROUPS.map(({ title, guides }) => {
    const items = guides.map(
      (guide) => `<li><a href="/guides/${guide.name}">${escapeHtml(guide.title)}</a>: ${escapeHtml(guide.note)}</li>`,
    )
    return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
  })
  const main = `<h1>Guides</h1>
<p class="lead">Use the API, or keep a copy of a store in another system. You need a key from the store’s dashboard: Settings, API.</p>
${groups.join('\n')}
<p>The dashboard also has recipes to copy: curl, TypeScript, Python, Google Sheets, Power Query, and n8n.</p>
<p>To read a guide as Markdown, add <code>.md</code> to its address.</p>`
  return { path: '/guides', title: 'Guides · Store Data Export', main }
}

/** Returns the Markdown of a file in docs/. */
type ReadGuide = (file: string) => Promise<string>

function htmlRoute({ name, title, file }: Guide, read: ReadGuide): ReferenceRoute {
  return lazyPageRoute(`/guides/${name}`, async () => {
    const { guideHtml } = await import('./guide-html.ts')
    const main = guideHtml(await read(file), (target) => servedAddress(file, target))
    return { title: `${title} · Store Data Export`, main }
  })
}

function markdownRoute({ name, file }: Guide, read: ReadGuide): ReferenceRoute {
  return {
    path: `/guides/${name}.md`,
    contentType: 'text/markdown; charset=utf-8',
    headers: headersWith("default-src 'none'"),
    body: async () => Buffer.from(await read(file)),
    cacheControl: REVALIDATED,
  }
}

/** Returns the address at which the service serves the target of a link in docs/; null if it does not serve it. */
function servedAddress(from: string, target: string): string | null {
  if (target.startsWith('#')) return target
  // Links to other hosts become plain text.
  if (/^[a-z]+:/i.test(target)) return null
  const { pathname, hash } = new URL(target, new URL(from, 'file:///docs/'))
  const file = /^\/docs\/(.+)$/.exec(pathname)?.[1] ?? ''
  const guide = GUIDES.find((each) => each.file === file)
  if (guide !== undefined) return `/guides/${guide.name}${hash}`
  const code = /^api\/errors\/([A-Z_]+)\.md$/.exec(file)?.[1]
  if (code !== undefined) return `/errors/${code}`
  return SERVED[file] ?? null
}
